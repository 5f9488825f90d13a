const UNITS: Readonly<Record<string, number>> = {
  B: 1,
  kB: 1e3,
  KB: 1e3,
  KiB: 1024,
  MB: 1e6,
  MiB: 1024 ** 2,
  GB: 1e9,
  GiB: 1024 ** 3,
};

/** Sizes with a unit of the SI (powers of 1000) or the IEC (powers of 1024). */
export const BYTE_SIZE_PATTERN = /^(\d+(?:\.\d+)?) ?(B|[kK]B|KiB|MB|MiB|GB|GiB)$/;

/** Bytes of `512KiB`, `64MiB`, `1.5GB`, rounded down; undefined when `text` is no size or beyond exact integers. */
export function parseByteSize(text: string): number | undefined {
  const match = BYTE_SIZE_PATTERN.exec(text);
  if (match === null) return undefined;
  const bytes = Math.floor(Number(match[1]) * (UNITS[match[2] ?? ""] ?? Number.NaN));
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** A spelling that `parseByteSize` reads back as the same number. Takes whole bytes from 0 up. */
export function formatByteSize(bytes: number): string {
  for (const unit of ["GiB", "MiB", "KiB"]) {
    const count = bytes / (UNITS[unit] ?? 1);
    if (count >= 1 && Number.isInteger(count)) return `${count}${unit}`;
  }
  return `${bytes}B`;
}
