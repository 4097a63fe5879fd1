import { Pool } from "pg";
import type { Clock } from "../clock/clock.ts";
import type { Log } from "../log/log.ts";
import { freeRoom, type LimitRule, type Limits, ruleFor } from "./limitRules.ts";
import { QueueError } from "./queue.ts";
import { Turns } from "./turns.ts";

export interface FleetLimitsOptions {
  readonly url: string;
  readonly rules: readonly LimitRule[];
  readonly clock: Clock;
  readonly log: Log;
}

/** A holder that does not renew what it holds for this long is dead or frozen, and loses it, s. */
const leaseSeconds = 15;
const renewal = 4_000;
/** Between two tries for room, ms: the first of each process tries, and none of them at the same time for long. */
const shortestTry = 20;
const longestTry = 250;

/**
 * Limits over all processes that share a PostgreSQL, by its clock. Room is a row with an end that its holder moves on; one
 * function takes it, under a lock by key, in one round trip. Callers of one process wait in line, so that the fleet asks
 * once a process and not once a caller. Rejects with `QueueError`.
 */
export async function fleetLimits({ url, rules, clock, log }: FleetLimitsOptions): Promise<Limits & AsyncDisposable> {
  const pool = new Pool({ connectionString: url, max: 2, application_name: "korvus limits" });
  // An idle connection that breaks: the next query tells.
  pool.on("error", () => undefined);
  try {
    await pool.query(tables);
  } catch (cause) {
    await pool.end();
    throw new QueueError(`limits on PostgreSQL cannot be set up: ${(cause as Error).message}`, { cause });
  }
  const holder = clock.id();
  const stop = new AbortController();
  const turns = new Map<string, Turns>();
  let away = false;

  /** True when it was taken; false where there is no room, or no PostgreSQL for the moment. */
  async function take(rule: LimitRule, id: string): Promise<boolean> {
    try {
      const values = [id, rule.key, holder, rule.concurrent ?? null, rule.perMinute ?? null, leaseSeconds];
      const { rows } = await pool.query<{ taken: boolean }>(
        "select korvus_limits.take($1, $2, $3, $4, $5, $6) as taken",
        values,
      );
      away = false;
      return rows[0]?.taken === true;
    } catch (error) {
      if (!away)
        log.warn({ limit: rule.key }, `limits cannot be asked, and are waited for: ${(error as Error).message}`);
      away = true;
      return false;
    }
  }

  async function give(id: string): Promise<void> {
    // One that cannot be given back ends by itself.
    await pool.query("delete from korvus_limits.leases where id = $1", [id]).catch(() => undefined);
  }

  async function renew(): Promise<void> {
    while (!stop.signal.aborted) {
      await clock.sleep(renewal, stop.signal).catch(() => undefined);
      if (stop.signal.aborted) return;
      const text = "update korvus_limits.leases set until = now() + make_interval(secs => $2) where holder = $1";
      // Away for a moment: what ends meanwhile was too much to hold.
      await pool.query(text, [holder, leaseSeconds]).catch(() => undefined);
    }
  }
  const renewing = rules.length > 0 ? renew() : Promise.resolve();

  return {
    async acquire(key, signal) {
      const rule = ruleFor(rules, key);
      if (!rule) return freeRoom;
      const line = turns.get(rule.key) ?? new Turns();
      turns.set(rule.key, line);
      using _turn = await line.take(signal);
      const id = clock.id();
      for (let pause = shortestTry; !(await take(rule, id)); pause = Math.min(pause * 2, longestTry)) {
        // Not all processes in step: the id is random.
        await clock.sleep(pause * (0.5 + Number.parseInt(id.slice(0, 2), 16) / 255), signal);
      }
      if (signal.aborted) {
        await give(id);
        throw signal.reason;
      }
      let open = true;
      return {
        [Symbol.dispose]() {
          if (open) void give(id);
          open = false;
        },
      };
    },
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("the limits are closed"));
      await renewing;
      await pool.query("delete from korvus_limits.leases where holder = $1", [holder]).catch(() => undefined);
      await pool.end();
    },
  };
}

const tables = `
  do $setup$ begin
    perform pg_advisory_xact_lock(1802466921);
    create schema if not exists korvus_limits;
    create table if not exists korvus_limits.leases (
      id text primary key, key text not null, holder text not null, until timestamptz not null);
    create index if not exists leases_key on korvus_limits.leases (key);
    create table if not exists korvus_limits.starts (key text not null, at timestamptz not null);
    create index if not exists starts_key on korvus_limits.starts (key, at);
  end $setup$;
  create or replace function korvus_limits.take(
    lease text, wanted text, by text, concurrent bigint, per_minute bigint, seconds bigint) returns boolean
  language plpgsql as $take$
  begin
    perform pg_advisory_xact_lock(hashtextextended(wanted, 7700));
    delete from korvus_limits.leases where key = wanted and until < now();
    if concurrent is not null and (select count(*) from korvus_limits.leases where key = wanted) >= concurrent then
      return false;
    end if;
    if per_minute is not null then
      delete from korvus_limits.starts where key = wanted and at < now() - interval '1 minute';
      if (select count(*) from korvus_limits.starts where key = wanted) >= per_minute then return false; end if;
      insert into korvus_limits.starts values (wanted, now());
    end if;
    insert into korvus_limits.leases values (lease, wanted, by, now() + make_interval(secs => seconds));
    return true;
  end $take$;`;
