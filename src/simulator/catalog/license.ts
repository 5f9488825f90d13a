/** What an installation may monitor. */
export interface License {
  readonly edition: string;
  /** Sensors that it allows; undefined: as many as there are. */
  readonly sensors: number | undefined;
  /** Milliseconds since the epoch. */
  readonly validUntil: number;
}

const EDITIONS = [500, 1000, 2500, 5000, 10_000] as const;
const DAY_MS = 86_400_000;
/** Ends are at midnight, and the license is renewed early enough. */
const VALID_DAYS = 365;

/** The smallest edition that the sensors fit into, subscribed to for a year from the moment given. */
export function licenseFor(sensors: number, startedAt: number): License {
  const size = EDITIONS.find((edition) => sensors <= edition);
  const validUntil = (Math.floor(startedAt / DAY_MS) + VALID_DAYS) * DAY_MS;
  return { edition: size === undefined ? "PRTG Enterprise Monitor" : `PRTG ${size}`, sensors: size, validUntil };
}
