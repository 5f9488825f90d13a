import type { KeyPath } from "../../config/origin.ts";
import type { ErrorCode } from "../../errors/catalogue.ts";

/** Something that is wrong with the value at `path`. */
export interface SettingProblem {
  readonly path: KeyPath;
  /** What was expected and what was found; never a secret. */
  readonly text: string;
  /** WEB_CONFIG_INVALID unless told. */
  readonly code?: ErrorCode;
}

/** Thrown where reading cannot go on. */
export class SettingError extends Error {
  readonly problem: SettingProblem;

  constructor(problem: SettingProblem) {
    super(problem.text);
    this.problem = problem;
  }
}
