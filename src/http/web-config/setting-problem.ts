import type { KeyPath } from "../../config/origin.ts";
import type { ErrorCode } from "../../errors/catalogue.ts";

export interface SettingProblem {
  readonly path: KeyPath;
  /** What was expected and what was found; never a secret. */
  readonly text: string;
  /** Default: WEB_CONFIG_INVALID. */
  readonly code?: ErrorCode;
}

/** Where reading cannot go on. */
export class SettingError extends Error {
  readonly problem: SettingProblem;

  constructor(problem: SettingProblem) {
    super(problem.text);
    this.problem = problem;
  }
}
