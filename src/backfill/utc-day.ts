export const DAY_MS = 86_400_000;

/** Since the epoch. */
export function dayOf(at: number): number {
  return Math.floor(at / DAY_MS);
}

export function dayName(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

export function dayNumber(name: string): number {
  return Date.parse(`${name}T00:00:00Z`) / DAY_MS;
}

/**
 * Includes the time if the range begins within the day, because a file of the earlier part may exist.
 * @param rangeFrom Milliseconds since the epoch, whole seconds.
 */
export function dayFileName(day: number, rangeFrom: number): string {
  if (rangeFrom <= day * DAY_MS) return `${dayName(day)}.om`;
  const time = new Date(rangeFrom).toISOString().slice(11, 19).replaceAll(":", "");
  return `${dayName(day)}T${time}Z.om`;
}
