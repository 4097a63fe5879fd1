/** One fenced code block of a Markdown text. */
export interface Fence {
  /** First word of the info string, in lower case; "" where there is none. */
  readonly language: string;
  /** The rest of the info string, as it stands in its line from `optionsAt` on. */
  readonly options: string;
  /** Zero-based column of `options` in the line. */
  readonly optionsAt: number;
  /** Line of the opening fence, from 1. */
  readonly line: number;
  /** Columns before the opening fence, which every line of the block loses as far as it has them. */
  readonly indent: number;
  /** The content, its lines joined by "\n". */
  readonly text: string;
  /** False for a block that the end of the text cut off. */
  readonly isClosed: boolean;
  /** The last line of text above, outside of all fences and not blank; "" where there is none. */
  readonly above: string;
}

const opening = /^([ \t]*)(`{3,}|~{3,})[ \t]*(\S*)(.*)$/;

/**
 * All fenced code blocks of a Markdown text, in order: of backticks or tildes, of any length from three, indented at
 * will as in lists. A fence ends at the next line of at least as many of the same characters and nothing else.
 */
export function fencesIn(body: string): readonly Fence[] {
  const lines = body.split(/\r\n|\r|\n/);
  const fences: Fence[] = [];
  let above = "";
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] as string;
    const [, space = "", mark = "", language = "", options = ""] = opening.exec(line) ?? [];
    // An info string with a backtick is code within a line of text.
    if (mark === "" || (mark.startsWith("`") && (language + options).includes("`"))) {
      if (line.trim() !== "") above = line;
      continue;
    }
    const end = lines.findIndex((candidate, at) => at > index && isClosing(candidate, mark));
    const content = lines.slice(index + 1, end < 0 ? lines.length : end);
    fences.push({
      language: language.toLowerCase(),
      options,
      optionsAt: line.length - options.length,
      line: index + 1,
      indent: space.length,
      text: content.map((text) => withoutIndent(text, space.length)).join("\n"),
      isClosed: end >= 0,
      above,
    });
    index = end < 0 ? lines.length : end;
  }
  return fences;
}

function isClosing(line: string, mark: string): boolean {
  const text = line.trim();
  return text.length >= mark.length && text === (mark[0] as string).repeat(text.length);
}

function withoutIndent(line: string, columns: number): string {
  return line.replace(new RegExp(`^[ \\t]{0,${columns}}`), "");
}
