import { join } from "node:path";
import { expect, test } from "vitest";
import { presetFor } from "../../src/preset/presets.ts";
import { needs } from "../kit/needs.ts";
import { tempDir } from "../kit/tempDir.ts";
import { thirdParty } from "../kit/thirdParty.ts";
import { stdio, withRegistry } from "../mcp/withRegistry.ts";
import { shippedBlocks } from "./shipped.ts";

/** Names a cluster that does not answer: the server lists its tools all the same. */
const kubeconfig = JSON.stringify({
  apiVersion: "v1",
  kind: "Config",
  clusters: [{ name: "none", cluster: { server: "http://127.0.0.1:9" } }],
  users: [{ name: "nobody", user: {} }],
  contexts: [{ name: "none", context: { cluster: "none", user: "nobody" } }],
  "current-context": "none",
});

test("kubernetes-mcp-server is known, and takes what the shipped skill asks", needs("go-servers"), async () => {
  await using dir = await tempDir({ config: kubeconfig });
  const { command } = thirdParty.kubernetesGo;
  const args = ["--read-only", "--list-output", "yaml", "--kubeconfig", join(dir.path, "config")];
  await using connected = await withRegistry([stdio("kubernetes", { command, args }, { env: { HOME: dir.path } })]);
  const tools = new Map(connected.registry.tools().map(({ tool }) => [tool.name, tool]));

  const preset = presetFor([...tools.keys()]);

  expect(preset?.id).toBe("kubernetes-mcp-server");
  expect([...tools.keys()]).toEqual(expect.arrayContaining([...(preset?.readOnly ?? [])]));
  for (const block of await shippedBlocks("kubernetes")) {
    if (block.kind !== "mcp") throw new Error(`${block.title} is a query`);
    const properties = tools.get(block.tool)?.inputSchema["properties"] as Record<string, { pattern?: string }>;
    for (const [name, value] of Object.entries(block.arguments)) {
      expect(Object.keys(properties)).toContain(name);
      expect(typeof value === "string" ? value : JSON.stringify(value)).toMatch(
        new RegExp(properties[name]?.pattern ?? ""),
      );
    }
  }
});
