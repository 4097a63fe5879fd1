import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startProcess } from "../../test/kit/startProcess.ts";
import { tempDir } from "../../test/kit/tempDir.ts";
import { thirdParty } from "../../test/kit/thirdParty.ts";

const client = fileURLToPath(new URL("../../test/mcp/conformanceClient.ts", import.meta.url));

test.each(["initialize", "tools_call", "sse-retry", "elicitation-sep1034-client-defaults"])(
  "the client passes the scenario %s of the MCP conformance suite",
  async (scenario) => {
    const { command, args } = thirdParty.conformance;
    await using dir = await tempDir();
    await using suite = startProcess(
      command,
      [...args, "client", "--command", `${process.execPath} ${client}`, "--scenario", scenario],
      { cwd: dir.path },
    );

    const code = await suite.exited;

    expect(suite.output()).toMatch(/Passed: (\d+)\/\1, 0 failed, 0 warnings/);
    expect(code).toBe(0);
  },
);
