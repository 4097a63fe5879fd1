import type { RunSummary } from "../agent/runSummary.ts";
import type { Finding, Report, ServerCoverage, Verdict } from "../report/report.ts";
import { citationMarks, evidenceLines } from "./renderEvidence.ts";
import { renderMarkdown } from "./renderMarkdown.ts";
import { pinnedTo } from "./renderProgress.ts";
import type { Colors, Terminal } from "./terminal.ts";
import { duration, grouped, visible, wrap } from "./text.ts";

type View = Pick<Terminal, "width" | "outColors">;

/** A report as a terminal shows it: the answer first, then what proves it, then what was not looked at. */
export function renderReport(report: Report, run: RunSummary, { width, outColors: colors }: View): string {
  const room = Math.min(width, 120) - 4;
  const sections = [
    headline(report, run, { room, colors }),
    renderMarkdown(report.summary, { width: room, colors }),
    numbered(report.findings, { room, colors }),
    section("Evidence", evidenceLines(report, run, room), colors),
    section("Not looked at", report.coverage.servers.flatMap(notLookedAt), colors),
    section("Known only in part", report.limits, colors),
    section("No skills", report.coverage.noSkills === undefined ? [] : [report.coverage.noSkills], colors),
    section(
      "Skills not loaded",
      report.coverage.skillsDropped.map(({ name, reason }) => `${name}: ${reason}`),
      colors,
    ),
    section(
      "Files left out",
      (report.coverage.leftOut ?? []).map(({ path, reason }) => `${path}: ${reason}`),
      colors,
    ),
    section(
      "Budgets hit",
      report.coverage.budgets.map(({ message }) => message),
      colors,
    ),
    section("Note", notes(report, run), colors),
    section("Next", report.nextSteps, colors),
    footer(report, run, { room, colors }),
  ];
  return `\n${sections
    .filter((text) => text !== "")
    .map((text) => text.replace(/^(?=.)/gm, "  "))
    .join("\n\n")}\n\n`;

  function section(title: string, lines: readonly string[], { bold }: Colors): string {
    if (lines.length === 0) return "";
    const shown = lines.map((line) => `  ${wrap(visible(line), room - 2, "  ")}`);
    return [bold(title), ...shown].join("\n");
  }
}

const verdictColor = { confirmed: "green", likely: "yellow", inconclusive: "magenta" } as const satisfies Record<
  Verdict,
  keyof Colors
>;

function headline(report: Report, run: RunSummary, { room, colors }: { room: number; colors: Colors }): string {
  const made = run.calls.filter(({ server }) => server !== undefined).length;
  const cost = run.cost === undefined ? "" : `, $${run.cost.toFixed(2)}`;
  const facts = `${duration(run.duration)}, ${made} ${made === 1 ? "call" : "calls"}${cost}`;
  const verdict = report.verdict.toUpperCase();
  const lowered = report.claimedVerdict === report.verdict ? [] : [`(the model said ${report.claimedVerdict})`];
  const shown = colors.bold(colors[verdictColor[report.verdict]](verdict));
  const left = [verdict, ...lowered].join("  ").length;
  if (left + 2 + facts.length > room) return [shown, ...lowered, colors.dim(facts)].join("\n");
  return [shown, ...lowered].join("  ") + " ".repeat(room - left - facts.length) + colors.dim(facts);
}

function numbered(findings: readonly Finding[], { room, colors }: { room: number; colors: Colors }): string {
  return findings
    .map(({ statement, evidence, status, problems }, index) => {
      const mark = `${index + 1}`.padStart(2);
      const cited = citationMarks(evidence.map(({ call }) => call));
      const text = `${mark}  ${wrap(`${visible(statement)} ${cited}`.trimEnd(), room - 4, "    ")}`;
      return status === "supported"
        ? text
        : `${text}\n    ${colors.yellow(wrap(visible(`unsupported: ${problems.join("; ")}`), room - 4, "    "))}`;
    })
    .join("\n");
}

/** Three and more retries of the model are one line: they say the same. */
function notes({ coverage }: Report, { notices }: RunSummary): readonly string[] {
  const retries = notices.filter(({ kind }) => kind === "model-retry").map(({ message }) => message);
  const last = retries.at(-1);
  if (last === undefined || retries.length < 3) return coverage.notices;
  const others = coverage.notices.filter((notice) => !retries.includes(notice));
  return [`${last}, the last of ${retries.length} retries`, ...others];
}

const inWords: Readonly<Record<string, string>> = {
  error: "failed",
  denied: "denied",
  timeout: "timed out",
  unknown: "broke off",
};

function notLookedAt({ server, state, reason, calls }: ServerCoverage): readonly string[] {
  const made = Object.values(calls).reduce((sum, count) => sum + count, 0);
  const failures = Object.entries(calls).filter(([outcome]) => outcome !== "ok" && outcome !== "empty");
  const detail = failures.map(([outcome, count]) => `${count} ${inWords[outcome] ?? outcome}`).join(", ");
  if (state === "answered")
    return detail === "" ? [] : [`${server}: answered, but not all of ${made} calls (${detail})`];
  const why = reason ?? (state === "empty" ? "every call returned nothing" : detail);
  return [`${server}: ${state}${why ? ` (${why})` : ""}`];
}

function footer(
  { skillsUsed, catalog, workspace }: Report,
  { prompt, model, window }: RunSummary,
  { room, colors }: { room: number; colors: Colors },
): string {
  const used = skillsUsed.length > 0 ? skillsUsed.map(visible).join(", ") : "none";
  const size = grouped(prompt.tokens);
  return [
    wrap(`Skills used   ${used}`, room, "  "),
    ...(workspace ? [colors.dim(wrap(`workspace ${pinnedTo(workspace)}`, room))] : []),
    colors.dim(wrap(`catalog ${catalog.digest.slice(0, 8)}, prompt ${size} tokens, model ${visible(model.id)}`, room)),
    colors.dim(wrap(`window ${window.from} to ${window.to}`, room)),
  ].join("\n");
}
