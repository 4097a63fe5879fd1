import { expect, test } from "vitest";
import { rawServer } from "../../test/wire/rawServer.ts";
import { sameHostFetch } from "./sameHostFetch.ts";

test("a redirect is an error that names the host, and nothing is sent there", async () => {
  let asked = 0;
  await using other = await rawServer(() => {
    asked++;
    return {};
  });
  await using server = await rawServer(() => ({ status: 307, headers: { location: `${other.url}/steal` } }));

  const sent = sameHostFetch()(server.url, { method: "POST", body: "{}", headers: { "x-api-key": "key" } });

  await expect(sent).rejects.toThrow(`the provider redirects to ${other.url}, which is not followed`);
  expect(asked).toBe(0);
});
