import {
  type DebugPage,
  type DebugReport,
  type DebugSection,
  debugFailure,
} from "../../http/pages/status/debug-view.ts";
import { parsePosition } from "../../http/pages/status/source.ts";
import { oneLine } from "../../lib/printable-text.ts";
import type { RunStep, RunTrace } from "../../telemetry/run-trace.ts";
import { instant } from "./report-values.ts";
import type { DebugSources, RecordedRuns } from "./sources.ts";

/** Servers of the list on one page. */
const SERVERS_A_PAGE = 50;

/** `/debug/runs`: the last run of each collector of a server, step by step. With several servers: their list. */
export function runsPage(sources: () => DebugSources): DebugPage {
  return async (query) => {
    const { monitors } = sources();
    const name = query.get("server") ?? (monitors.size === 1 ? monitors.keys().next().value : undefined);
    if (name === undefined) return serversReport(monitors, parsePosition(query));
    const records = monitors.get(name)?.runs();
    if (records === undefined) return debugFailure(404, `there is no server ${oneLine(name)}`);
    const runs = records.flatMap(namedRuns).map((named) => ({ ...named, report: runReport(named) }));
    const title = `server ${name}: ${records.length} collectors, times in UTC`;
    const sections = [{ title }, ...runs.flatMap(runSections)];
    return { status: 200, sections, json: { server: name, runs: runs.map(({ report }) => report) } };
  };
}

/** Servers with failed collectors first. */
function serversReport(monitors: DebugSources["monitors"], from: number): DebugReport {
  const servers = Array.from(monitors, ([server, monitor]) => {
    const failed = monitor.runs().filter(({ error }) => error !== undefined);
    return { server, failed_collectors: failed.map((record) => record.name) };
  }).sort((a, b) => b.failed_collectors.length - a.failed_collectors.length);
  const shown = servers.slice(from, from + SERVERS_A_PAGE);
  const more = Math.max(0, servers.length - from - shown.length);
  const section: DebugSection = {
    title: `runs of ${servers.length} servers: give ?server= with a name`,
    head: ["server", "collectors whose last run failed"],
    rows: shown.map(({ server, failed_collectors: failed }) => [server, failed.join(", ") || "none"]),
    links: shown.map(({ server }) => `?${new URLSearchParams({ server })}`),
    more: more > 0 ? `and ${more} more: &from=${from + shown.length}` : undefined,
  };
  return { status: 200, sections: [section], json: { servers: shown, more } };
}

interface NamedRun {
  readonly collector: string;
  readonly which: "current" | "last" | "last failed";
  readonly run: RunTrace;
}

function namedRuns({ name: collector, currentRun, lastRun, lastFailedRun }: RecordedRuns): NamedRun[] {
  const runs: NamedRun[] = [];
  if (currentRun !== undefined) runs.push({ collector, which: "current", run: currentRun });
  if (lastRun !== undefined) runs.push({ collector, which: "last", run: lastRun });
  if (lastFailedRun !== undefined && lastFailedRun !== lastRun) {
    runs.push({ collector, which: "last failed", run: lastFailedRun });
  }
  return runs;
}

function runReport({ collector, which, run }: NamedRun) {
  const { startedAt, end, steps, problems, lines, droppedLines } = run;
  return {
    collector,
    run: which.replace(" ", "_"),
    outcome: outcomeOf(run),
    started_at: instant(startedAt),
    duration_seconds: end === undefined ? null : seconds(end.durationMs),
    error: end?.error ?? null,
    steps: steps.map(({ name, from, to, ms, count, answers, bytes }) => ({
      step: name,
      from_seconds: seconds(from),
      to_seconds: seconds(to),
      sum_seconds: seconds(ms),
      count,
      answers: Object.fromEntries(answers),
      bytes,
    })),
    decode_problems: Object.fromEntries(problems),
    log: lines.map(logEntry),
    dropped_log_lines: droppedLines,
  };
}

function outcomeOf({ end }: RunTrace): "running" | "failed" | "incomplete" | "complete" {
  if (end === undefined) return "running";
  if (end.error !== undefined) return "failed";
  return end.complete ? "complete" : "incomplete";
}

/** Whole milliseconds, as seconds. */
function seconds(ms: number): number {
  return Math.round(ms) / 1_000;
}

/** Fields of a log line. A line that was cut has the field `line` only. */
function logEntry(line: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(line);
  } catch {
    return { line };
  }
}

interface ReportedRun extends NamedRun {
  readonly report: ReturnType<typeof runReport>;
}

function runSections({ collector, which, run, report }: ReportedRun): DebugSection[] {
  const { outcome, started_at, duration_seconds: duration, log } = report;
  const after = duration === null ? "" : ` after ${duration.toFixed(3)} s`;
  const steps: DebugSection = {
    title: `${collector}, ${which} run: ${outcome}${after}, started ${started_at}`,
    head: ["step", "from s", "to s", "sum s", "count", "answers", "bytes"],
    rows: run.steps.map(stepRow),
    note: faultsOf(run),
  };
  if (log.length === 0) return [steps];
  return [
    steps,
    {
      title: `log of this run of ${collector}`,
      head: ["time", "level", "line"],
      rows: log.map(logRow),
      note: run.droppedLines > 0 ? `${run.droppedLines} earlier lines are not kept` : undefined,
    },
  ];
}

function stepRow({ name, from, to, ms, count, answers, bytes }: RunStep): string[] {
  const codes = Array.from(answers, ([code, times]) => (times === 1 ? code : `${code} (${times})`)).join(", ");
  const times = [from, to, ms].map((each) => seconds(each).toFixed(3));
  return [name, ...times, String(count), codes, answers.size === 0 ? "" : String(bytes)];
}

function faultsOf({ end, problems }: RunTrace): string | undefined {
  const counts = Array.from(problems, ([problem, count]) => `${problem} ${count}`);
  const faults = [end?.error, counts.length > 0 ? `decode problems: ${counts.join(", ")}` : undefined];
  return faults.filter((fault) => fault !== undefined).join(" – ") || undefined;
}

/** The last column has the fields beside time, level and message. The server is known. */
function logRow({ time, level, msg, server: _server, ...fields }: ReturnType<typeof logEntry>): string[] {
  if (msg === undefined && typeof fields.line === "string") return ["", "", fields.line];
  const more = Object.keys(fields).length === 0 ? "" : ` ${JSON.stringify(fields)}`;
  return [String(time), String(level), `${String(msg)}${more}`];
}
