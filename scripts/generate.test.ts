import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../test/kit/tempDir.ts";
import { generate } from "./generate.ts";

test("what is generated from proto is what is in src/wire", async () => {
  await using dir = await tempDir();

  generate(dir.path);

  const wire = join(import.meta.dirname, "../src/wire");
  expect(readdirSync(wire)).toEqual(readdirSync(dir.path));
  for (const file of readdirSync(wire))
    expect(readFileSync(join(wire, file), "utf8"), file).toBe(readFileSync(join(dir.path, file), "utf8"));
});
