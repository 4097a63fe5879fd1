import { StoreError } from "./store.ts";

/** Of the system and of PostgreSQL: the connection broke, or the server is stopping or starting. */
const outages: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "EAI_AGAIN",
  "ENOENT",
  "57P01",
  "57P02",
  "57P03",
  "08000",
  "08003",
  "08006",
  "25P03",
  "53300",
]);
/** A deadlock, a conflict of transactions, two that make the same at once. */
const conflicts: ReadonlySet<string> = new Set(["40P01", "40001", "55P03"]);

/** The same may succeed once PostgreSQL is back. */
export function isOutage(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== undefined) return outages.has(code);
  return (
    error instanceof Error &&
    /Connection terminated|timeout exceeded when trying to connect|not queryable|server closed the connection/i.test(
      error.message,
    )
  );
}

export function isConflict(error: unknown): boolean {
  return conflicts.has(codeOf(error) ?? "");
}

/** What went wrong, for an operator; never with the password. */
export function postgresFailure(error: unknown, url: string): unknown {
  if (error instanceof StoreError) return error;
  const code = codeOf(error) ?? "";
  const { host, database, user } = placeOf(url);
  const message = (error as Error).message;
  const unavailable = (text: string) => new StoreError("unavailable", text, { cause: error });
  if (code === "28P01" || code === "28000")
    return unavailable(
      `PostgreSQL at ${host} refuses the user ${user}: ${message}\ncheck the user and password of store.url`,
    );
  if (code === "3D000")
    return unavailable(`PostgreSQL at ${host} has no database ${database}\nmake it with: createdb ${database}`);
  if (code === "42501")
    return unavailable(
      `PostgreSQL at ${host} does not let ${user} do that: ${message}\ngrant create on database ${database} to ${user}`,
    );
  if (code === "53100") return unavailable(`the disk of PostgreSQL at ${host} is full`);
  if (isOutage(error))
    return unavailable(`PostgreSQL at ${host} cannot be reached: ${message || code}\nstart it, or correct store.url`);
  return unavailable(`PostgreSQL at ${host}: ${message}`);
}

/** Where it is, for people. */
function placeOf(url: string): { readonly host: string; readonly database: string; readonly user: string } {
  const parsed = URL.parse(url);
  const database = parsed?.pathname.slice(1) ?? "";
  return {
    host: parsed?.host || "its socket",
    database: database || "of the user",
    user: parsed?.username || "that is set",
  };
}

function codeOf(error: unknown): string | undefined {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}
