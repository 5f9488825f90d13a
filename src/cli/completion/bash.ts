import type { Command } from "commander";
import { commandWords, type FlagWords, programFlags } from "./words.ts";

/** Works without the package bash-completion. */
export function bashCompletion(program: Command): string {
  const commands = commandWords(program);
  const first = [...commands.map(({ name }) => name), ...flagsOf(programFlags(program))];
  const values = commands.flatMap(({ name, flags }) =>
    flags.flatMap((each) => (each.value === "none" ? [] : [`    "${name} ${each.flag}") ${valueAction(each)} ;;`])),
  );
  const words = commands.map(
    ({ name, flags, choices }) => `    ${name}) words="${[...choices, ...flagsOf(flags)].join(" ")}" ;;`,
  );
  return `# bash completion for prtg-exporter. Load it with: source <(prtg-exporter completion bash)
_prtg_exporter() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} words=""
  COMPREPLY=()
  # bash splits --flag=value at the equals sign.
  if [ "$current" = "=" ]; then
    current=""
  elif [ "$previous" = "=" ]; then
    previous=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "${first.join(" ")}" -- "$current")
    return
  fi
  case "\${COMP_WORDS[1]} $previous" in
${values.join("\n")}
  esac
  case "\${COMP_WORDS[1]}" in
${words.join("\n")}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -F _prtg_exporter prtg-exporter
`;
}

function flagsOf(flags: readonly FlagWords[]): readonly string[] {
  return flags.map(({ flag }) => flag);
}

function valueAction({ value }: FlagWords): string {
  if (value === "file") {
    return 'compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return';
  }
  if (typeof value === "string") return "return";
  return `mapfile -t COMPREPLY < <(compgen -W "${value.join(" ")}" -- "$current"); return`;
}
