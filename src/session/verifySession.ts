import type { RunEvent, SessionCreated, SessionInputs } from "../agent/events.ts";
import { systemPrompt } from "../agent/systemPrompt.ts";
import { canonicalJson, type Json } from "../json/json.ts";
import type { Log } from "../log/log.ts";
import { WorkspaceError, type Workspaces } from "../workspace/workspace.ts";
import { catalogText, readCatalogText, type SkillSet, sha256 } from "./catalogText.ts";
import { sealsOf } from "./createSession.ts";
import { firstDifference } from "./firstDifference.ts";
import { SessionError } from "./session.ts";
import { createdOf, type SessionBundle } from "./sessionBundle.ts";
import { skillsFor } from "./skillsFor.ts";

/** Something of a session that is not what it was, or does not come out again. */
export interface Difference {
  /** `commit`, `connected`, `prompt`, `catalog`, `korvus`... */
  readonly what: keyof SessionInputs | "commit" | "export";
  /** One sentence. */
  readonly message: string;
}

export interface Verification {
  readonly session: string;
  /** Empty: everything that was stored came out again, byte for byte. The most telling first. */
  readonly differences: readonly Difference[];
  readonly workspace: SessionInputs["workspace"];
  readonly promptDigest: string;
  readonly catalogDigest: string;
  /** Korvus that made it, where it is another than the one that verifies. */
  readonly madeBy?: string;
}

export interface VerifyOptions {
  readonly workspaces: Pick<Workspaces, "seed">;
  readonly version: string;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * Rebuilds catalog and prompt of a session from its commit and its stored list of connected servers, and compares. An
 * unpinned session's prompt is rebuilt from its stored catalog, the only thing that it describes. First it checks that
 * what is stored still is what it was when the session was made.
 */
export async function verifySession(bundle: SessionBundle, options: VerifyOptions): Promise<Verification> {
  const created = createdOf(bundle.events);
  const { inputs } = created;
  const differences = [
    ...changedInputs(created),
    ...changedTexts(bundle, inputs),
    ...contradictions(bundle.events, inputs),
    ...(await rebuilt(bundle, inputs, options)),
  ];
  return {
    session: created.session,
    differences,
    workspace: inputs.workspace,
    promptDigest: inputs.prompt,
    catalogDigest: inputs.catalog,
    ...(inputs.korvus === options.version ? {} : { madeBy: inputs.korvus }),
  };
}

/** Inputs whose seal was made of something else. */
function changedInputs({ inputs, seals }: SessionCreated): readonly Difference[] {
  const now = sealsOf(inputs);
  const keys = new Set([...Object.keys(now), ...Object.keys(seals)]) as Set<keyof SessionInputs>;
  return [...keys]
    .filter((key) => now[key] !== seals[key])
    .map((key) => ({
      what: key === "workspace" ? "commit" : key,
      message: `${inWords[key] ?? key} was changed after the session was made`,
    }));
}

const inWords: Partial<Record<keyof SessionInputs, string>> = {
  workspace: "the workspace and its commit",
  connected: "the list of connected servers",
  servers: "the list of servers",
  dropped: "the list of dropped skills",
  fingerprints: "the list of tool fingerprints",
  catalog: "the catalog's digest",
  prompt: "the prompt's digest",
  tools: "the tools' digest",
  model: "the model",
  korvus: "the version of Korvus",
};

function changedTexts({ texts }: SessionBundle, inputs: SessionInputs): readonly Difference[] {
  return (["prompt", "catalog", "tools"] as const).flatMap((what): readonly Difference[] => {
    const text = texts.get(inputs[what]);
    if (text === undefined)
      return [{ what, message: `the ${what} that the session names, ${inputs[what]}, is not there` }];
    const digest = sha256(text);
    if (digest === inputs[what]) return [];
    return [
      { what, message: `the stored ${what} was changed: its digest is ${digest}, the session's ${inputs[what]}` },
    ];
  });
}

/** What the session says of itself in several places must be the same. */
function contradictions(events: readonly RunEvent[], inputs: SessionInputs): readonly Difference[] {
  const differences: Difference[] = [];
  const same = (what: Difference["what"], stored: unknown, again: unknown, where: string) => {
    if (canonicalJson(stored as Json) === canonicalJson(again as Json)) return;
    if (!differences.some((known) => known.what === what))
      differences.push({ what, message: `${inWords[what as keyof SessionInputs] ?? what} is not what ${where} says` });
  };
  same("connected", inputs.connected, Object.keys(inputs.fingerprints).sort(), "the list of tool fingerprints");
  const up = inputs.servers.filter(({ name, connected }) => connected && name !== "workspace").map(({ name }) => name);
  same("connected", inputs.connected.toSorted(), up.sort(), "the list of servers");
  for (const [index, { seq }] of events.entries()) {
    if (seq !== index + 1) differences.push({ what: "export", message: `event ${index + 1} is missing` });
    if (seq !== index + 1) break;
  }
  for (const event of events) {
    if (event.type !== "run.started") continue;
    const where = `event ${event.seq}`;
    same("prompt", inputs.prompt, event.prompt.digest, where);
    same("catalog", inputs.catalog, event.catalog.digest, where);
    same("servers", inputs.servers, event.servers, where);
    same("fingerprints", inputs.fingerprints, event.fingerprints, where);
    same("dropped", inputs.dropped, event.catalog.dropped, where);
  }
  return differences;
}

/** What comes out when catalog and prompt are made once more. */
async function rebuilt(
  bundle: SessionBundle,
  inputs: SessionInputs,
  options: VerifyOptions,
): Promise<readonly Difference[]> {
  const stored = bundle.texts.get(inputs.catalog) ?? "";
  const prompt = bundle.texts.get(inputs.prompt) ?? "";
  const { workspace } = inputs;
  if (!workspace) return comparePrompt(readOr(stored), prompt, inputs, options.version);
  try {
    await using tree = await options.workspaces.seed(workspace.name, workspace.commit, options.signal);
    const unused = Object.freeze({ ...readCatalogText("[]"), dropped: [] });
    const { catalog, noSkills = null } = await skillsFor(tree, {
      deployment: unused,
      connected: inputs.connected,
      log: options.log,
    });
    const differences: Difference[] = [];
    if (noSkills !== inputs.noSkills) {
      const said = inputs.noSkills ?? "it has skills";
      differences.push({
        what: "noSkills",
        message: `the session says: ${said}; the commit gives: ${noSkills ?? "skills"}`,
      });
    }
    const again = catalogText(catalog);
    if (again !== stored) {
      const where = firstDifference(skillLines(stored), skillLines(again));
      const message = `commit ${workspace.commit.slice(0, 7)} with servers ${inputs.connected.join(", ") || "none"} gives another catalog: ${where}`;
      differences.push({ what: "catalog", message });
    }
    return [...differences, ...comparePrompt(catalog, prompt, inputs, options.version)];
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    return [{ what: "commit", message: error.message }];
  }
}

function comparePrompt(
  catalog: Pick<SkillSet, "skills">,
  stored: string,
  { korvus }: SessionInputs,
  version: string,
): readonly Difference[] {
  const again = systemPrompt(catalog);
  if (again === stored) return [];
  const message = `the prompt comes out otherwise: ${firstDifference(stored, again)}`;
  const difference: Difference = { what: "prompt", message };
  if (korvus === version) return [difference];
  return [{ what: "korvus", message: `the session was made by Korvus ${korvus}, this is ${version}` }, difference];
}

/** A line a skill, so that the first difference falls into one. */
function skillLines(text: string): string {
  return readOr(text)
    .skills.map((skill) => JSON.stringify(skill))
    .join("\n");
}

function readOr(text: string): SkillSet {
  try {
    return readCatalogText(text);
  } catch (error) {
    if (error instanceof SessionError) return readCatalogText("[]");
    throw error;
  }
}
