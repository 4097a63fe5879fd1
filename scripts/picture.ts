/** `node scripts/picture.ts`: draws docs/demo.svg, what a terminal of 90 columns shows of `npm run demo`, from a real run. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const columns = 90;
const cell = { width: 8.4, height: 18 };
const padding = 16;
const colors = {
  text: "#d6deeb",
  background: "#0b1220",
  dim: "#7f8ba3",
  red: "#ff6b6b",
  green: "#5fd38d",
  yellow: "#f2c14e",
  magenta: "#d78fee",
  cyan: "#6cc7f0",
};

interface Style {
  readonly bold: boolean;
  readonly color: string;
}
const plain: Style = { bold: false, color: colors.text };

const text = runDemo();
writeFileSync(join(root, "docs/demo.svg"), drawing(text.trimEnd().split("\n")));

function runDemo(): string {
  const command = [join(root, "src/cli/main.ts"), "investigate", "checkout is slow: what happened?"];
  const options = ["--config", join(root, "examples/checkout-incident/korvus.yaml"), "--since", "40s"];
  const env = { ...process.env, FORCE_COLOR: "1", COLUMNS: String(columns) };
  const { status, stdout, stderr } = spawnSync(process.execPath, [...command, ...options], { env });
  if (status !== 0) throw new Error(`the demo ended with ${status}: ${stderr.toString()}`);
  return stdout.toString();
}

function drawing(lines: readonly string[]): string {
  const width = Math.ceil(columns * cell.width + 2 * padding);
  const height = Math.ceil(lines.length * cell.height + 2 * padding);
  const rows = lines.map((line, index) => {
    const y = padding + cell.height * (index + 0.75);
    return `<text x="${padding}" y="${y}" xml:space="preserve">${spans(line)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="${colors.text}">
<rect width="100%" height="100%" rx="8" fill="${colors.background}"/>
${rows.join("\n")}
</svg>
`;
}

/** The pieces of a line between its escape sequences, each in the style that holds there. */
function spans(line: string): string {
  let style = plain;
  return line
    .split(/(\u001b\[[\d;]*m)/)
    .map((piece) => {
      const codes = /^\u001b\[([\d;]*)m$/.exec(piece)?.[1];
      if (codes !== undefined) {
        for (const code of codes.split(";")) style = styled(style, Number(code));
        return "";
      }
      if (piece === "") return "";
      return `<tspan fill="${style.color}"${style.bold ? ' font-weight="bold"' : ""}>${escaped(piece)}</tspan>`;
    })
    .join("");
}

function styled(style: Style, code: number): Style {
  const byCode: Readonly<Record<number, string>> = {
    31: colors.red,
    32: colors.green,
    33: colors.yellow,
    35: colors.magenta,
    36: colors.cyan,
    39: colors.text,
  };
  if (code === 0) return plain;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, color: colors.dim };
  if (code === 22) return { ...style, bold: false, color: style.color === colors.dim ? colors.text : style.color };
  return { ...style, color: byCode[code] ?? style.color };
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
