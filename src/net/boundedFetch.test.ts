import { expect, test } from "vitest";
import { rawServer } from "../../test/wire/rawServer.ts";
import { boundedFetch } from "./boundedFetch.ts";

const limited = boundedFetch(1000);

function* endless(chunk: string) {
  for (let count = 0; count < 5000; count++) yield chunk;
}

test("a body within the limit comes whole, with its status, headers and address", async () => {
  await using server = await rawServer(() => ({ status: 418, headers: { "x-a": "b" }, chunks: ["x".repeat(1000)] }));

  const response = await limited(`${server.url}/y`);

  expect(response).toMatchObject({ status: 418, url: `${server.url}/y` });
  expect(response.headers.get("x-a")).toBe("b");
  expect(await response.text()).toBe("x".repeat(1000));
});

test.each([
  ["application/json", "x"],
  ["text/event-stream", "data: x\n"],
])("a body of %s that goes on for ever fails", async (type, chunk) => {
  await using server = await rawServer(() => ({ headers: { "content-type": type }, chunks: endless(chunk) }));

  await expect(limited(server.url).then((response) => response.text())).rejects.toThrow("more than the 1000 bytes");
});

test.each([
  ["in one piece", ["data: 0123456789\n\n"]],
  ["in two", ["data: 0123456789\r\n", "\r\n"]],
])("events %s may be many", async (_, event) => {
  const chunks = Array.from({ length: 500 }, () => event).flat();
  await using server = await rawServer(() => ({ chunks }));

  expect(await limited(server.url).then((response) => response.text())).toBe(chunks.join(""));
});
