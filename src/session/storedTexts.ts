import type { SessionInputs } from "../agent/events.ts";
import { type Prompt, promptOf } from "../agent/prompt.ts";
import { toolLimitsFor } from "../agent/toolLimits.ts";
import { type ToolSet, toolSet } from "../agent/toolSet.ts";
import type { ServerTool } from "../mcp/registry.ts";
import type { Store } from "../store/store.ts";
import { readCatalogText, type SkillSet, sha256 } from "./catalogText.ts";
import { SessionError } from "./session.ts";
import { readToolsText } from "./sessionTools.ts";

/** What a session's runs are made of. */
export interface SessionTexts {
  readonly catalog: SkillSet;
  readonly prompt: Prompt;
  readonly tools: readonly ServerTool[];
  /** What a model with this window is offered of them. */
  offered(window: number | undefined): ToolSet;
}

/** Sessions of one deployment share theirs; those of many commits do not. */
const most = 64;

/**
 * The texts of sessions, read from the store and checked against their digests. Kept by those digests, so that what is
 * given is what the session was made with, whoever made it.
 */
export class StoredTexts {
  readonly #store: Pick<Store, "text">;
  readonly #kept = new Map<string, Promise<SessionTexts>>();

  constructor(store: Pick<Store, "text">) {
    this.#store = store;
  }

  /** Rejects with `SessionError` `damaged`. */
  async get(inputs: Pick<SessionInputs, "catalog" | "prompt" | "tools">): Promise<SessionTexts> {
    const key = `${inputs.catalog} ${inputs.prompt} ${inputs.tools}`;
    const known = this.#kept.get(key);
    if (known) return await known;
    const reading = this.#read(inputs);
    this.#kept.set(key, reading);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > most && oldest !== undefined) this.#kept.delete(oldest);
    try {
      return await reading;
    } catch (error) {
      this.#kept.delete(key);
      throw error;
    }
  }

  async #read(inputs: Pick<SessionInputs, "catalog" | "prompt" | "tools">): Promise<SessionTexts> {
    const text = async (what: "catalog" | "prompt" | "tools") => {
      const found = await this.#store.text(inputs[what]);
      if (found === undefined) throw new SessionError("damaged", `the session's ${what} is not in the store`);
      if (sha256(found) !== inputs[what]) throw new SessionError("damaged", `the session's stored ${what} was changed`);
      return found;
    };
    const [catalog, system, tools] = await Promise.all([text("catalog"), text("prompt"), text("tools")]);
    return { catalog: readCatalogText(catalog), prompt: promptOf(system), ...offer(readToolsText(tools)) };
  }
}

/** Each set is made once: it measures what the tools cost. */
function offer(tools: readonly ServerTool[]): Pick<SessionTexts, "tools" | "offered"> {
  const sets = new Map<number | undefined, ToolSet>();
  return {
    tools,
    offered(window) {
      const set = sets.get(window) ?? toolSet(tools, toolLimitsFor(window));
      sets.set(window, set);
      return set;
    },
  };
}
