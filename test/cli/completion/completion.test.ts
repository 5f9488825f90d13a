import { Argument, Command, Option } from "commander";
import { describe, expect, test } from "vitest";
import { completionScript } from "../../../src/cli/completion/completion.ts";
import { createProgram } from "../../../src/cli/program.ts";

const program = createProgram();
const flagsOf = (name: string) =>
  program.commands.find((command) => command.name() === name)?.options.flatMap(({ long }) => long ?? []) ?? [];

describe.each(["zsh", "fish"] as const)("%s", (shell) => {
  const script = completionScript(shell, program);

  test("knows every command and flag", () => {
    for (const command of program.commands) {
      expect(script).toContain(command.name());
      for (const flag of flagsOf(command.name())) {
        expect(script).toContain(shell === "zsh" ? `'*${flag}` : `-l ${flag.slice(2)} `);
      }
    }
  });

  test("quotes descriptions", () => {
    const text = "print the server's [name] of C:\\x";
    const odd = createProgram(undefined, "demo");
    odd.commands[0]?.option("--odd", text);
    const expected = {
      zsh: String.raw`'*--odd[print the server'\''s \[name\] of C:\\x]'`,
      fish: String.raw`-l odd -d 'print the server\'s [name] of C:\\x'`,
    };
    expect(completionScript(shell, odd)).toContain(expected[shell]);
  });
});

test("the script for fish has one completion on each line", () => {
  const [, ...lines] = completionScript("fish", program).trimEnd().split("\n");
  for (const line of lines) expect(line.split("complete -c ")).toEqual(["", expect.any(String)]);
});

describe("a program with one flag of each kind", () => {
  const small = new Command("prtg-exporter").option("--version", "print the version");
  small
    .command("serve")
    .description("serve metrics")
    .option("--config.file <path>", "read this file")
    .option("--web.telemetry-path <path>", "path of the page")
    .option("--once", "end after a poll")
    .addOption(new Option("--log.level <level>", "log lines").choices(["info", "debug"]));
  small
    .command("completion")
    .description("print a script")
    .addArgument(new Argument("<shell>").choices(["bash", "zsh"]));

  test("has this script for bash", () => {
    expect(
      completionScript("bash", small),
    ).toBe(`# bash completion for prtg-exporter. Load it with: source <(prtg-exporter completion bash)
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
    mapfile -t COMPREPLY < <(compgen -W "serve completion --version --help" -- "$current")
    return
  fi
  case "\${COMP_WORDS[1]} $previous" in
    "serve --config.file") compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    "serve --web.telemetry-path") return ;;
    "serve --log.level") mapfile -t COMPREPLY < <(compgen -W "info debug" -- "$current"); return ;;
  esac
  case "\${COMP_WORDS[1]}" in
    serve) words="--config.file --web.telemetry-path --once --log.level --help" ;;
    completion) words="bash zsh --help" ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -F _prtg_exporter prtg-exporter
`);
  });

  test("has this script for zsh", () => {
    expect(completionScript("zsh", small)).toBe(String.raw`#compdef prtg-exporter
# zsh completion for prtg-exporter. Load it with: source <(prtg-exporter completion zsh)
_prtg-exporter() {
  local -a commands
  local line state
  _arguments -C '*--version[print the version]' '*--help[display help]' '1: :->command' '*:: :->rest'
  case $state in
    command)
      commands=(
        'serve:serve metrics'
        'completion:print a script'
      )
      _describe command commands ;;
    rest)
      case $line[1] in
        serve)
          _arguments '*--config.file=[read this file]:value:_files' \
            '*--web.telemetry-path=[path of the page]:value:' \
            '*--once[end after a poll]' \
            '*--log.level=[log lines]:value:(info debug)' \
            '*--help[display help]' ;;
        completion)
          _arguments '*--help[display help]' \
            '1:argument:(bash zsh)' ;;
      esac ;;
  esac
}
if [ "$funcstack[1]" = "_prtg-exporter" ]; then
  _prtg-exporter "$@"
else
  compdef _prtg-exporter prtg-exporter
fi
`);
  });

  test("has this script for fish", () => {
    expect(
      completionScript("fish", small),
    ).toBe(`# fish completion for prtg-exporter. Load it with: prtg-exporter completion fish | source
complete -c prtg-exporter -f
complete -c prtg-exporter -n __fish_use_subcommand -l version -d 'print the version'
complete -c prtg-exporter -n __fish_use_subcommand -l help -d 'display help'
complete -c prtg-exporter -n __fish_use_subcommand -a serve -d 'serve metrics'
complete -c prtg-exporter -n '__fish_seen_subcommand_from serve' -l config.file -r -F -d 'read this file'
complete -c prtg-exporter -n '__fish_seen_subcommand_from serve' -l web.telemetry-path -x -d 'path of the page'
complete -c prtg-exporter -n '__fish_seen_subcommand_from serve' -l once -d 'end after a poll'
complete -c prtg-exporter -n '__fish_seen_subcommand_from serve' -l log.level -x -a 'info debug' -d 'log lines'
complete -c prtg-exporter -n '__fish_seen_subcommand_from serve' -l help -d 'display help'
complete -c prtg-exporter -n __fish_use_subcommand -a completion -d 'print a script'
complete -c prtg-exporter -n '__fish_seen_subcommand_from completion' -l help -d 'display help'
complete -c prtg-exporter -n '__fish_seen_subcommand_from completion' -a 'bash zsh'
`);
  });
});
