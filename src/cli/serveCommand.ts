import { startService } from "../app/service.ts";
import { parseListenAddress } from "../config/serverAddress.ts";
import { type CommandContext, type CommonOptions, commandConfig, commandLog } from "./commandContext.ts";
import { type ExitCode, exitCode, UsageError } from "./exitCode.ts";
import { noServers } from "./noServers.ts";
import { visible } from "./text.ts";

export interface ServeOptions extends CommonOptions {
  readonly listen?: string;
  readonly skills?: string;
}

/** How long sessions under way get to end after the first signal, ms: less than what service managers allow. */
const patience = 20_000;

/** `korvus serve` and `korvus worker`: runs until it is told to stop; then lets go of its sessions, and ends with 0. */
export async function serve(
  context: CommandContext,
  options: ServeOptions,
  { api }: { api: boolean },
): Promise<ExitCode> {
  const { terminal, clock, signal, groups, env: environment } = context;
  const log = commandLog(context, options);
  const config = withListen(await commandConfig(context, options, log), options);
  if (config.mcp.servers.length === 0) throw new UsageError(noServers(config));
  await using service = await startService(config, { log, clock, signal, groups, environment, api });
  const { grounds } = service;
  for (const { name, state, reason, tools } of grounds.registry.states()) {
    const connected = state === "connected";
    const mark = connected ? terminal.errColors.green("✓") : terminal.errColors.red("✗");
    terminal.err(`  server   ${visible(name)} ${mark} ${connected ? `${tools} tools` : visible(reason ?? state)}\n`);
  }
  const { skills, dropped, digest } = grounds.catalog;
  const gone = dropped.length === 0 ? "" : `, ${dropped.length} dropped`;
  terminal.err(`  skills   ${skills.length} loaded${gone}, catalog ${digest.slice(0, 8)}\n`);
  terminal.err(`  store    ${grounds.store.kind}, up to ${config.limits.sessions} sessions at once\n`);
  if (service.api) {
    const open = config.server.tokens.length === 0 ? " (no token: this machine only)" : "";
    terminal.err(`  listening on ${service.api.url}${open}\n`);
  } else terminal.err(`  worker   ${grounds.owner} takes sessions\n`);

  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  const { running } = service.worker;
  terminal.err(
    `  stopping ${running === 0 ? "" : `once ${running} sessions have ended, at most ${patience / 1000}s`}\n`,
  );
  await service.drain(patience);
  return exitCode.done;
}

function withListen<C extends { readonly server: object }>(config: C, { listen }: ServeOptions): C {
  if (listen === undefined) return config;
  const address = parseListenAddress(listen);
  if (!address) throw new UsageError(`--listen ${listen} is no HOST:PORT, as 127.0.0.1:7700 or [::1]:7700`);
  return { ...config, server: { ...config.server, ...address } };
}
