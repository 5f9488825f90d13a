import { endOfInput } from "prtg-simulator/src/command/end-of-input.ts";
import { listenAddressOf, type ServiceFlags } from "prtg-simulator/src/command/flags.ts";
import { removeReadyFile } from "prtg-simulator/src/command/ready-file.ts";
import { introduce, type ReportedServer, StartError, startService } from "prtg-simulator/src/command/start.ts";
import { OLDEST_RELEASE, RELEASE_NAMES, type ReleaseName } from "prtg-simulator/src/release/release.ts";
import type { Simulator } from "prtg-simulator/src/simulator.ts";
import { MAX_CHANNELS, type WorldSize } from "prtg-simulator/src/world/layout/size.ts";
import { createContext, type LogFlags } from "../../app/context.ts";
import { ExporterError } from "../../errors/exporter-error.ts";
import type { Redactor } from "../../errors/redactor.ts";
import { type EndpointReport, readReport, type ServerReport } from "../report/format.ts";
import { stopSignal } from "../signals.ts";

export interface SimulateFlags extends LogFlags, ServiceFlags {
  readonly fromReport?: string;
}

export async function simulate(flags: SimulateFlags, redactor: Redactor): Promise<number> {
  const stopped = Promise.race([stopSignal(), ...(flags.exitWithStdin === true ? [endOfInput()] : [])]);
  const context = await createContext(flags, redactor);
  const reported = flags.fromReport === undefined ? undefined : await reportedServer(flags.fromReport);
  const simulator = await startSimulatedServer(flags, listenAddressOf(flags), flags, { ...flags, reported });
  for (const line of introduce(simulator, flags)) context.print(line);
  await stopped;
  await removeReadyFile(flags.readyFile);
  await simulator.close();
  return 0;
}

/** @throws ExporterError WORLD_IMPOSSIBLE, SCENARIO_INVALID, LISTEN_FAILED, READY_FILE_UNWRITABLE, and FaultSyntaxError */
export async function startSimulatedServer(...args: Parameters<typeof startService>): Promise<Simulator> {
  try {
    return await startService(...args);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    const { code, message, cause, remedy } = error;
    throw new ExporterError(code, message, remedy === undefined ? { cause } : { cause, remedy });
  }
}

const MAX_LIMIT = 3000;

/** First server of a report. @throws ExporterError REPORT_UNREADABLE, REPORT_INVALID */
export async function reportedServer(file: string): Promise<ReportedServer> {
  const { servers } = await readReport(file);
  const [server] = servers;
  if (server === undefined) throw new ExporterError("REPORT_INVALID", `${file} has no servers`);
  return {
    size: possibleSize(server.objects),
    spelling: server.spelling ?? undefined,
    release: server.release === null ? undefined : nearestRelease(server.release),
    version: server.release ?? undefined,
    defaultLimit: server.default_limit ?? MAX_LIMIT,
    faults: [...absences(server.endpoints), ...refusals(server.endpoints), ...textValues(server.endpoints)],
  };
}

/** Counts of a part of a tree may fit no tree. */
function possibleSize({ probes, groups, devices, sensors, channels }: ServerReport["objects"]): Partial<WorldSize> {
  const least = (number: number | undefined, min: number) => (number === undefined ? {} : Math.max(number, min));
  const withChannels =
    channels === undefined || sensors === undefined
      ? {}
      : { channels: Math.min(Math.max(channels, 2 * sensors), MAX_CHANNELS * sensors) };
  const counts = { probes: least(probes, 1), groups, devices: least(devices, (sensors ?? 0) > 0 ? 1 : 0), sensors };
  const known = Object.entries(counts).filter(([, number]) => typeof number === "number");
  return { ...Object.fromEntries(known), ...withChannels };
}

/** The newest release up to the server's version, or the oldest. */
function nearestRelease(version: string): ReleaseName {
  const [year = 0, quarter = 0] = version.split(".").map(Number);
  const fitting = RELEASE_NAMES.filter((name) => {
    const [playedYear = 0, playedQuarter = 0] = name.split(".").map(Number);
    return playedYear < year || (playedYear === year && playedQuarter <= quarter);
  });
  return fitting.at(-1) ?? OLDEST_RELEASE;
}

function succeeded({ status }: EndpointReport): boolean {
  return status !== null && status < 300;
}

function globOf(endpoint: string): string {
  return endpoint.replace("{id}", "*");
}

/** Endpoints with errors only. A glob also covers the paths below, so they must have failed too. */
function absences(endpoints: readonly EndpointReport[]): readonly string[] {
  const byEndpoint = Map.groupBy(endpoints, ({ endpoint }) => endpoint);
  return [...byEndpoint].flatMap(([endpoint, answers]) => {
    const [{ status } = { status: null }] = answers;
    const isTaken = endpoints.some((other) => other.endpoint.startsWith(endpoint) && succeeded(other));
    if (status === null || status < 400 || isTaken) return [];
    const isMissing = [404, 405, 501].includes(status);
    return [`${isMissing ? "missing" : "error"}=${status}@GET:${globOf(endpoint)}`];
  });
}

/** Sections that working lists reject. */
function refusals(endpoints: readonly EndpointReport[]): readonly string[] {
  return endpoints.flatMap(({ endpoint, query, status }) => {
    const section = /&include=(?<section>\w+)$/.exec(query)?.groups?.section;
    const isList = endpoints.some((other) => other.endpoint === endpoint && succeeded(other));
    return section !== undefined && status === 400 && isList ? [`refuses=include:${section}@${endpoint}`] : [];
  });
}

/** Share of decimal commas that shows the language. Integers have none. */
const MIN_COMMAS = 1 / 20;

/** Lists in which most values are texts with a unit. */
function textValues(endpoints: readonly EndpointReport[]): readonly string[] {
  const types = endpoints.map(({ shape = {} }) => shape["$[].last_measurement.display_value"] ?? {});
  const sum = (type: keyof (typeof types)[number]) => types.reduce((total, counts) => total + (counts[type] ?? 0), 0);
  const commas = sum("text of a number with a decimal comma and a unit");
  const texts = sum("text of a number with a unit") + commas;
  if (texts <= sum("number") + sum("integer")) return [];
  return [commas > MIN_COMMAS * texts ? "text-values=de" : "text-values=en"];
}
