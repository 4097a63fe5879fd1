import type { Block, BlockProblem, Blocks, QueryLanguage } from "./block.ts";
import { type Fence, fencesIn } from "./fences.ts";
import { argumentHoles, queryHoles } from "./fillHoles.ts";
import { distinctNames } from "./holes.ts";
import { readInfo } from "./infoString.ts";
import { readMcpCall } from "./mcpCall.ts";
import { isTimeHole } from "./timeHoles.ts";

const longestTitle = 80;

/**
 * The fenced blocks of a Markdown body that can be run: `promql`, `logql`, `traceql` and `mcp`, in order. Fences of other
 * languages are text. A block with a problem of its own is left out; one with an unknown option stays, and that is said.
 */
export function blocksOf(body: string): Blocks {
  const read = fencesIn(body).map(readBlock);
  return {
    blocks: read.flatMap(({ block }) => (block === undefined ? [] : [block])),
    problems: read.flatMap(({ problems }) => problems),
  };
}

interface ReadBlock {
  readonly block?: Block;
  readonly problems: readonly BlockProblem[];
}

function readBlock(fence: Fence): ReadBlock {
  const { language, line, indent, text, isClosed } = fence;
  if (!isQueryLanguage(language) && language !== "mcp") return { problems: [] };
  const fails = (message: string) => ({ problems: [{ line, column: indent + 1, message }] });
  if (!isClosed) return fails(`the ${language} block is never closed`);
  if (text.trim() === "") return fails(`the ${language} block is empty`);

  const { title, hints, problems } = readInfo(fence.options);
  const optionProblems = problems.map(({ at, message }) => ({ line, column: fence.optionsAt + at + 1, message }));
  if (isQueryLanguage(language)) {
    const shared = { title: title ?? titleFrom(fence.above, `${language} query`), line, indent, hints };
    const holes = distinctNames(queryHoles(text)).filter((name) => !isTimeHole(name));
    return { block: { kind: "query", language, text, ...shared, holes }, problems: optionProblems };
  }
  const call = readMcpCall(text);
  if (call.kind === "problem") {
    const { message } = call;
    return { problems: [...optionProblems, { line: line + call.line, column: indent + call.column, message }] };
  }
  const shared = { title: title ?? titleFrom(fence.above, call.tool), line, indent, hints };
  const holes = argumentHoles(call.arguments).filter((name) => !isTimeHole(name));
  const block: Block = { kind: "mcp", tool: call.tool, arguments: call.arguments, ...shared, holes };
  return { block, problems: optionProblems };
}

function isQueryLanguage(language: string): language is QueryLanguage {
  return language === "promql" || language === "logql" || language === "traceql";
}

/** A line of Markdown as a title: without its marks and its colon. */
function titleFrom(line: string, otherwise: string): string {
  const text = line
    .replace(/^[\s>]*(?:#{1,6}\s+|[-*+]\s+|\d+[.)]\s+)?/, "")
    .replaceAll(/\*{1,3}(\S(?:.*?\S)?)\*{1,3}|`([^`]+)`/g, "$1$2")
    .replace(/[\s:#]+$/, "");
  if (text === "") return otherwise;
  const characters = Array.from(text);
  return characters.length <= longestTitle
    ? text
    : `${characters
        .slice(0, longestTitle - 1)
        .join("")
        .trimEnd()}…`;
}
