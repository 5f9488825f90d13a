import { type Credentials, createDirectory } from "../auth/credentials.ts";
import type { Directory } from "../auth/directory.ts";
import { PasswordResets } from "../auth/passwords.ts";
import { type Random, randomHex } from "../random.ts";
import type { World } from "../world/model.ts";
import { Discovery, seedJobs } from "./discovery.ts";
import { PendingObjects } from "./pending-objects.ts";

/** What a monitoring service has beside its tree. */
export interface Installation {
  readonly directory: Directory;
  readonly passwordResets: PasswordResets;
  readonly discovery: Discovery;
  readonly license: License;
  /** Objects of the tree that are not ready yet. */
  readonly pendingObjects: PendingObjects;
}

export interface InstallationOptions {
  readonly world: World;
  readonly credentials: Credentials;
  /** Simulated time, milliseconds since the epoch. */
  readonly now: () => number;
  /** For tokens. */
  readonly random: Random;
  /** How long a new object of the tree takes to become available; milliseconds of simulated time. */
  readonly readyAfterMs: number;
}

const PASSWORD_TOKEN_LIFETIME_MS = 30 * 60_000;

export function createInstallation(options: InstallationOptions): Installation {
  const { world, credentials, now, random, readyAfterMs } = options;
  const startedAt = now();
  const discovery = new Discovery(world);
  seedJobs(discovery, world, startedAt);
  const newToken = (): string => randomHex(random, 40);
  return {
    directory: createDirectory(world, credentials, startedAt),
    passwordResets: new PasswordResets({ now, newToken, lifetimeMs: PASSWORD_TOKEN_LIFETIME_MS }),
    discovery,
    license: licenseFor(world.list("sensor").length, startedAt),
    pendingObjects: new PendingObjects({ now, readyAfterMs }),
  };
}

/** What an installation may monitor. */
interface License {
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

/** The smallest edition that the sensors fit into, subscribed to for a year from the given time. */
export function licenseFor(sensors: number, startedAt: number): License {
  const size = EDITIONS.find((edition) => sensors <= edition);
  const validUntil = (Math.floor(startedAt / DAY_MS) + VALID_DAYS) * DAY_MS;
  return { edition: size === undefined ? "PRTG Enterprise Monitor" : `PRTG ${size}`, sensors: size, validUntil };
}
