import type { ProcessRuntime } from "../../app/context.ts";
import { describeFault, ExporterError } from "../../errors/exporter-error.ts";
import type { Lease } from "../../leadership/election.ts";
import { withDeadline } from "../../lib/deadline.ts";
import { type ElectionFlags, type OpenLease, openLease } from "../leader-election.ts";
import { MAX_OFFSET_S } from "./server-check.ts";
import { type Finding, ok, type StepResult, warning } from "./step.ts";

export const ELECTION = "leader election";

const ACCOUNT = "service account";
const READING = "lease";
const RIGHTS = "lease rights";
const CLOCK = "API server clock";
export const ELECTION_SUBJECTS: readonly string[] = [ACCOUNT, READING, RIGHTS, CLOCK];

/** Reads the Lease and rehearses a write, so the leader continues. Stops at the first failure or signal. */
export async function* leaseFindings(
  flags: ElectionFlags,
  context: ProcessRuntime,
  env: NodeJS.ProcessEnv,
  interrupted: AbortSignal,
): AsyncGenerator<Finding> {
  const found = (subject: string, result: StepResult): Finding => ({
    ...{ server: ELECTION, subject, status: "ok" },
    ...result,
  });
  let subject = ACCOUNT;
  let open: OpenLease | undefined;
  try {
    open = await openLease(flags, context, env);
    const { client, lease: name, origin, timeoutMs } = open;
    const ask = <Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> =>
      withDeadline({ clock: context.clock, ms: timeoutMs, parents: [interrupted], expired: () => late(open) }, work);
    yield found(ACCOUNT, ok(`${origin} is the API server`));
    subject = READING;
    const lease = await ask((signal) => client.read(signal));
    yield found(READING, ok(`${name}: ${holderOf(lease)}`));
    subject = RIGHTS;
    const clockOffsetMs = await ask((signal) => client.rehearse(lease, signal));
    const what = lease === undefined ? "creates" : "updates";
    yield found(RIGHTS, ok(`dry run: the API server ${what} it`));
    if (clockOffsetMs !== undefined) yield found(CLOCK, judge(clockOffsetMs));
  } catch (error) {
    if (interrupted.aborted) return;
    const remedy = error instanceof ExporterError ? error.remedy : undefined;
    yield { server: ELECTION, subject, status: "FAILED", text: describeFault(error), ...(remedy && { remedy }) };
  } finally {
    await open?.client.close();
  }
}

function late(open: OpenLease | undefined): ExporterError {
  const { origin, timeoutMs } = open ?? { origin: "the API server", timeoutMs: 0 };
  return new ExporterError("LEASE_UNAVAILABLE", `${origin} did not answer within ${timeoutMs / 1_000} s`);
}

function holderOf(lease: Lease | undefined): string {
  if (lease === undefined) return "does not exist yet, the first replica creates it";
  return lease.holder === undefined ? "no replica leads" : `${lease.holder} leads`;
}

/** The election uses monotonic time, but certificates and Lease times depend on the clock. */
function judge(offsetMs: number): StepResult {
  const seconds = Math.round(Math.abs(offsetMs) / 1_000);
  if (seconds <= MAX_OFFSET_S) return ok(`the clocks of API server and exporter differ by ${seconds} s`);
  return warning(
    `the API server's clock is ${seconds} s ${offsetMs > 0 ? "ahead" : "behind"}. The election works, but renewTime is wrong, and certificates can seem invalid`,
    "Synchronize both clocks with NTP.",
  );
}
