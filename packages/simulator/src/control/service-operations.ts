import { z } from "zod";
import { ROOT } from "../api/contract/document.ts";
import { type GlobPattern, globPattern, MAX_GLOB_LENGTH } from "../faults/glob.ts";
import type { ScenarioRun } from "../scenario/run.ts";
import { parseScenario } from "../scenario/scenario.ts";
import type { LoggedRequest, RequestContents } from "../server/request-log.ts";
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
  {
    method: "GET",
    path: "/faults",
    description: "lists active faults, and how many requests are left for each",
    handle: showFaults,
  },
  {
    method: "POST",
    path: "/faults",
    description: "adds a `fault` as for --fault, optionally with the `body` of the fault answer",
    handle(call) {
      const { fault, body } = readBody(call.text, faultSchema);
      // A text is sent as it is, any other body as JSON.
      call.faults.add(fault, body === undefined || typeof body === "string" ? body : JSON.stringify(body));
      return { ...showFaults(call), status: 201 };
    },
  },
  {
    method: "DELETE",
    path: "/faults",
    description: "removes all faults, or only the one in the query parameter `fault`",
    handle(call) {
      const fault = call.query.get("fault");
      if (fault === null) call.faults.clear();
      else if (!call.faults.remove(fault)) throw new ControlError(404, `the fault ${fault} is not active`);
      return showFaults(call);
    },
  },
  {
    method: "DELETE",
    path: "/sessions",
    description: "ends all sessions without notice, as a restart does",
    handle({ dropSessions }) {
      dropSessions();
      return ok({});
    },
  },
  {
    method: "GET",
    path: "/requests",
    description:
      "returns counts of requests and the last requests with headers and bodies. `limit` (default 100), `method`, `path`, `status` and `fault` select them",
    handle({ requests, query }) {
      const { limit, ...filter } = readFilter(query);
      const fitting = requests.recent().filter((request) => fits(request, filter));
      const recent = (limit === 0 ? [] : fitting.slice(-limit)).map((request) => {
        return describeRequest(request, requests.contentsOf(request.requestId));
      });
      const { inFlight, maxInFlight } = requests;
      return ok({ in_flight: inFlight, most_in_flight: maxInFlight, counts: requests.counts(), recent });
    },
  },
  {
    method: "DELETE",
    path: "/requests",
    description: "clears the counts and the last requests",
    handle({ requests }) {
      requests.reset();
      return ok({});
    },
  },
  {
    method: "POST",
    path: "/reset",
    description: "begins again as at the start: world, time, sessions, faults, scenario and request log",
    handle({ text, reset }) {
      readBody(text, z.strictObject({}));
      // It listens already: this request has arrived.
      void reset();
      return ok({});
    },
  },
  {
    method: "GET",
    path: "/password-resets",
    description: "returns the mails for requested password resets",
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
    description:
      "returns the OpenAPI document of the simulated release and spelling. `for=generators` returns the one for generators of clients",
    handle({ contract, generatorContract, query }) {
      const reader = query.get("for");
      if (reader === null) return ok(contract());
      if (reader !== "generators") throw new ControlError(400, "for: expected generators");
      return ok(generatorContract());
    },
  },
  {
    method: "GET",
    path: "/scenarios",
    description: "lists running scenarios, their steps and failures",
    handle: showScenarios,
  },
  {
    method: "POST",
    path: "/scenarios",
    description: "starts the scenario in the body, a scenario file",
    handle({ scenarios, at, text }) {
      return created(describeRun(scenarios.play(parseScenario(text, "scenario"), at)));
    },
  },
  {
    method: "DELETE",
    path: "/scenarios",
    description: "ends all scenarios, but keeps their changes of the tree",
    handle(call) {
      call.scenarios.clear();
      return showScenarios(call);
    },
  },
];

const faultSchema = z.strictObject({ fault: z.string(), body: z.json().optional() });

interface RequestFilter {
  readonly method: string | null;
  /** Of the path below `/api/v2`. */
  readonly path: GlobPattern | undefined;
  readonly status: number | undefined;
  /** As written. */
  readonly fault: string | null;
}

/** @throws ControlError */
function readFilter(query: URLSearchParams): RequestFilter & { readonly limit: number } {
  const [unknown] = [...query.keys()].filter((name) => !REQUEST_PARAMETERS.includes(name));
  if (unknown !== undefined) {
    throw new ControlError(400, `${unknown}: expected one of ${REQUEST_PARAMETERS.join(", ")}`);
  }
  const limit = Number(query.get("limit") ?? 100);
  if (!Number.isSafeInteger(limit) || limit < 0 || limit > MAX_SHOWN) {
    throw new ControlError(400, `limit: expected a number from 0 to ${MAX_SHOWN}`);
  }
  const [path, status] = [query.get("path"), query.get("status")];
  if (path !== null && path.length > MAX_GLOB_LENGTH) {
    throw new ControlError(400, `path: expected at most ${MAX_GLOB_LENGTH} characters, found ${path.length}`);
  }
  if (status !== null && !/^[1-5][0-9]{2}$/.test(status)) {
    throw new ControlError(400, "status: expected a number such as 503");
  }
  return {
    limit,
    method: query.get("method"),
    path: path === null ? undefined : globPattern(path),
    status: status === null ? undefined : Number(status),
    fault: query.get("fault"),
  };
}

const REQUEST_PARAMETERS: readonly string[] = ["limit", "method", "path", "status", "fault"];

function fits(request: LoggedRequest, { method, path, status, fault }: RequestFilter): boolean {
  if (method !== null && request.method !== method) return false;
  if (status !== undefined && request.status !== status) return false;
  if (fault !== null && !request.faults.includes(fault)) return false;
  const [asked = ""] = request.url.split("?");
  return path === undefined || path.test(asked.startsWith(`${ROOT}/`) ? asked.slice(ROOT.length) : asked);
}

function describeRequest(
  { requestId, durationMs, at, ...rest }: LoggedRequest,
  contents: RequestContents | undefined,
): Readonly<Record<string, unknown>> {
  return { request_id: requestId, ...rest, ...contents, duration_ms: durationMs, at: isoTime(at) };
}

function showFaults({ faults }: ControlCall): ControlReply {
  return ok({ faults: faults.list(), active: faults.states() });
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
