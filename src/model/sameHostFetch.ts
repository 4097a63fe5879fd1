type Fetch = typeof globalThis.fetch;

/**
 * A `fetch` that goes where it is told and no further. Followed redirects would take the conversation to another host,
 * and the key too: only `Authorization` is left out there, not `x-api-key`.
 */
export function sameHostFetch(inner: Fetch = globalThis.fetch): Fetch {
  return async (input, init) => {
    const response = await inner(input, { ...init, redirect: "manual" });
    const location = response.headers.get("location");
    if (response.status < 300 || response.status > 399 || location === null) return response;
    await response.body?.cancel();
    const target = URL.parse(location, response.url)?.origin ?? "an address that is none";
    throw new Error(`the provider redirects to ${target}, which is not followed: set model.base_url to the right one`);
  };
}
