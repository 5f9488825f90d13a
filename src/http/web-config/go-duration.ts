/** Nanoseconds. */
const UNITS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};

const PART = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/gy;
const MAX_NS = 2 ** 63;

/** Milliseconds of `1s`, `1.5h`, `2m30s`, `0` as Go spells them; undefined for other text. */
export function parseGoDuration(text: string): number | undefined {
  const sign = text.startsWith("-") ? -1 : 1;
  const body = text.replace(/^[+-]/, "");
  if (body === "0") return 0;
  let nanoseconds = 0;
  let end = 0;
  for (const [part, number, unit] of body.matchAll(PART)) {
    nanoseconds += Number(number) * (UNITS[unit ?? ""] ?? Number.NaN);
    end += part.length;
  }
  if (body === "" || end !== body.length || nanoseconds >= MAX_NS) return undefined;
  return (sign * nanoseconds) / 1e6;
}
