type Fetch = typeof globalThis.fetch;

/**
 * A `fetch` whose bodies fail beyond `limit` bytes: the libraries that read them keep all of an answer in memory. Of an
 * event stream each event counts by itself.
 */
export function boundedFetch(limit: number, inner: Fetch = globalThis.fetch): Fetch {
  return async (input, init) => {
    const response = await inner(input, init);
    if (!response.body) return response;
    const { status, statusText, headers } = response;
    const perEvent = headers.get("content-type")?.includes("event-stream") === true;
    const body = response.body.pipeThrough(bounded(limit, perEvent));
    // A response that was made by hand has no address of its own.
    return Object.defineProperty(new Response(body, { status, statusText, headers }), "url", { value: response.url });
  };
}

function bounded(limit: number, perEvent: boolean): TransformStream<Uint8Array, Uint8Array> {
  let pending = 0;
  let before: Buffer = Buffer.alloc(0);
  return new TransformStream({
    transform(chunk, controller) {
      pending += chunk.length;
      if (perEvent) {
        // A blank line ends an event; it may lie across two chunks.
        const seen = Buffer.concat([before, chunk]);
        const end = Math.max(seen.lastIndexOf("\n\n"), seen.lastIndexOf("\n\r\n"));
        if (end >= 0) pending = seen.length - end;
        before = seen.subarray(-2);
      }
      if (pending > limit)
        controller.error(new Error(`the answer has more than the ${limit} bytes that are read; ask for less`));
      else controller.enqueue(chunk);
    },
  });
}
