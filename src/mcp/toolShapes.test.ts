import { expect, test } from "vitest";
import type { Json } from "../json/json.ts";
import { toolPage } from "./toolShapes.ts";

test("a tool whose schema or name nobody could use costs no other", () => {
  let deep: Json = {};
  for (let level = 0; level < 100_000; level++) deep = { deep };

  const page = toolPage({
    tools: [{ name: "deep", inputSchema: deep }, { name: "n".repeat(1_000_000) }, { name: "a" }],
  });

  expect(page).toMatchObject({ tools: [{ name: "a" }], unfit: 2 });
});
