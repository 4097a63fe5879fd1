import { systemClock } from "../../src/clock/clock.ts";
import { memoryLog } from "../../src/log/log.ts";
import { connectServer } from "../../src/mcp/connectServer.ts";
import { ProcessGroups } from "../../src/mcp/processGroups.ts";
import { Registry } from "../../src/mcp/registry.ts";
import { redactor } from "../../src/redact/redact.ts";

/**
 * The client that the conformance suite runs: our own registry, which calls every tool that the server lists. In one
 * thing it differs from the product: asked for input, it accepts with the form's defaults, where Korvus declines. The
 * scenario tests that defaults are applied, and accepting is the only way to show it.
 */
const url = process.argv.at(-1) ?? "";
const signal = new AbortController().signal;
await using registry = new Registry({
  servers: [{ kind: "http", name: "conformance", url, headers: {}, denyTools: [] }],
  connect: connectServer({
    version: "0.0.0",
    elicit: async () => ({ action: "accept", content: {} }),
    groups: new ProcessGroups(),
    environment: {},
    recording: () => Promise.reject(new Error("not in this test")),
  }),
  log: memoryLog(),
  clock: systemClock,
  redact: redactor([]),
  connectTimeout: 10_000,
  callTimeout: 10_000,
});

await registry.start(signal);
for (const { server, tool } of registry.tools()) {
  const args = tool.name === "add_numbers" ? { a: 5, b: 3 } : {};
  const { outcome, result } = await registry.call(server, tool.name, args, { signal, readOnly: true });
  console.log(tool.name, outcome, JSON.stringify(result));
}
if (registry.connected().length === 0) {
  console.error(registry.states());
  process.exitCode = 1;
}
