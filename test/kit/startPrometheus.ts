import { join } from "node:path";
import { findProgram } from "./findProgram.ts";
import { startProcess } from "./startProcess.ts";
import { tempDir } from "./tempDir.ts";

export interface PrometheusOptions {
  /** Host and port of each scraped target, with the labels its series get. */
  readonly targets?: readonly { readonly address: string; readonly labels?: Readonly<Record<string, string>> }[];
  /** `host:port` of an Alertmanager. */
  readonly alertmanager?: string;
  /** Rule groups as Prometheus reads them (JSON is YAML). */
  readonly rules?: { readonly groups: readonly unknown[] };
  /** Default 0: a free one. */
  readonly port?: number;
  /** Scrape and evaluation interval. Default `1s`. */
  readonly interval?: string;
}

export interface RunningServer extends AsyncDisposable {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly output: () => string;
}

/** A real Prometheus on loopback, data in a directory of its own, answering queries when this resolves. */
export async function startPrometheus(options: PrometheusOptions = {}): Promise<RunningServer> {
  await using stack = new AsyncDisposableStack();
  const interval = options.interval ?? "1s";
  const config = {
    global: { scrape_interval: interval, scrape_timeout: interval, evaluation_interval: interval },
    rule_files: ["rules.yml"],
    ...(options.alertmanager && {
      alerting: { alertmanagers: [{ static_configs: [{ targets: [options.alertmanager] }] }] },
    }),
    scrape_configs: [
      {
        job_name: "services",
        static_configs: (options.targets ?? []).map(({ address, labels = {} }) => ({ targets: [address], labels })),
      },
    ],
  };
  const dir = stack.use(
    await tempDir({
      "prometheus.yml": JSON.stringify(config),
      "rules.yml": JSON.stringify(options.rules ?? { groups: [] }),
    }),
  );
  const server = stack.use(
    startProcess(
      findProgram("prometheus") ?? "prometheus",
      [
        `--config.file=${join(dir.path, "prometheus.yml")}`,
        `--storage.tsdb.path=${join(dir.path, "data")}`,
        `--web.listen-address=127.0.0.1:${options.port ?? 0}`,
      ],
      { cwd: dir.path },
    ),
  );

  const [, port] = await server.until(/"Listening on" address=127\.0\.0\.1:(\d+)/);
  await server.until(/Server is ready to receive web requests/);

  const owned = stack.move();
  return {
    url: `http://127.0.0.1:${port}`,
    port: Number(port),
    pid: server.pid,
    output: server.output,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
