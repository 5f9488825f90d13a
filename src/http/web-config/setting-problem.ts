import type { KeyPath } from "../../config/origin.ts";
import type { ErrorCode } from "../../errors/catalogue.ts";

export interface SettingProblem {
  readonly path: KeyPath;
  /** Contains no secrets. */
  readonly text: string;
  /** Default: WEB_CONFIG_INVALID. */
  readonly code?: ErrorCode;
}

export class SettingError extends Error {
  readonly problem: SettingProblem;

  constructor(problem: SettingProblem) {
    super(problem.text);
    this.problem = problem;
  }
}
