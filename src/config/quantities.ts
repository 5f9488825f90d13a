const TIME_UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
] as const;

/** As in Prometheus: integers with units, largest unit first, each unit once. */
export const DURATION_PATTERN = /^(?=\d)(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+)s)?(?:(\d+)ms)?$/;

/** Milliseconds of `250ms`, `30s`, `1h30m`, `2d`. `undefined` for other text and above exact integers. */
export function parseDuration(text: string): number | undefined {
  const match = DURATION_PATTERN.exec(text);
  if (match === null) return undefined;
  let ms = 0;
  for (const [index, [, size]] of TIME_UNITS.entries()) ms += Number(match[index + 1] ?? 0) * size;
  return Number.isSafeInteger(ms) ? ms : undefined;
}

/** Shortest text for non-negative whole milliseconds. */
export function formatDuration(ms: number): string {
  let rest = ms;
  let text = "";
  for (const [unit, size] of TIME_UNITS) {
    const count = Math.floor(rest / size);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * size;
  }
  return text === "" ? "0s" : text;
}

const BYTE_UNITS: Readonly<Record<string, number>> = {
  B: 1,
  kB: 1e3,
  KB: 1e3,
  KiB: 1024,
  MB: 1e6,
  MiB: 1024 ** 2,
  GB: 1e9,
  GiB: 1024 ** 3,
};

/** SI units (powers of 1000) or IEC units (powers of 1024). */
export const BYTE_SIZE_PATTERN = /^(\d+(?:\.\d+)?) ?(B|[kK]B|KiB|MB|MiB|GB|GiB)$/;

/** Bytes of `512KiB`, `64MiB`, `1.5GB`, rounded down. `undefined` for other text and above exact integers. */
export function parseByteSize(text: string): number | undefined {
  const match = BYTE_SIZE_PATTERN.exec(text);
  if (match === null) return undefined;
  const bytes = Math.floor(Number(match[1]) * (BYTE_UNITS[match[2] ?? ""] ?? Number.NaN));
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** Inverse of `parseByteSize` for non-negative whole bytes. */
export function formatByteSize(bytes: number): string {
  for (const unit of ["GiB", "MiB", "KiB"]) {
    const count = bytes / (BYTE_UNITS[unit] ?? 1);
    if (count >= 1 && Number.isInteger(count)) return `${count}${unit}`;
  }
  return `${bytes}B`;
}
