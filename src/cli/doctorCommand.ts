import { rulesPolicy } from "../agent/policy.ts";
import { systemPrompt } from "../agent/systemPrompt.ts";
import { connectServers, type Servers } from "../app/servers.ts";
import { version } from "../app/version.ts";
import type { Config, ServerConfig } from "../config/config.ts";
import { memoryLog } from "../log/log.ts";
import { createModel } from "../model/createModel.ts";
import { estimateTokens } from "../model/estimateTokens.ts";
import { RecordingError } from "../recording/recordingFile.ts";
import type { DroppedSkill } from "../report/report.ts";
import { droppedSkills } from "../session/facts.ts";
import { load } from "../skill/catalog.ts";
import { type CommandContext, type CommonOptions, commandConfig, printJson } from "./commandContext.ts";
import type { Check } from "./doctorCheck.ts";
import { type ExitCode, exitCode } from "./exitCode.ts";
import { listenChecks, storeChecks, workspaceChecks } from "./sessionChecks.ts";
import { shownPath } from "./shownPath.ts";
import { room } from "./terminal.ts";
import { duration, grouped, visibleLines, wrap } from "./text.ts";

/** Goes through everything that can be wrong, in the order in which it would bite, and ends with one sentence. */
export async function doctor(context: CommandContext, options: CommonOptions): Promise<ExitCode> {
  const checks: Check[] = [];
  const look = (found: readonly Check[]) => {
    checks.push(...found);
    if (!options.json) for (const check of found) context.terminal.out(renderCheck(check, context));
  };

  look([{ about: "korvus", state: "good", message: `${version} on Node.js ${process.versions.node}` }]);
  let config: Config | undefined;
  try {
    config = await commandConfig(context, options, memoryLog());
    look(configChecks(config, context));
  } catch (error) {
    look([
      {
        about: "config",
        state: "bad",
        message: (error as Error).message,
        remedy: "correct the places named above",
        code: exitCode.input,
      },
    ]);
  }
  if (config) {
    look(listenChecks(config));
    look(await storeChecks(config, context));
    look(await modelChecks(config));
    look(await workspaceChecks(config, context));
    await checkServers(config, context, look);
  }

  const bad = checks.filter(({ state }) => state === "bad");
  const sentence = verdict(checks);
  if (options.json) {
    const shown = checks.map(({ about, state, message, remedy }) => ({ about, state, message, remedy }));
    printJson(context, { checks: shown, verdict: sentence });
  } else context.terminal.out(`\n  ${wrap(sentence, room(context.terminal), "  ")}\n`);
  return bad.map(({ code }) => code ?? exitCode.input).sort((a, b) => a - b)[0] ?? exitCode.done;
}

/** Servers, and the skills that they let through. */
async function checkServers(
  config: Config,
  context: CommandContext,
  look: (found: readonly Check[]) => void,
): Promise<void> {
  const { clock, signal, groups, env: environment } = context;
  try {
    await using servers = await connectServers(config, { log: memoryLog(), clock, signal, groups, environment });
    look(serverChecks(servers));
    look(await skillChecks(config, servers, context));
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    const remedy = "correct the path, or record the incident again";
    look([{ about: "recording", state: "bad", message: error.message, remedy, code: exitCode.input }]);
  }
}

function verdict(checks: readonly Check[]): string {
  const subject = ({ about, remedy, message }: Check) => `${about}: ${remedy ?? message}`;
  const bad = checks.filter(({ state }) => state === "bad");
  const stopper = bad.find(({ stops = true }) => stops);
  if (stopper) return `Korvus cannot investigate yet. First ${subject(stopper)}.`;
  const first = bad[0] ?? checks.find(({ state }) => state === "warning");
  return first
    ? `Korvus can investigate. To get more out of it, ${subject(first)}.`
    : "Everything is in order: korvus investigate will work.";
}

function configChecks({ file, warnings, mcp }: Config, { cwd }: CommandContext): readonly Check[] {
  const found: Check =
    file === undefined
      ? {
          about: "config",
          state: "bad",
          message: "no korvus.yaml here or above",
          remedy: "run korvus init, which writes one",
          code: exitCode.input,
        }
      : { about: "config", state: "good", message: `${shownPath(file, cwd)} is valid` };
  const none: readonly Check[] =
    file !== undefined && mcp.servers.length === 0
      ? [
          {
            about: "servers",
            state: "bad",
            message: "none is configured",
            remedy: "name at least one under mcp.servers",
            code: exitCode.input,
          },
        ]
      : [];
  return [found, ...warnings.map((message): Check => ({ about: "config", state: "warning", message })), ...none];
}

async function modelChecks(config: Config): Promise<readonly Check[]> {
  if (!config.model)
    return [{ about: "model", state: "good", message: "runbook, which follows the skills' queries and needs no key" }];
  try {
    const { id, window } = await createModel(config.model);
    return [
      {
        about: "model",
        state: "good",
        message: `${id}, window ${grouped(window)} tokens (not asked: that would cost)`,
      },
    ];
  } catch (error) {
    return [
      {
        about: "model",
        state: "bad",
        message: (error as Error).message,
        remedy: "set the key or the address",
        code: exitCode.input,
      },
    ];
  }
}

/** What to do about a server that is not connected. */
function serverRemedy(transport: ServerConfig["kind"], reason: string): string {
  if (transport === "http") return "see that it runs and that the address is right";
  if (transport === "recording") return "name a server that the recording holds, with from";
  if (reason.startsWith("command not found")) return "install it, or write its whole path as the command";
  const byHand = "start its command by hand and read what it says";
  return / within \d+ s$/.test(reason)
    ? `${byHand}; if it is only slow, as npx is the first time, raise mcp.connect_timeout`
    : byHand;
}

function serverChecks({ registry, config }: Servers): readonly Check[] {
  const policy = rulesPolicy(config.policy);
  const someAnswer = registry.connected().length > 0;
  return registry.states().map(({ name, state, reason, tools, connectMs, transport, info }): Check => {
    if (state !== "connected") {
      const why = reason ?? state;
      const found = { about: name, message: `not connected: ${why}`, remedy: serverRemedy(transport, why) };
      // A run goes on with the others, and says so.
      return { ...found, state: "bad", code: exitCode.noAnswer, stops: !someAnswer };
    }
    const runnable = registry
      .tools()
      .filter(
        ({ server, tool }) =>
          server === name &&
          policy.decide({ server, tool: tool.name, readOnly: tool.annotations.readOnlyHint === true }).decision ===
            "allow",
      );
    const message = `${info?.server ?? ""}, ${tools} tools, ${runnable.length} run unasked (${duration(connectMs)})`;
    if (runnable.length > 0) return { about: name, state: "good", message };
    const remedy =
      tools === 0
        ? "it offers no tools: see what its configuration leaves out"
        : `allow the ones that only read, as policy: { allow: ["${name}.TOOL"] }`;
    return { about: name, state: "warning", message, remedy };
  });
}

async function skillChecks(config: Config, servers: Servers, { cwd }: CommandContext): Promise<readonly Check[]> {
  const path = shownPath(config.skills.path, cwd);
  try {
    const catalog = await load(config.skills.path, servers.registry.connected(), memoryLog());
    const dropped = droppedSkills(catalog, servers.registry);
    const tokens = grouped(estimateTokens(systemPrompt(catalog)));
    const loaded: Check =
      catalog.skills.length + dropped.length === 0
        ? {
            about: "skills",
            state: "warning",
            message: `none in ${path}`,
            remedy: `write what your team knows into ${path}/NAME.md`,
          }
        : {
            about: "skills",
            state: "good",
            message: `${catalog.skills.length} loaded from ${path}, prompt ${tokens} tokens`,
          };
    return [loaded, ...droppedChecks(dropped, config)];
  } catch (error) {
    return [
      {
        about: "skills",
        state: "bad",
        message: (error as Error).message,
        remedy: "correct the files named above",
        code: exitCode.input,
      },
    ];
  }
}

/** One line for all whose server nobody configured, as with the shipped skills; one each for the others. */
function droppedChecks(dropped: readonly DroppedSkill[], { mcp }: Config): readonly Check[] {
  const configured = new Set(mcp.servers.map(({ name }) => name));
  const [lost, unused] = [true, false].map((has) => dropped.filter((skill) => configured.has(skill.mcpServer) === has));
  const checks = (lost ?? []).map(
    ({ name, reason }): Check => ({ about: "skills", state: "warning", message: `${name} is dropped: ${reason}` }),
  );
  if (!unused?.length) return checks;
  const names = unused.map(({ name, mcpServer }) => `${name} (${mcpServer})`).join(", ");
  const message = `${unused.length} dropped, for their servers are not configured: ${names}`;
  const remedy = "configure these servers, or delete the skills that you have no use for";
  return [...checks, { about: "skills", state: "warning", message, remedy }];
}

function renderCheck({ about, state, message, remedy }: Check, { terminal }: CommandContext): string {
  const { outColors: colors } = terminal;
  const mark = { good: colors.green("✓"), warning: colors.yellow("!"), bad: colors.red("✗") }[state];
  const indent = " ".repeat(19);
  const lines = [`  ${mark} ${about.padEnd(14)} ${wrap(visibleLines(message), room(terminal), indent)}`];
  if (remedy !== undefined) lines.push(indent + colors.dim(wrap(`→ ${remedy}`, room(terminal), `${indent}  `)));
  return `${lines.join("\n")}\n`;
}
