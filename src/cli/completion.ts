import type { Command } from "commander";
import { UsageError } from "./exitCode.ts";

const shells = ["bash", "zsh", "fish"] as const;

/** A command's words as they are typed, and what may follow them. */
interface Place {
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly { readonly long: string; readonly description: string }[];
}

/** A script that completes commands and options, made from the command tree. Pure. Throws `UsageError` for another shell. */
export function completionScript(program: Command, shell: string): string {
  const places = placesOf(program, "");
  if (shell === "bash") return bash(places);
  if (shell === "zsh") return `autoload -U +X bashcompinit && bashcompinit\n${bash(places)}`;
  if (shell === "fish") return fish(places);
  throw new UsageError(`no completion for ${shell}\nthere is: ${shells.join(", ")}`);
}

function placesOf(command: Command, path: string): readonly Place[] {
  const options = command.options.flatMap(({ long, description }) => (long ? [{ long, description }] : []));
  const commands = command.commands.map((inner) => ({ name: inner.name(), description: inner.description() }));
  const inner = command.commands.flatMap((child) => placesOf(child, `${path} ${child.name()}`.trim()));
  return [
    { path, commands, options: [...options, { long: "--help", description: "display help for command" }] },
    ...inner,
  ];
}

function bash(places: readonly Place[]): string {
  const words = ({ commands, options }: Place) =>
    [...commands.map(({ name }) => name), ...options.map(({ long }) => long)].join(" ");
  const cases = places.map((place) => `    "${place.path}") words="${words(place)}" ;;`);
  return `_korvus() {
  local current="\${COMP_WORDS[COMP_CWORD]}" at="" word words known=" ${places.map(({ path }) => path.replaceAll(" ", "/")).join(" ")} "
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $known == *" \${at:+\${at// //}/}$word "* ]] && at="\${at:+$at }$word"
  done
  case "$at" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ \${#COMPREPLY[@]} -eq 0 ]] && COMPREPLY=($(compgen -f -- "$current"))
}
complete -F _korvus korvus
`;
}

function fish(places: readonly Place[]): string {
  const quoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = places.flatMap(({ path, commands, options }) => {
    const here = `-n ${quoted(`__korvus_at ${path}`.trim())}`;
    return [
      ...commands.map(({ name, description }) => `complete -c korvus -f ${here} -a ${name} -d ${quoted(description)}`),
      ...options.map(
        ({ long, description }) => `complete -c korvus ${here} -l ${long.slice(2)} -d ${quoted(description)}`,
      ),
    ];
  });
  return `function __korvus_at
  set -l words (commandline -opc)[2..-1]
  set -l at (string match -v -- '-*' $words)
  test "$at" = "$argv"
end
${lines.join("\n")}
`;
}
