/** Reads parts of a fault's argument. The functions return `undefined` for a part that they cannot read. */

const DURATION = /^([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)$/;
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** A longer time would leave the range of dates and timers. */
const MAX_DURATION_MS = 366 * 86_400_000;

/** Milliseconds of a duration of at most a year. */
export function readDuration(text: string): number | undefined {
  const match = DURATION.exec(text);
  if (match === null) return undefined;
  const duration = Number(match[1]) * (UNIT_MS[match[2] ?? ""] ?? 1);
  return duration <= MAX_DURATION_MS ? duration : undefined;
}

/** A duration with a sign, in milliseconds. */
export function readShift(text: string | undefined): number | undefined {
  const sign = text?.[0];
  const size = readDuration(text?.slice(1) ?? "");
  if (size === undefined) return undefined;
  return sign === "+" ? size : sign === "-" ? -size : undefined;
}

/** Bytes or characters, at least 1. */
export function readSize(text: string | undefined): number | undefined {
  const match = /^([0-9]+)(B|kB|MB)?$/.exec(text ?? "");
  if (match === null) return undefined;
  const size = Number(match[1]) * ({ kB: 1000, MB: 1_000_000 }[match[2] ?? ""] ?? 1);
  return size > 0 ? size : undefined;
}

export function integer(text: string | undefined, min: number, max: number): number | undefined {
  return /^-?[0-9]+$/.test(text ?? "") ? number(text, min, max) : undefined;
}

export function number(text: string | undefined, min: number, max: number): number | undefined {
  if (!/^-?[0-9]+(\.[0-9]+)?$/.test(text ?? "")) return undefined;
  const value = Number(text);
  return value >= min && value <= max ? value : undefined;
}

export function oneOf<Choice extends string>(text: string, choices: readonly Choice[]): Choice | undefined {
  return choices.find((choice) => choice === text);
}

/** A header cannot hold other characters. */
export function readHeaderText(argument: string): string | undefined {
  return /^[!-~]+$/.test(argument) ? argument : undefined;
}

/** `undefined` for a wrong percent-encoding. */
export function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

export function splitAt(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}
