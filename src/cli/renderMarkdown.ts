import { lexer, type Token, type Tokens } from "marked";
import type { Colors } from "./terminal.ts";
import { visible, visibleLines, wrap } from "./text.ts";

export interface MarkdownOptions {
  readonly width: number;
  readonly colors: Colors;
}

/** A longer text is shown as it was written: nested a thousand deep it would take minutes to read, characters. */
const longest = 20_000;

/** Markdown as a terminal shows it. What it does not know is shown as it was written; nothing is left out. */
export function renderMarkdown(markdown: string, options: MarkdownOptions): string {
  const text = visibleLines(markdown);
  if (text.length > longest) return wrap(text, options.width);
  try {
    return blocks(lexer(text), options);
  } catch (error) {
    // The parser calls itself for each level of nesting.
    if (error instanceof RangeError) return wrap(text, options.width);
    throw error;
  }
}

function blocks(tokens: readonly Token[], options: MarkdownOptions): string {
  return tokens
    .map((token) => block(token as Tokens.Generic, options))
    .filter((text) => text !== "")
    .join("\n\n");
}

function block(token: Tokens.Generic, options: MarkdownOptions): string {
  const { colors, width } = options;
  switch (token.type) {
    case "space":
    case "def":
      return "";
    case "heading":
      return colors.bold(wrap(inline(token.tokens, options), width));
    case "paragraph":
    case "text":
      return wrap(token.tokens ? inline(token.tokens, options) : token.raw, width);
    case "code":
      return String(token["text"])
        .split("\n")
        .map((line) => `  ${colors.cyan(line)}`)
        .join("\n");
    case "blockquote":
      return indented(blocks(token.tokens ?? [], narrower(options, 2)), `${colors.dim("│")} `);
    case "list":
      return list(token as Tokens.List, options);
    case "table":
      return tableRows(token as Tokens.Table, options);
    case "hr":
      return colors.dim("─".repeat(Math.min(width, 40)));
    default:
      return token.raw.trimEnd();
  }
}

function list({ items, ordered, start, loose }: Tokens.List, options: MarkdownOptions): string {
  return items
    .map((item, index) => {
      const mark = ordered ? `${Number(start) + index}. ` : "- ";
      const body = blocks(item.tokens, narrower(options, mark.length)).replace(/\n\n/g, loose ? "\n\n" : "\n");
      return mark + body.replace(/\n(?=.)/g, `\n${" ".repeat(mark.length)}`);
    })
    .join(loose ? "\n\n" : "\n");
}

function tableRows({ header, rows }: Tokens.Table, options: MarkdownOptions): string {
  const line = (cells: readonly Tokens.TableCell[]) =>
    wrap(cells.map(({ tokens }) => inline(tokens, options)).join("  "), options.width, "    ");
  return [options.colors.bold(line(header)), ...rows.map(line)].join("\n");
}

function inline(tokens: readonly Token[] | undefined, options: MarkdownOptions): string {
  const { colors } = options;
  return (tokens ?? [])
    .map((token) => {
      const { type, raw, tokens: inner, text, href } = token as Tokens.Generic & { text?: string; href?: string };
      switch (type) {
        case "strong":
          return colors.bold(inline(inner, options));
        case "em":
          return colors.italic(inline(inner, options));
        case "del":
          return colors.strikethrough(inline(inner, options));
        case "codespan":
          return colors.cyan(text ?? raw);
        case "link":
          return text === href ? (href ?? raw) : `${inline(inner, options)} (${visible(href ?? "")})`;
        case "br":
          return "\n";
        case "escape":
          return text ?? raw;
        case "text":
          return inner ? inline(inner, options) : raw;
        default:
          return raw;
      }
    })
    .join("");
}

function narrower(options: MarkdownOptions, columns: number): MarkdownOptions {
  return { ...options, width: Math.max(20, options.width - columns) };
}

function indented(text: string, mark: string): string {
  return text
    .split("\n")
    .map((line) => mark + line)
    .join("\n");
}
