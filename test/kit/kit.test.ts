import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "./eventually.ts";
import { needs } from "./needs.ts";
import { startAlertmanager } from "./startAlertmanager.ts";
import { startAutotel } from "./startAutotel.ts";
import { startProcess } from "./startProcess.ts";
import { startPrometheus } from "./startPrometheus.ts";

test(
  "a real Prometheus scrapes an Alertmanager and is gone after dispose",
  needs("prometheus", "alertmanager"),
  async () => {
    let url: string;
    {
      await using alertmanager = await startAlertmanager();
      const address = new URL(alertmanager.url).host;
      await using prometheus = await startPrometheus({
        targets: [{ address, labels: { service: "alerts" } }],
        alertmanager: address,
      });
      url = prometheus.url;

      await eventually("the target is up", async () => {
        const answer = await fetch(`${url}/api/v1/query?query=up`).then((response) => response.text());
        return /"service":"alerts".*"1"/.test(answer);
      });
    }

    await expect(fetch(`${url}/-/ready`)).rejects.toThrow("fetch failed");
  },
);

test("autotel-mcp takes a trace over OTLP", async () => {
  await using autotel = await startAutotel();

  const answer = await fetch(`${autotel.otlpUrl}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ resourceSpans: [] }),
  });

  expect(answer.status).toBe(200);
});

test("a grandchild that ignores SIGTERM dies with its group", async () => {
  const grandchild = "process.on('SIGTERM', () => {}); console.log('pid', process.pid); setInterval(() => {}, 1000)";
  const code = `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(grandchild)}], { stdio: "inherit" })`;
  let pid: number;
  {
    await using child = startProcess(process.execPath, ["-e", code]);
    pid = Number((await child.until(/pid (\d+)/))[1]);
    expect(process.kill(pid, 0)).toBe(true);
  }

  await eventually("the grandchild is gone", () => !isRunning(pid));
});

test("a program that does not exist, or ends too early, is an error that shows its output", async () => {
  await using missing = startProcess("no-such-program", []);
  await using early = startProcess(process.execPath, ["-e", "console.error('no config'); process.exit(3)"]);

  await expect(missing.until(/ready/)).rejects.toThrow("ENOENT");
  await expect(early.until(/ready/)).rejects.toThrow(/ended with 3\nno config/);
});

test("when the test runner is killed, its processes go too", async () => {
  const child = "console.log('pid', process.pid); setInterval(() => {}, 1000)";
  const runner = `
    import { startProcess } from ${JSON.stringify(join(import.meta.dirname, "startProcess.ts"))};
    const child = startProcess(process.execPath, ["-e", ${JSON.stringify(child)}]);
    console.log(...(await child.until(/pid \\d+/)));
    await child.exited;
  `;
  await using killed = startProcess(process.execPath, ["--input-type=module", "-e", runner]);
  const pid = Number((await killed.until(/pid (\d+)/))[1]);

  process.kill(killed.pid, "SIGKILL");

  await eventually("the child is gone", () => !isRunning(pid));
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // ESRCH: it is gone.
  }
}
