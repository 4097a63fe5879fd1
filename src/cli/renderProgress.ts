import type { CallFinished, Ephemeral, RunEvent } from "../agent/events.ts";
import type { Progress } from "../app/investigate.ts";
import { createSpinner } from "./spinner.ts";
import { type Colors, room, type Terminal } from "./terminal.ts";
import { argumentsText, duration, grouped, shortened, visible, wrap } from "./text.ts";

/** Shows what an investigation does while it does it: a line an event, and on a terminal the running work below. */
export interface ProgressView extends Disposable {
  show(event: RunEvent | Ephemeral | Progress): void;
  /** Says what is under way before there are events. */
  working(label: string): void;
  /** A line of its own among the events. */
  print(text: string): void;
  /** Takes the running line away. */
  done(): void;
}

/** Writes to the terminal's `err`, so that the answer alone goes to a pipe. */
export function progressView(terminal: Terminal): ProgressView {
  const { errColors: colors, width } = terminal;
  const spinner = createSpinner(terminal);
  const titles = new Map<number, string>();
  const line = (text: string) => spinner.print(`  ${text}\n`);
  /** What may be longer than a line, below its label. */
  const sentence = (label: string, text: string) => label.padEnd(9) + wrap(text, room(terminal), " ".repeat(11));

  return {
    show(event) {
      switch (event.type) {
        case "server": {
          spinner.stop();
          const time = duration(event.connectMs);
          if (event.connected)
            line(
              `server   ${visible(event.name)} ${colors.green("✓")} ${colors.dim(`${event.tools} ${event.tools === 1 ? "tool" : "tools"}  ${time}`)}`,
            );
          else
            line(
              sentence("server", `${visible(event.name)} ${colors.red("✗")} ${visible(event.reason ?? "")} ${time}`),
            );
          return;
        }
        case "session.created": {
          const { workspace, leftOut } = event.inputs;
          line(`session  ${event.session.slice(0, 12)}`);
          if (workspace) line(`workspace ${pinnedTo(workspace)}`);
          for (const { path, reason } of leftOut) {
            line(sentence("", `${colors.yellow(`left out ${visible(path)}`)}: ${visible(reason)}`));
          }
          return;
        }
        case "skills": {
          if (event.noSkills !== undefined)
            return line(colors.yellow(sentence("skills", `none: ${visible(event.noSkills)}`)));
          line(
            `skills   ${event.loaded} loaded ${colors.dim(`(prompt ${grouped(event.promptTokens)} tokens, catalog ${event.digest.slice(0, 8)})`)}`,
          );
          if (event.large)
            line(
              colors.yellow("         the prompt takes a large share of the model's window: shorten or split skills"),
            );
          for (const { name, reason } of event.dropped)
            line(sentence("", `${colors.yellow(`dropped ${visible(name)}`)}: ${visible(reason)}`));
          return;
        }
        case "run.started": {
          const { from, to, baselineFrom } = event.window;
          line(`window   ${utc(from)} to ${utc(to)} UTC`);
          line(`         baseline from ${utc(baselineFrom)}`);
          return line(`model    ${visible(event.model.id)}`);
        }
        case "step.started":
          return spinner.start(`step ${event.step}: the model is thinking`);
        case "delta":
          return;
        case "step.answered": {
          spinner.stop();
          const said = event.parts
            .flatMap((part) => (part.type === "text" ? [part.text] : []))
            .join(" ")
            .trim();
          if (said !== "") line(colors.dim(`     ${shortened(visible(said), width - 8)}`));
          return;
        }
        case "call.decided": {
          const { target, name, number, arguments: args } = event;
          const isReport = target.kind === "built-in" && target.tool === "report";
          const title = target.kind === "server" ? `${target.server}  ${target.tool}` : name;
          const shown = shortened(visible(`${title}  ${argumentsText(args)}`), Math.max(30, width - 32));
          titles.set(number, isReport ? "report" : shown);
          return;
        }
        case "call.started":
          return spinner.start(`${numbered(event.number)}  ${titles.get(event.number) ?? ""}`);
        case "call.finished": {
          // The report itself follows: that it was handed in is no news.
          const { number, outcome, reason = event.message } = event;
          if (titles.get(number) !== "report" || outcome !== "ok")
            line(callLine(event, titles.get(number) ?? "", colors));
          if (reason !== undefined && outcome !== "ok")
            line(`     ${colors.dim(shortened(visible(reason), width - 8))}`);
          return;
        }
        case "notice":
          return line(colors.yellow(sentence("note", visible(event.message))));
        case "results.evicted":
          return line(
            colors.dim(
              `note     results of calls ${event.calls.join(", ")} are no longer shown to the model, to save room`,
            ),
          );
        case "message.user":
        case "report":
          return;
        case "run.ended":
          return spinner.stop();
      }
    },
    working: (label) => spinner.start(label),
    print: (text) => spinner.print(text),
    done: () => spinner.stop(),
    [Symbol.dispose]: () => spinner.stop(),
  };
}

function callLine({ number, outcome, size, duration: took }: CallFinished, title: string, colors: Colors): string {
  const mark = outcome === "ok" ? "" : (outcome === "empty" ? colors.yellow : colors.red)(` ${outcome}`);
  const amount = outcome === "ok" ? ` ${grouped(size)} characters` : "";
  return `${numbered(number)}  ${title}${mark}${colors.dim(`${amount}  ${duration(took)}`)}`;
}

/** `payments 8d1c22e (v42)` */
export function pinnedTo({ name, ref, commit }: { name: string; ref: string; commit: string }): string {
  return `${visible(name)} ${commit.slice(0, 7)} (${visible(ref)})`;
}

function numbered(number: number): string {
  return String(number).padStart(3);
}

/** `2026-11-30 14:02:10` */
function utc(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace("T", " ");
}
