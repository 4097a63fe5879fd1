import { isUtf8 } from "node:buffer";

/** Bytes; what fits on every system below a scratch directory. */
const longestPath = 768;
const longestName = 255;

/**
 * Why a path of a tree is not written, as the end of a sentence that begins with the path; undefined where it is. The
 * same on every machine: what only some file systems refuse or confuse is refused on all.
 */
export function nameProblem(path: Buffer): string | undefined {
  if (path.length > longestPath) return `is longer than the ${longestPath} bytes that a path may have`;
  if (!isUtf8(path)) return "is a name that is not UTF-8";
  const text = path.toString();
  // Most are plain, and need no second look.
  if (/^(?:[\w-][\w.-]{0,100}\/)*[\w-][\w.-]{0,100}$/.test(text) && !/git~|\.(?:\/|$)/i.test(text)) return undefined;
  if (/[\u0000-\u001f\u007f]/.test(text)) return "is a name with a control character";
  for (const name of text.split("/")) {
    if (name === "") return "is a path with an empty part";
    if (Buffer.byteLength(name) > longestName)
      return `has a part longer than the ${longestName} bytes that a name may have`;
    // A backslash divides names elsewhere.
    for (const part of name.split("\\")) {
      if (part === "." || part === "..") return `is a path with ${part} in it`;
      if (isGitDirectory(part)) return "is a path into a .git directory";
    }
  }
  return undefined;
}

/** `.git` as NTFS and HFS+ may see it: in any case, by its short name, with dots, spaces or a stream behind, with invisible characters. */
function isGitDirectory(name: string): boolean {
  const seen = name
    .replaceAll(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, "")
    .replace(/:.*$/s, "")
    .replace(/[. ]+$/, "")
    .toLowerCase();
  return seen === ".git" || /^git~\d+$/.test(seen);
}

/** Equal for names that some file system takes for one: case and Unicode normal forms do not count. */
export function foldedName(name: string): string {
  if (/^[\u0000-\u007f]*$/.test(name)) return name.toLowerCase();
  // Up and down again: "ß" and "ss" meet only there.
  return name.normalize("NFD").toUpperCase().toLowerCase().normalize("NFD");
}

/** A path for people: bytes that are no text and control characters are escaped, the end of a long one is left out. */
export function shownPath(path: Buffer): string {
  const text = isUtf8(path)
    ? path.toString()
    : [...path].map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : `\\x${hex(byte)}`)).join("");
  const escaped = text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, (character) => `\\x${hex(character.charCodeAt(0))}`);
  return escaped.length > 300 ? `${escaped.slice(0, 300).toWellFormed()}…` : escaped;
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}
