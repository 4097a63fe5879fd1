import { readdir, readFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

/** Rooms by floor, lowest first. An arrow points to any lower floor, never up, never sideways. */
const floors: readonly (readonly string[])[] = [
  ["log", "redact", "clock", "json", "net", "wire"],
  ["skill", "workspace", "config", "report", "result", "store", "query", "preset"],
  ["mcp", "model", "fleet"],
  ["runbook", "recording", "lint"],
  ["agent"],
  ["session"],
  ["api"],
  ["app"],
  ["cli", "entry"],
];

/** Arrows on one floor that are meant. */
const sideways: readonly string[] = [];

const source = import.meta.dirname;
const floorOf = (room: string) => floors.findIndex((rooms) => rooms.includes(room));

interface Arrow {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

async function arrows(): Promise<Arrow[]> {
  const files = (await readdir(source, { recursive: true })).filter((file) => file.endsWith(".ts"));
  const found = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(source, file), "utf8");
      const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map(([, path]) => path as string);
      const from = file.split("/")[0] as string;
      return imports
        .map((path) => relative(source, resolve(source, dirname(file), path)).split("/")[0] as string)
        .filter((to) => to !== from && floorOf(from) >= 0)
        .map((to): Arrow => ({ file, from, to }));
    }),
  );
  return found.flat();
}

test("every folder of src is a room on a floor, one level deep", async () => {
  const entries = await readdir(source, { withFileTypes: true });
  const rooms = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);

  const inner = await Promise.all(
    rooms.map(async (room) =>
      (await readdir(join(source, room), { withFileTypes: true })).filter((e) => e.isDirectory()),
    ),
  );

  expect(rooms.filter((room) => floorOf(room) < 0)).toEqual([]);
  expect(inner.flat().map((entry) => entry.name)).toEqual([]);
});

test("imports between rooms point down only", async () => {
  const wrong = (await arrows())
    .filter(({ file }) => !file.endsWith(".test.ts"))
    .filter(({ from, to }) => floorOf(to) >= floorOf(from) && !sideways.includes(`${from} -> ${to}`));

  expect(wrong.map(({ file, to }) => `${file} imports ${to}`)).toEqual([]);
});

test("skill imports nothing of Korvus but the log type", async () => {
  const targets = (await arrows()).filter(({ file, from }) => from === "skill" && !file.endsWith(".test.ts"));

  expect([...new Set(targets.map(({ to }) => to))].filter((to) => to !== "log")).toEqual([]);
});
