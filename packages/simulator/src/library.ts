import type { ServiceFlags } from "./command/flags.ts";
import { StartError, startService } from "./command/start.ts";
import { FaultSyntaxError } from "./faults/grammar.ts";
import { checkedFaults, inOptions, readOptions, wrong } from "./library-options.ts";
import type * as library from "./library-types.ts";
import type { Simulator } from "./simulator.ts";

/** As many as the request log has. */
const ALL_REQUESTS = 1000;

export const start: typeof library.start = async (options = {}) => {
  try {
    const { flags, address } = readOptions(options);
    const simulator = await startService(flags, address, flags, { ...flags, keepsContents: true });
    return serverOf(simulator, flags);
  } catch (error) {
    throw inLibraryTerms(error);
  }
};

function inLibraryTerms(error: unknown): unknown {
  if (error instanceof FaultSyntaxError) return new TypeError(`faults: ${error.message}`, { cause: error });
  if (!(error instanceof StartError)) return error;
  const remedy = hasWrongHost(error) ? "Choose another host. This machine cannot listen on it." : error.remedy;
  // The message has values of the user. The remedy has none.
  const lines = [error.message, ...(remedy === undefined ? [] : [inOptions(remedy)])];
  return new StartError(error.code, lines.join("\n"), { cause: error });
}

/** Of name resolution, and of addresses of other machines. */
const ERRORS_OF_HOSTS = /^(ENOTFOUND|EAI_.*|EADDRNOTAVAIL|EAFNOSUPPORT|EINVAL)$/;

function hasWrongHost({ code, cause }: StartError): boolean {
  if (code !== "LISTEN_FAILED" || !(cause instanceof Error && "code" in cause)) return false;
  return ERRORS_OF_HOSTS.test(String(cause.code));
}

function serverOf(simulator: Simulator, { apiKey, readApiKey }: ServiceFlags): library.SimulatedServer {
  const { url, port, classicUrl, fingerprint } = simulator;
  const control: library.SimulatedServer["control"] = (method, path, body) => {
    return simulator.operate(method, path, typeof body === "string" ? body : (JSON.stringify(body) ?? ""));
  };
  const close = (): Promise<void> => simulator.close();
  return {
    ...{ url, port, classicUrl, fingerprint, apiKey, readApiKey },
    faults: faultControl(simulator, control),
    time: timeControl(control),
    requests: requestControl(control),
    objects: objectControl(control),
    endSessions: () => void control("DELETE", "/sessions"),
    reset: () => simulator.reset(),
    control,
    close,
    [Symbol.asyncDispose]: close,
  };
}

type ControlFunction = library.SimulatedServer["control"];

function faultControl(simulator: Simulator, control: ControlFunction): library.FaultControl {
  return {
    list: () => simulator.faults.states(),
    add: (fault, body) => void control("POST", "/faults", { fault, body }),
    set: (faults) => simulator.faults.set(checkedFaults(faults)),
    remove: (fault) => void control("DELETE", `/faults?${new URLSearchParams({ fault })}`),
    clear: () => simulator.faults.clear(),
  };
}

function timeControl(control: ControlFunction): library.TimeControl {
  const change = (name: string, body: object): library.TimeState => {
    return control("POST", `/time/${name}`, body) as library.TimeState;
  };
  return {
    get: () => control("GET", "/time") as library.TimeState,
    // JSON has dates as the control endpoint reads them.
    freeze: (at) => change("freeze", { at }),
    step: (by) => change("step", { by }),
    resume: () => change("resume", {}),
    setSpeed: (speed) => change("speed", { speed }),
  };
}

interface RequestReport {
  readonly counts: readonly library.RequestCount[];
  readonly recent: readonly library.LoggedRequest[];
}

function requestControl(control: ControlFunction): library.RequestControl {
  const report = (filter: library.RequestFilter): RequestReport => {
    const given = Object.entries(filter).filter(([, value]) => value !== undefined);
    const query = new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)])));
    return control("GET", `/requests?${query}`) as RequestReport;
  };
  return {
    list: (filter = {}) => {
      if (typeof filter !== "object" || filter === null) throw wrong("filter", filter, "Give an object.");
      return report({ ...filter, limit: filter.limit ?? ALL_REQUESTS }).recent;
    },
    counts: () => report({ limit: 0 }).counts,
    clear: () => void control("DELETE", "/requests"),
  };
}

function objectControl(control: ControlFunction): library.ObjectControl {
  const path = (id: string): string => `/objects/${encodeURIComponent(id)}`;
  const change = (id: string, name: string, body: object = {}): library.ObjectState => {
    return control("POST", `${path(id)}/${name}`, body) as library.ObjectState;
  };
  return {
    get: (id) => control("GET", path(id)) as library.ObjectState,
    force: (id, status) => change(id, "force", { status }),
    pause: (id, remark) => change(id, "pause", remark),
    resume: (id) => change(id, "resume"),
    acknowledge: (id, remark) => change(id, "acknowledge", remark),
    rename: (id, name) => change(id, "rename", { name }),
    move: (id, to) => change(id, "move", { to }),
    set: (id, request) => change(id, "set", request),
    unset: (id) => change(id, "unset"),
    add: (id, object) => change(id, "add", object),
    remove: (id) => void control("DELETE", path(id)),
  };
}
