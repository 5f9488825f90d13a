const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
] as const;

/** Durations as Prometheus spells them: whole numbers with units, the largest first, each unit once. */
export const DURATION_PATTERN = /^(?=\d)(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+)s)?(?:(\d+)ms)?$/;

/** Milliseconds of `250ms`, `30s`, `1h30m`, `2d`; undefined when `text` is no duration or beyond exact integers. */
export function parseDuration(text: string): number | undefined {
  const match = DURATION_PATTERN.exec(text);
  if (match === null) return undefined;
  let ms = 0;
  for (const [index, [, size]] of UNITS.entries()) ms += Number(match[index + 1] ?? 0) * size;
  return Number.isSafeInteger(ms) ? ms : undefined;
}

/** The shortest spelling that `parseDuration` reads back as the same number. Takes whole milliseconds from 0 up. */
export function formatDuration(ms: number): string {
  let rest = ms;
  let text = "";
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * size;
  }
  return text === "" ? "0s" : text;
}
