import type { DebugPage, DebugReport } from "../../http/pages/debug-endpoint.ts";
import type { DebugTable } from "../../http/pages/status/debug-view.ts";
import { oneLine, textTable } from "../../lib/printable-text.ts";
import type { RunStep, RunTrace } from "../../telemetry/run-trace.ts";
import { instant } from "./report-values.ts";
import type { DebugSources, RecordedRuns } from "./sources.ts";

/** Servers of the list on one page. */
const SERVERS_A_PAGE = 50;

/** `/debug/runs`: the last run of each collector of a server, step by step. With several servers: their list. */
export function runsPage({ monitors }: DebugSources): DebugPage {
  return async (query) => {
    const name = query.get("server") ?? (monitors.size === 1 ? monitors.keys().next().value : undefined);
    if (name === undefined) return listOf(monitors, positionOf(query));
    const records = monitors.get(name)?.runs();
    if (records === undefined) return unknown(name);
    const runs = records.flatMap(runsOf);
    const tables = runs.flatMap(tablesOf);
    const title = `server ${oneLine(name)}: ${records.length} collectors, times in UTC`;
    return {
      status: 200,
      text: `${title}\n\n${tables.map(textOf).join("\n")}`,
      tables: [{ title, head: [], rows: [] }, ...tables],
      json: { server: name, runs: runs.map(jsonOf) },
    };
  };
}

function unknown(name: string): DebugReport {
  const message = `there is no server ${oneLine(name)}`;
  return {
    status: 404,
    text: `${message}\n`,
    tables: [{ title: message, head: [], rows: [] }],
    json: { error: message },
  };
}

function positionOf(query: URLSearchParams): number {
  const text = query.get("from") ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

/** Servers with failed collectors first. */
function listOf(monitors: DebugSources["monitors"], from: number): DebugReport {
  const servers = Array.from(monitors, ([server, monitor]) => {
    const failed = monitor.runs().filter(({ error }) => error !== undefined);
    return { server, failed: failed.map((record) => record.name) };
  }).sort((a, b) => b.failed.length - a.failed.length);
  const shown = servers.slice(from, from + SERVERS_A_PAGE);
  const rest = servers.length - from - shown.length;
  const table: DebugTable = {
    title: `runs of ${servers.length} servers: give ?server= with a name`,
    head: ["server", "collectors whose last run failed"],
    rows: shown.map(({ server, failed }) => [server, failed.join(", ") || "none"]),
    links: shown.map(({ server }) => `?${new URLSearchParams({ server })}`),
    ...(rest > 0 && { note: `and ${rest} more: &from=${from + shown.length}` }),
  };
  return {
    status: 200,
    text: textOf(table),
    tables: [table],
    json: {
      servers: shown.map(({ server, failed }) => ({ server, failed_collectors: failed })),
      more: Math.max(0, rest),
    },
  };
}

interface NamedRun {
  readonly collector: string;
  readonly which: "current" | "last" | "last failed";
  readonly run: RunTrace;
}

function runsOf({ name, currentRun, lastRun, lastFailedRun }: RecordedRuns): NamedRun[] {
  const runs: NamedRun[] = [];
  if (currentRun !== undefined) runs.push({ collector: name, which: "current", run: currentRun });
  if (lastRun !== undefined) runs.push({ collector: name, which: "last", run: lastRun });
  if (lastFailedRun !== undefined && lastFailedRun !== lastRun) {
    runs.push({ collector: name, which: "last failed", run: lastFailedRun });
  }
  return runs;
}

function outcomeOf({ end }: RunTrace): "running" | "failed" | "incomplete" | "complete" {
  if (end === undefined) return "running";
  if (end.error !== undefined) return "failed";
  return end.complete ? "complete" : "incomplete";
}

function tablesOf(named: NamedRun): DebugTable[] {
  const { run, collector, which } = named;
  const { end, lines, droppedLines } = run;
  const after = end === undefined ? "" : ` after ${seconds(end.durationMs)} s`;
  const steps: DebugTable = {
    title: `${collector}, ${which} run: ${outcomeOf(run)}${after}, started ${instant(run.startedAt)}`,
    head: ["step", "from s", "to s", "sum s", "count", "answers", "bytes"],
    rows: run.steps.map(stepRow),
    note: noteOf(run),
  };
  if (lines.length === 0) return [steps];
  return [
    steps,
    {
      title: `log of this run of ${collector}`,
      head: ["time", "level", "line"],
      rows: lines.map(lineRow),
      ...(droppedLines > 0 && { note: `${droppedLines} earlier lines are not kept` }),
    },
  ];
}

function stepRow({ name, from, to, ms, count, answers, bytes }: RunStep): string[] {
  const codes = Array.from(answers, ([code, times]) => (times === 1 ? code : `${code} (${times})`)).join(", ");
  return [name, seconds(from), seconds(to), seconds(ms), String(count), codes, answers.size === 0 ? "" : String(bytes)];
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3);
}

function rounded(ms: number): number {
  return Math.round(ms) / 1_000;
}

function noteOf({ end, problems }: RunTrace): string | undefined {
  const counts = Array.from(problems, ([problem, count]) => `${problem} ${count}`);
  const notes = [end?.error, counts.length > 0 ? `decode problems: ${counts.join(", ")}` : undefined];
  return notes.filter((note) => note !== undefined).join(" – ") || undefined;
}

/** Fields of the line beside time, level and message. The server is known. */
function lineRow(line: string): string[] {
  const parsed = parse(line);
  if (parsed === undefined) return ["", "", line];
  const { time, level, msg, server: _server, ...fields } = parsed;
  const more = Object.keys(fields).length === 0 ? "" : ` ${JSON.stringify(fields)}`;
  return [String(time), String(level), `${String(msg)}${more}`];
}

/** `undefined` if the line was cut. */
function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function textOf({ title, head, rows, note }: DebugTable): string {
  const table = rows.length === 0 ? "" : textTable(head, rows);
  return `${title}\n${table}${note === undefined ? "" : `${oneLine(note)}\n`}`;
}

function jsonOf({ collector, which, run }: NamedRun): object {
  const { startedAt, end, steps, problems, lines, droppedLines } = run;
  return {
    collector,
    run: which.replace(" ", "_"),
    outcome: outcomeOf(run),
    started_at: instant(startedAt),
    duration_seconds: end === undefined ? null : rounded(end.durationMs),
    error: end?.error ?? null,
    steps: steps.map(({ name, from, to, ms, count, answers, bytes }) => ({
      step: name,
      from_seconds: rounded(from),
      to_seconds: rounded(to),
      sum_seconds: rounded(ms),
      count,
      answers: Object.fromEntries(answers),
      bytes,
    })),
    decode_problems: Object.fromEntries(problems),
    log: lines.map((line) => parse(line) ?? { line }),
    dropped_log_lines: droppedLines,
  };
}
