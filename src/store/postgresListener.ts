import { Client } from "pg";
import type { Clock } from "../clock/clock.ts";
import { connectionOf } from "./postgresDatabase.ts";
import type { Watchers } from "./watchers.ts";

/** What is said there is the id of a session that changed. */
export const channel = "korvus_sessions";

const pause = 500;

/** Hears of changes by all processes, on a connection of its own that is opened again whenever it breaks. */
export class PostgresListener implements AsyncDisposable {
  readonly #url: string;
  readonly #watchers: Watchers;
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  #listening: Promise<void> | undefined;
  #client: Client | undefined;

  constructor(url: string, { watchers, clock }: { watchers: Watchers; clock: Clock }) {
    this.#url = url;
    this.#watchers = watchers;
    this.#clock = clock;
  }

  /** Starts to listen, once; resolves when it does, or when it has failed for now. */
  async start(): Promise<void> {
    const first = Promise.withResolvers<void>();
    this.#listening ??= this.#listen(first.resolve);
    if (this.#client) return;
    await first.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Error("closed"));
    await this.#client?.end().catch(() => undefined);
    await this.#listening;
  }

  async #listen(onFirst: () => void): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const ended = Promise.withResolvers<void>();
      const client = new Client(connectionOf(this.#url));
      client.on("notification", ({ payload }) => this.#watchers.wake(payload ?? ""));
      client.on("error", () => ended.resolve());
      client.on("end", () => ended.resolve());
      try {
        await client.connect();
        await client.query(`listen ${channel}`);
        this.#client = client;
        // What was said meanwhile is lost: everybody looks.
        this.#watchers.wakeAll();
        onFirst();
        await ended.promise;
      } catch {
        // Away for now. Whoever waits looks by itself after its time, and hears there what is wrong.
        onFirst();
      }
      this.#client = undefined;
      await client.end().catch(() => undefined);
      await this.#clock.sleep(pause, signal).catch(() => undefined);
    }
  }
}
