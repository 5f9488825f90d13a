import { nameOf, type WorkflowStep } from "./workflow.ts";

/** Parts of the release workflow that need GitHub, with the reason. Everything else is run as it is written there. */
export const NOT_REHEARSED: Readonly<Record<string, string>> = {
  "actions/checkout": "a fresh clone takes its place",
  "actions/setup-go": "the Go of this machine builds",
  "actions/setup-node": "the pinned Node.js and npm of the tests take its place",
  "sigstore/cosign-installer": "signatures need the identity of GitHub",
  "actions/attest-build-provenance": "attestations need the identity of GitHub",
  "Has CI passed for this commit?": "the answer is at GitHub",
  ".ci/run": "CI runs it for each change",
};

export interface PlannedStep {
  readonly name: string;
  readonly step: WorkflowStep;
  /** Why it is left out. */
  readonly reason: string | undefined;
}

/** @throws Error for an action that is neither rehearsed nor left out for a reason */
export function planOf(steps: readonly WorkflowStep[]): PlannedStep[] {
  return steps.map((step) => {
    const name = nameOf(step);
    const reason = NOT_REHEARSED[name];
    if (step.run === undefined && reason === undefined) {
      throw new Error(`${name}: name a reason in scripts/rehearsal/plan.ts why this action is not rehearsed`);
    }
    return { name, step, reason };
  });
}
