import type { Command } from "commander";
import { type CommandWords, commandWords, type FlagWords, programFlags } from "./words.ts";

export function zshCompletion(program: Command): string {
  const commands = commandWords(program);
  const described = commands.map(({ name, description }) => `        ${quoted(`${name}:${description}`)}`);
  const branches = commands.map(
    (command) => `        ${command.name})
          _arguments ${argumentsOf(command).join(" \\\n            ")} ;;`,
  );
  return `#compdef prtg-exporter
# zsh completion for prtg-exporter. Load it with: source <(prtg-exporter completion zsh)
_prtg-exporter() {
  local -a commands
  local line state
  _arguments -C ${programFlags(program).map(flagSpec).join(" ")} '1: :->command' '*:: :->rest'
  case $state in
    command)
      commands=(
${described.join("\n")}
      )
      _describe command commands ;;
    rest)
      case $line[1] in
${branches.join("\n")}
      esac ;;
  esac
}
if [ "$funcstack[1]" = "_prtg-exporter" ]; then
  _prtg-exporter "$@"
else
  compdef _prtg-exporter prtg-exporter
fi
`;
}

function argumentsOf({ flags, choices }: CommandWords): readonly string[] {
  const argument = choices.length === 0 ? [] : [quoted(`1:argument:(${choices.join(" ")})`)];
  return [...flags.map(flagSpec), ...argument];
}

/** Flags can be repeated. */
function flagSpec({ flag, description, value }: FlagWords): string {
  const text = `[${description.replaceAll(/[\\[\]]/g, "\\$&")}]`;
  if (value === "none") return quoted(`*${flag}${text}`);
  const action = value === "file" ? "_files" : value === "text" ? "" : `(${value.join(" ")})`;
  return quoted(`*${flag}=${text}:value:${action}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
