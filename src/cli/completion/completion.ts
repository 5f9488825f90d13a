import type { Command, Option } from "commander";

/** Writes the script of a shell from the commands and flags of the program. */
const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;
export type Shell = keyof typeof SCRIPTS;

export function completionScript(shell: Shell, program: Command): string {
  return SCRIPTS[shell](program);
}

/** Commands, flags and values that a shell can complete. */
export interface CommandWords {
  readonly name: string;
  readonly description: string;
  readonly flags: readonly FlagWords[];
  /** Values of the first argument. */
  readonly choices: readonly string[];
}

export interface FlagWords {
  /** `--log.level` */
  readonly flag: string;
  readonly description: string;
  readonly value: "none" | "file" | "text" | readonly string[];
}

const HELP: FlagWords = { flag: "--help", description: "display help", value: "none" };
/** Names of values that are paths. */
const PATHS = /<(file|path|folder)>/;
/** A path of URLs. */
const NO_PATHS = new Set(["--web.telemetry-path"]);

export function commandWords(program: Command): readonly CommandWords[] {
  return program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    flags: [...command.options.map(flagWords), HELP],
    choices: command.registeredArguments[0]?.argChoices ?? [],
  }));
}

/** Flags before a command. */
export function programFlags(program: Command): readonly FlagWords[] {
  return [...program.options.map(flagWords), HELP];
}

function flagWords(option: Option): FlagWords {
  return { flag: option.long ?? option.flags, description: option.description, value: valueOfFlag(option) };
}

function valueOfFlag({ long, flags, argChoices, required }: Option): FlagWords["value"] {
  if (!required) return "none";
  if (argChoices !== undefined) return argChoices;
  return PATHS.test(flags) && !NO_PATHS.has(long ?? "") ? "file" : "text";
}

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

const NO_COMMAND = "-n __fish_use_subcommand";

export function fishCompletion(program: Command): string {
  const lines = commandWords(program).flatMap(({ name, description, flags, choices }) => {
    const inside = `-n '__fish_seen_subcommand_from ${name}'`;
    return [
      line(NO_COMMAND, `-a ${name}`, description),
      ...flags.map((flag) => flagLine(inside, flag)),
      ...(choices.length === 0 ? [] : [line(inside, `-a '${choices.join(" ")}'`, "")]),
    ];
  });
  return `# fish completion for prtg-exporter. Load it with: prtg-exporter completion fish | source
complete -c prtg-exporter -f
${[...programFlags(program).map((flag) => flagLine(NO_COMMAND, flag)), ...lines].join("\n")}
`;
}

function flagLine(condition: string, { flag, description, value }: FlagWords): string {
  const kinds = { none: "", file: " -r -F", text: " -x" };
  const takes = typeof value === "string" ? kinds[value] : ` -x -a '${value.join(" ")}'`;
  return line(condition, `-l ${flag.replace(/^--/, "")}${takes}`, description);
}

function line(condition: string, what: string, description: string): string {
  const text = description === "" ? "" : ` -d '${description.replaceAll(/[\\']/g, "\\$&")}'`;
  return `complete -c prtg-exporter ${condition} ${what}${text}`;
}
