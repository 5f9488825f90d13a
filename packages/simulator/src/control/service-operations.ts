import { z } from "zod";
import type { ScenarioRun } from "../scenario/run.ts";
import { parseScenario } from "../scenario/scenario.ts";
import type { LoggedRequest } from "../server/request-log.ts";
import {
  type ControlCall,
  ControlError,
  type ControlOperation,
  type ControlReply,
  created,
  isoTime,
  ok,
  readBody,
} from "./operation.ts";

const MAX_SHOWN = 1000;

/** Faults, sessions, the log of requests, mails, the contract and scenarios. */
export const SERVICE_OPERATIONS: readonly ControlOperation[] = [
  { method: "GET", path: "/faults", description: "the faults in force", handle: showFaults },
  {
    method: "POST",
    path: "/faults",
    description: "adds a `fault`, spelled as with --fault",
    handle(call) {
      call.faults.add(readBody(call.text, z.strictObject({ fault: z.string() })).fault);
      return { ...showFaults(call), status: 201 };
    },
  },
  {
    method: "DELETE",
    path: "/faults",
    description: "removes all faults, or the one that the query parameter `fault` repeats",
    handle(call) {
      const fault = call.query.get("fault");
      if (fault === null) call.faults.clear();
      else if (!call.faults.remove(fault)) throw new ControlError(404, `the fault ${fault} is not in force`);
      return showFaults(call);
    },
  },
  {
    method: "DELETE",
    path: "/sessions",
    description: "ends all sessions without telling, as a restart does",
    handle({ dropSessions }) {
      dropSessions();
      return ok({});
    },
  },
  {
    method: "GET",
    path: "/requests",
    description: "counts of the requests so far, and the last ones (query parameter `limit`, 100 by default)",
    handle({ requests, query }) {
      const limit = Number(query.get("limit") ?? 100);
      if (!Number.isSafeInteger(limit) || limit < 0 || limit > MAX_SHOWN) {
        throw new ControlError(400, `limit: expected a number from 0 to ${MAX_SHOWN}`);
      }
      const recent = (limit === 0 ? [] : requests.recent().slice(-limit)).map(describeRequest);
      const { inFlight, maxInFlight } = requests;
      return ok({ in_flight: inFlight, most_in_flight: maxInFlight, counts: requests.counts(), recent });
    },
  },
  {
    method: "DELETE",
    path: "/requests",
    description: "forgets the requests so far",
    handle({ requests }) {
      requests.reset();
      return ok({});
    },
  },
  {
    method: "GET",
    path: "/password-resets",
    description: "what users who asked for a new password would find in their mail",
    handle({ passwordResets }) {
      return ok(
        passwordResets().map(({ requestedAt, expiresAt, ...mail }) => {
          return { ...mail, requested_at: isoTime(requestedAt), expires_at: isoTime(expiresAt) };
        }),
      );
    },
  },
  {
    method: "GET",
    path: "/contract",
    description: "the OpenAPI document of the release and the spelling that are played",
    handle: ({ contract }) => ok(contract()),
  },
  { method: "GET", path: "/scenarios", description: "the stories that are played", handle: showScenarios },
  {
    method: "POST",
    path: "/scenarios",
    description: "plays a scenario from now on; the body is the file",
    handle({ scenarios, at, text }) {
      return created(describeRun(scenarios.play(parseScenario(text, "scenario"), at)));
    },
  },
  {
    method: "DELETE",
    path: "/scenarios",
    description: "ends all stories; changes of the tree that they have made remain",
    handle(call) {
      call.scenarios.clear();
      return showScenarios(call);
    },
  },
];

function describeRequest({ requestId, durationMs, at, ...rest }: LoggedRequest): Readonly<Record<string, unknown>> {
  return { request_id: requestId, ...rest, duration_ms: durationMs, at: isoTime(at) };
}

function showFaults({ faults }: ControlCall): ControlReply {
  return ok({ faults: faults.list() });
}

function showScenarios({ scenarios }: ControlCall): ControlReply {
  return ok(scenarios.runs.map(describeRun));
}

function describeRun({ name, begin, steps, failures }: ScenarioRun): Readonly<Record<string, unknown>> {
  return {
    name,
    begin: isoTime(begin),
    steps: steps.map(({ at, text }) => ({ at: isoTime(at), text })),
    failures: failures.map(({ step, reason }) => ({ step: step.text, reason })),
  };
}
