import { join } from "node:path";
import { findProgram } from "./findProgram.ts";
import { startProcess } from "./startProcess.ts";
import type { RunningServer } from "./startPrometheus.ts";
import { tempDir } from "./tempDir.ts";

export interface AlertmanagerOptions {
  /** Where notifications are posted (webhook, v4 payload). Default: nowhere. */
  readonly webhook?: string;
  /** Labels that make a group. Default `["alertname"]`. */
  readonly groupBy?: readonly string[];
  /** Default 0: a free one. */
  readonly port?: number;
}

/** A real Alertmanager on loopback, without clustering, that groups for one second. */
export async function startAlertmanager(options: AlertmanagerOptions = {}): Promise<RunningServer> {
  await using stack = new AsyncDisposableStack();
  const config = {
    route: {
      receiver: "test",
      group_by: options.groupBy ?? ["alertname"],
      group_wait: "1s",
      group_interval: "1s",
      repeat_interval: "1h",
    },
    receivers: [
      {
        name: "test",
        ...(options.webhook && { webhook_configs: [{ url: options.webhook, send_resolved: true }] }),
      },
    ],
  };
  const dir = stack.use(await tempDir({ "alertmanager.yml": JSON.stringify(config) }));
  const server = stack.use(
    startProcess(
      findProgram("prometheus-alertmanager", "alertmanager") ?? "prometheus-alertmanager",
      [
        `--config.file=${join(dir.path, "alertmanager.yml")}`,
        `--storage.path=${join(dir.path, "data")}`,
        `--web.listen-address=127.0.0.1:${options.port ?? 0}`,
        "--cluster.listen-address=",
      ],
      { cwd: dir.path },
    ),
  );

  const [, port] = await server.until(/"Listening on" address=127\.0\.0\.1:(\d+)/);

  const owned = stack.move();
  return {
    url: `http://127.0.0.1:${port}`,
    port: Number(port),
    pid: server.pid,
    output: server.output,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
