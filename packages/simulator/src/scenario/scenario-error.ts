/** Line and column, both from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface ScenarioProblem extends Position {
  /** Path of what is wrong, as in `steps[2].select`; empty for the file as a whole. */
  readonly key: string;
  readonly text: string;
}

/** Everything that is wrong with a scenario. */
export class ScenarioError extends Error {
  readonly file: string;
  readonly problems: readonly ScenarioProblem[];

  constructor(file: string, problems: readonly ScenarioProblem[]) {
    super(problems.map((problem) => describe(file, problem)).join("\n"));
    this.name = "ScenarioError";
    this.file = file;
    this.problems = problems;
  }
}

function describe(file: string, { line, column, key, text }: ScenarioProblem): string {
  return `${file}:${line}:${column}: ${key === "" ? "" : `${key}: `}${text}`;
}
