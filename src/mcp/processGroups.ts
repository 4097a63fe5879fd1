import { setTimeout as delay } from "node:timers/promises";

/** From SIGTERM to SIGKILL, ms. */
const grace = 400;
/** How long a killed group is waited for, ms: dead processes that nobody reaps (a container without an init) stay visible. */
const patience = 200;

/**
 * The process groups of our children. Each child leads a group of its own, so that what it started goes with it, and
 * so that a Ctrl-C in the terminal reaches only us. That makes their end our duty: call `killAll` when the process exits.
 */
export class ProcessGroups {
  readonly #leaders = new Set<number>();
  readonly #endings = new Map<number, Promise<void>>();

  add(leader: number): void {
    this.#leaders.add(leader);
  }

  /** SIGTERM now, SIGKILL after 400 ms to what is left. Resolves when the group is gone. Calls for one leader share a promise. */
  end(leader: number): Promise<void> {
    if (!this.#leaders.has(leader)) return Promise.resolve();
    const ending = this.#endings.get(leader) ?? this.#end(leader);
    this.#endings.set(leader, ending);
    return ending;
  }

  /** SIGKILL to every group that is left. Synchronous, for `process.on("exit")`. */
  killAll(): void {
    for (const leader of this.#leaders) signalGroup(leader, "SIGKILL");
    this.#leaders.clear();
  }

  async #end(leader: number): Promise<void> {
    signalGroup(leader, "SIGTERM");
    const kill = setTimeout(() => signalGroup(leader, "SIGKILL"), grace);
    for (let waited = 0; waited < grace + patience && signalGroup(leader, 0); waited += 10) await delay(10);
    clearTimeout(kill);
    // From here on the number may belong to somebody else.
    this.#leaders.delete(leader);
    this.#endings.delete(leader);
  }
}

/** False when no process of the group is left. */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
