/**
 * How long the provider asks to wait, ms: `retry-after-ms`, `retry-after` in seconds or as an HTTP date, else Google's
 * `retryDelay` in the body. Undefined when it does not say; never negative.
 */
export function retryAfterOf(headers: Readonly<Record<string, string>>, body: string, now: number): number | undefined {
  const milliseconds = amount(headers["retry-after-ms"]);
  if (milliseconds !== undefined) return milliseconds;
  const header = headers["retry-after"]?.trim();
  const seconds = amount(header) ?? amount(/"retryDelay"\s*:\s*"([\d.]+)s"/.exec(body)?.[1]);
  if (seconds !== undefined) return Math.round(seconds * 1000);
  const date = header ? Date.parse(header) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function amount(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
}
