import { type DestinationStream, type Level, type Logger, pino, stdTimeFunctions } from "pino";
import { describeError } from "../errors/exporter-error.ts";
import type { Redactor } from "../errors/redactor.ts";
import { currentRun } from "./run-trace.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const satisfies Level[];
export type LogLevel = (typeof LOG_LEVELS)[number];

export const LOG_FORMATS = ["json", "text"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

export type LineLayout = (line: string) => string;

export interface LoggerOptions {
  readonly level: LogLevel;
  /** Default: JSON. See `layoutOf`. */
  readonly layout?: LineLayout | undefined;
  readonly redactor: Redactor;
  /** The program uses standard error, so that standard output is free for results. */
  readonly output: { write(text: string): unknown };
}

/** Names under which a library might log a secret. */
const SECRET_KEYS = ["authorization", "password", "token", "api_key", "apiKey", "key"];

/** A pino logger that redacts each line. */
export function createLogger(options: LoggerOptions): Logger {
  const { output, redactor, layout = (line: string) => line } = options;
  const destination: DestinationStream = {
    write: (line) => {
      const clean = withoutMisleading(redactLine(line, redactor));
      currentRun()?.addLine(clean);
      output.write(layout(clean));
    },
  };
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
      redact: { paths: SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), censor: "[redacted]" },
    },
    destination,
  );
}

/** Loads pino-pretty only if needed. It is synchronous, so that the last line before an exit is not lost. */
export async function layoutOf(format: LogFormat, colour = false): Promise<LineLayout | undefined> {
  if (format === "json") return undefined;
  const { prettyFactory } = await import("pino-pretty");
  const pretty = prettyFactory({
    colorize: colour,
    translateTime: "SYS:HH:MM:ss",
    singleLine: true,
    // pino has already serialized errors.
    errorLikeObjectKeys: [],
  });
  return (line) => pretty(line) ?? "";
}

/** Characters of texts of servers that JSON does not escape: they are invisible, reverse a line or end it. */
const MISLEADING = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Makes them visible as `\u{202e}`, for the layout as text too. */
function withoutMisleading(line: string): string {
  return line.replace(MISLEADING, (character) => `\\\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** Redacts value by value: replacing a password of digits in the line would break the JSON. */
function redactLine(line: string, redactor: Redactor): string {
  if (redactor.redact(line) === line) return line;
  return `${JSON.stringify(redactValue(JSON.parse(line), redactor))}\n`;
}

function redactValue(value: unknown, redactor: Redactor): unknown {
  if (Array.isArray(value)) return value.map((item) => redactValue(item, redactor));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [redactor.redact(key), redactValue(item, redactor)]),
    );
  }
  const text = String(value);
  const clean = redactor.redact(text);
  return clean === text ? value : clean;
}
