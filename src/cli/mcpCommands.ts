import { rulesPolicy } from "../agent/policy.ts";
import { toolLimitsFor } from "../agent/toolLimits.ts";
import { toolSet } from "../agent/toolSet.ts";
import { connectServers, type Servers } from "../app/servers.ts";
import { isJsonObject, type JsonObject } from "../json/json.ts";
import { resultText } from "../result/toolResult.ts";
import { type CommandContext, type CommonOptions, commandConfig, commandLog, printJson } from "./commandContext.ts";
import { type ExitCode, exitCode, UsageError } from "./exitCode.ts";
import { noServers } from "./noServers.ts";
import { table } from "./table.ts";
import { duration, shortened, visible, visibleLines } from "./text.ts";

export async function mcpList(context: CommandContext, options: CommonOptions): Promise<ExitCode> {
  await using servers = await connected(context, options);
  const states = servers.registry.states();
  if (options.json) printJson(context, { servers: states });
  else {
    const rows = states.map(({ name, transport, state, tools, connectMs, info, reason }) => [
      name,
      transport,
      state,
      tools,
      duration(connectMs),
      reason ?? (info ? `${info.server}, MCP ${info.protocol}` : ""),
    ]);
    context.terminal.out(table(["name", "transport", "state", "tools", "time", ""], rows));
  }
  return answered(servers);
}

export async function mcpTools(
  context: CommandContext,
  server: string | undefined,
  options: CommonOptions,
): Promise<ExitCode> {
  await using servers = await connected(context, options);
  const { registry, config } = servers;
  if (server !== undefined) known(servers, server);
  const policy = rulesPolicy(config.policy);
  const offered = toolSet(registry.tools(), toolLimitsFor(config.model?.window));
  const tools = registry
    .tools()
    .filter((tool) => server === undefined || tool.server === server)
    .map(({ server, tool }) => {
      const readOnly = tool.annotations.readOnlyHint === true;
      const { decision, rule } = policy.decide({ server, tool: tool.name, readOnly });
      return { server, ...tool, offeredAs: offered.nameOf(server, tool.name) ?? "call_tool", decision, rule };
    });
  if (options.json) printJson(context, { tools });
  else {
    const rows = tools.map(({ server, name, decision, description }) => [
      server,
      name,
      decision,
      shortened(description, 70),
    ]);
    context.terminal.out(table(["server", "tool", "policy", "description"], rows));
    if (tools.some(({ decision }) => decision === "ask")) {
      context.terminal.out(
        "\n  ask: needs approval, which nobody can give in this version; --json says which rule asks for it\n",
      );
    }
  }
  return answered(servers);
}

export interface CallOptions extends CommonOptions {
  /** Consents to a tool that is not declared read-only. */
  readonly yes?: boolean;
}

export async function mcpCall(
  context: CommandContext,
  { server, tool, args }: { readonly server: string; readonly tool: string; readonly args: string | undefined },
  options: CallOptions,
): Promise<ExitCode> {
  const parsed = parseArguments(args);
  await using servers = await connected(context, options);
  const { registry } = servers;
  known(servers, server);
  const found = registry.tools().find((candidate) => candidate.server === server && candidate.tool.name === tool);
  if (!found) {
    const names = registry.tools().filter((candidate) => candidate.server === server);
    throw new UsageError(
      `${server} has no tool named ${tool}\nit has: ${names.map(({ tool }) => tool.name).join(", ") || "none"}`,
    );
  }
  const readOnly = found.tool.annotations.readOnlyHint === true;
  if (!readOnly && !options.yes)
    throw new UsageError(`${server} does not declare ${tool} read-only\n--yes calls it all the same`);

  const outcome = await registry.call(server, tool, parsed, { signal: context.signal, readOnly });
  if (options.json) printJson(context, outcome);
  else context.terminal.out(`${visibleLines(resultText(outcome.result))}\n`);
  if (outcome.outcome === "ok") return exitCode.done;
  if (!options.json)
    context.terminal.err(`  ${context.terminal.errColors.red(outcome.outcome)} after ${duration(outcome.ms)}\n`);
  return exitCode.input;
}

async function connected(context: CommandContext, options: CommonOptions): Promise<Servers> {
  const log = commandLog(context, options);
  const config = await commandConfig(context, options, log);
  if (config.mcp.servers.length === 0) throw new UsageError(noServers(config));
  const { clock, signal, groups, env: environment } = context;
  return await connectServers(config, { log, clock, signal, groups, environment });
}

function answered({ registry }: Servers): ExitCode {
  return registry.connected().length > 0 ? exitCode.done : exitCode.noAnswer;
}

function known({ registry }: Servers, server: string): void {
  const state = registry.states().find(({ name }) => name === server);
  if (!state) {
    const names = registry.states().map(({ name }) => name);
    throw new UsageError(`no server named ${visible(server)} is configured\nthere are: ${names.join(", ")}`);
  }
  if (state.state === "failed")
    throw new UsageError(`${server} is not connected: ${state.reason ?? "no reason given"}`);
}

function parseArguments(text: string | undefined): JsonObject {
  if (text === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(
      `the arguments are not JSON: ${(error as Error).message}\nwrite an object, as '{"query": "up"}'`,
    );
  }
  if (!isJsonObject(value)) throw new UsageError(`the arguments must be a JSON object, as '{"query": "up"}'`);
  return value;
}
