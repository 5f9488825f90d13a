import type { Clock } from "../../lib/clock.ts";
import { type License, licenseFor } from "../catalog/license.ts";
import type { Directory } from "../directory/directory.ts";
import { PasswordResets } from "../directory/password-resets.ts";
import { Discovery } from "../discovery/discovery.ts";
import { seedJobs } from "../discovery/seed.ts";
import type { World } from "../world/model.ts";
import { type Credentials, createDirectory } from "./accounts.ts";
import { PendingObjects } from "./creations.ts";
import { type Random, randomHex } from "./randomness.ts";

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
  /** For the lifetime of tokens. */
  readonly clock: Pick<Clock, "monotonic">;
  /** Simulated time, milliseconds since the epoch. */
  readonly now: () => number;
  /** For tokens. */
  readonly random: Random;
  /** How long a new object of the tree takes to become available; milliseconds of simulated time. */
  readonly readyAfterMs: number;
}

const PASSWORD_TOKEN_LIFETIME_MS = 30 * 60_000;

export function createInstallation(options: InstallationOptions): Installation {
  const { world, credentials, clock, now, random, readyAfterMs } = options;
  const startedAt = now();
  const discovery = new Discovery(world);
  seedJobs(discovery, world, startedAt);
  const newToken = (): string => randomHex(random, 40);
  return {
    directory: createDirectory(world, credentials, startedAt),
    passwordResets: new PasswordResets({ clock, now, newToken, lifetimeMs: PASSWORD_TOKEN_LIFETIME_MS }),
    discovery,
    license: licenseFor(world.list("sensor").length, startedAt),
    pendingObjects: new PendingObjects({ now, readyAfterMs }),
  };
}
