import fc from "fast-check";
import { expect, test } from "vitest";
import { type ToolAddress, toolNames } from "./toolNames.ts";

// A small alphabet, so that names clash often.
const part = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "b", "_", "-", "."), maxLength: 4 }),
  fc.string({ unit: "grapheme", maxLength: 90 }),
);
const addresses = fc.uniqueArray(fc.record({ server: part, tool: part }), {
  selector: ({ server, tool }) => JSON.stringify([server, tool]),
  maxLength: 25,
});
const reserved = fc.array(fc.oneof(part, fc.constantFrom("a_b", "report", "a__")), { maxLength: 4 });

test("every tool gets a name of its own that any provider accepts, and the name leads back to it", () => {
  fc.assert(
    fc.property(addresses, reserved, (tools, builtIn) => {
      const names = toolNames(tools, builtIn);

      expect(names.byName.size).toBe(tools.length);
      for (const { server, tool } of tools) {
        const name = names.nameOf(server, tool) ?? "";
        expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        expect(builtIn).not.toContain(name);
        expect(names.byName.get(name)).toEqual({ server, tool });
      }
    }),
  );
});

test("names do not depend on the order in which servers and tools come", () => {
  const shuffled = addresses.chain((tools) =>
    fc.tuple(fc.constant(tools), fc.shuffledSubarray(tools, { minLength: tools.length })),
  );

  fc.assert(
    fc.property(shuffled, reserved, ([tools, other], builtIn) => {
      const named = (list: readonly ToolAddress[]) => Object.fromEntries(toolNames(list, builtIn).byName);

      expect(named(other)).toEqual(named(tools));
    }),
  );
});

test("a plain name is server and tool, joined by an underscore", () => {
  const names = toolNames([{ server: "prometheus", tool: "query.range" }], ["report"]);

  expect(names.nameOf("prometheus", "query.range")).toBe("prometheus_query_range");
  expect(names.nameOf("prometheus", "query_range")).toBeUndefined();
});

test("all tools of one plain name get a hash, none keeps the name", () => {
  const names = toolNames(
    [
      { server: "a", tool: "b_c" },
      { server: "a_b", tool: "c" },
    ],
    [],
  );

  expect(names.nameOf("a", "b_c")).toMatch(/^a_b_c_[0-9a-f]{8}$/);
  expect(names.nameOf("a_b", "c")).toMatch(/^a_b_c_[0-9a-f]{8}$/);
  expect(names.byName.has("a_b_c")).toBe(false);
});

test("a tool that names itself like another's hashed name does not capture its calls", () => {
  const victims = [
    { server: "a", tool: "b_c" },
    { server: "a_b", tool: "c" },
  ];
  const forged = toolNames(victims, []).nameOf("a", "b_c") ?? "";

  const names = toolNames([...victims, { server: "a", tool: forged.slice("a_".length) }], []);

  expect(names.byName.size).toBe(3);
  expect(names.byName.get(names.nameOf("a", "b_c") ?? "")).toEqual(victims[0]);
});
