import { z } from "zod";
import {
  BYTE_SIZE_PATTERN,
  DURATION_PATTERN,
  formatByteSize,
  formatDuration,
  parseByteSize,
  parseDuration,
} from "./quantities.ts";
import { parseSchedule, type Schedule } from "./schedule.ts";
import { parseSecret, Secret } from "./secrets.ts";

/*
 * Value types of the configuration. Messages say what was expected. validation.ts adds the place and the value. `params.fault` describes
 * the problem without the value. `title` is the name of the type in docs/configuration.md.
 */

/** A process validates few configurations, so compiled code takes longer than it saves. */
z.config({ jitless: true });

/** A key that may be missing. */
export function optional<Schema extends z.ZodType>(schema: Schema, description: string, ...examples: unknown[]) {
  return schema.optional().meta({ description, ...(examples.length > 0 && { examples }) });
}

/** Accepts the keys of a table and returns their values. */
export function named<const Table extends Readonly<Record<string, string>>>(table: Table) {
  const names = Object.keys(table);
  return z.enum(names).transform((name) => table[name as keyof Table]);
}

type CamelCase<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Name;

type InCode<Section, Names> = {
  readonly [Key in keyof Section as Key extends keyof Names
    ? Names[Key] & string
    : CamelCase<Key> & string]-?: Section[Key];
};

/**
 * The keys of a section as the code calls them: `max_text_size` is `maxTextSize`. No key gets lost.
 * @param names Other names, mostly with a unit.
 */
export function inCode<
  Section extends object,
  const Names extends { readonly [Key in keyof Section]?: string } = object,
>(section: Section, names?: Names): InCode<Section, Names> {
  const other = new Map<string, unknown>(Object.entries(names ?? {}));
  const entries = Object.entries(section).map(([key, value]) => {
    return [other.get(key) ?? key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()), value];
  });
  return Object.fromEntries(entries);
}

/** Milliseconds, with inclusive bounds. */
export function duration(minimum: string, maximum: string) {
  const least = parseDuration(minimum) ?? 0;
  const most = parseDuration(maximum) ?? Number.POSITIVE_INFINITY;
  const examples = ["500ms", "30s", "1h30m"].filter((text) => isWithin(parseDuration(text), least, most));
  const such = examples.length === 0 ? "" : `, such as ${examples.join(" or ")}`;
  const error = `a duration from ${formatDuration(least)} to ${formatDuration(most)}${such}`;
  return z
    .string({ error })
    .meta({ title: "duration", pattern: DURATION_PATTERN.source })
    .transform((text, context) => {
      const ms = parseDuration(text);
      return ms !== undefined && isWithin(ms, least, most) ? ms : refuse(context, text, error);
    });
}

function isWithin(ms: number | undefined, least: number, most: number): boolean {
  return ms !== undefined && ms >= least && ms <= most;
}

/** Milliseconds up to `maximum`, or the number 0 without unit. */
export function durationOrZero(maximum: string) {
  const most = parseDuration(maximum) ?? Number.POSITIVE_INFINITY;
  const error = `0, or a duration up to ${formatDuration(most)}, such as 30s or 4m`;
  return z
    .union([z.string(), z.literal(0)], { error })
    .meta({ title: "duration or 0" })
    .transform((input, context) => {
      const ms = input === 0 || input === "0" ? 0 : parseDuration(input);
      return ms !== undefined && ms <= most ? ms : refuse(context, String(input), error);
    });
}

/** Bytes, with inclusive bounds. */
export function byteSize(minimum: string, maximum: string) {
  const least = parseByteSize(minimum) ?? 0;
  const most = parseByteSize(maximum) ?? Number.POSITIVE_INFINITY;
  const error = `a size from ${formatByteSize(least)} to ${formatByteSize(most)} with its unit, such as 64MiB`;
  return z
    .string({ error })
    .meta({ title: "size", pattern: BYTE_SIZE_PATTERN.source })
    .transform((text, context) => {
      const bytes = parseByteSize(text);
      return bytes !== undefined && bytes >= least && bytes <= most ? bytes : refuse(context, text, error);
    });
}

export function schedule() {
  const error = "a duration such as 30s, or a cron expression with seconds such as 0 */5 * * * *";
  return z
    .string({ error })
    .meta({ title: "schedule" })
    .transform((text, context): Schedule => {
      const parsed = parseSchedule(text);
      return "fault" in parsed ? refuse(context, text, error, parsed.fault) : parsed;
    });
}

/** Scheme, host, port and path before `/api/v2`, without a slash at the end. */
export function serverUrl(example = "https://prtg.example.com:1616") {
  const error = `an http or https URL such as ${example}`;
  return z
    .string({ error })
    .meta({ title: "URL" })
    .transform((text, context) => {
      const parsed = parseServerUrl(text);
      return "fault" in parsed ? refuse(context, text, error, parsed.fault) : parsed.url;
    });
}

/** Requires a visible character. @param expected Purpose, for the message. */
export function text(expected: string) {
  return z.string({ error: expected }).regex(/\S/, { error: expected }).meta({ title: "text" });
}

export function filePath() {
  return text("the path of a file").meta({ title: "path" });
}

/** validation.ts rejects literals, because it knows the origin of the scalar. */
export function secret() {
  const error = "a reference to an environment variable such as ${PRTG_API_KEY}";
  return z
    .string({ error })
    .meta({ title: "environment reference", pattern: "^\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}$" })
    .transform((content, context) => {
      const parsed = parseSecret(content);
      return "fault" in parsed ? refuse(context, content, error, `it ${parsed.fault}`) : new Secret(parsed.value);
    });
}

export function wholeNumber(minimum: number, maximum: number) {
  const error = `a whole number from ${minimum} to ${maximum}`;
  return z.int({ error }).min(minimum, { error }).max(maximum, { error });
}

export function number(minimum: number, maximum: number) {
  const error = `a number from ${minimum} to ${maximum}`;
  return z.number({ error }).min(minimum, { error }).max(maximum, { error });
}

/** Reports an issue. @param fault The problem, without the value. */
export function refuse(context: z.RefinementCtx, input: string, message: string, fault = ""): never {
  context.addIssue({ code: "custom", message, input, params: { fault } });
  return z.NEVER;
}

/** SHA-256 of a certificate as OpenSSL and browsers display it. Returns lower-case hexadecimal without colons. */
function fingerprint() {
  const error = "a SHA-256 fingerprint: 64 hexadecimal digits, with or without colons between the pairs";
  return z
    .string({ error })
    .meta({ title: "fingerprint", pattern: FINGERPRINT.source })
    .transform((text, context) =>
      FINGERPRINT.test(text) ? text.replaceAll(":", "").toLowerCase() : refuse(context, text, error),
    );
}

/** The peer must present one of these certificates. */
export function fingerprints(description: string) {
  return z
    .array(fingerprint())
    .min(1, { error: "at least one fingerprint" })
    .optional()
    .meta({
      description,
      examples: [["3A:F2:00:5C:91:7E:44:B8:6D:0F:12:C3:9A:85:E1:77:26:DB:58:F4:0B:63:A9:1C:E8:34:7F:52:96:CD:20:81"]],
    });
}

const FINGERPRINT = /^[0-9A-Fa-f]{2}(?::?[0-9A-Fa-f]{2}){31}$/;

/** Does not repeat the text, which may contain credentials. */
export interface UrlFault {
  readonly fault: string;
}

/** Drops a slash or `/api/v2` at the end. */
export function parseServerUrl(text: string): { readonly url: string } | UrlFault {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text.trim())) return { fault: "it does not begin with http:// or https://" };
  if (!URL.canParse(text)) return { fault: "it is malformed" };
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") return { fault: "its scheme is neither http nor https" };
  if (url.port === "0") return { fault: "port 0 is invalid" };
  if (url.username !== "" || url.password !== "") return { fault: "credentials belong under auth, not in the URL" };
  if (text.includes("?")) return { fault: "it has a query (an API key belongs under auth)" };
  if (text.includes("#")) return { fault: "it has a fragment" };
  const path = url.pathname
    .replace(/\/+$/, "")
    .replace(/\/api\/v2$/i, "")
    .replace(/\/+$/, "");
  return { url: url.origin + path };
}
