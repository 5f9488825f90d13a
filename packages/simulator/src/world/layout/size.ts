/** How large the world is. `channels` includes each sensor's Downtime channel. */
export interface WorldSize {
  readonly probes: number;
  readonly groups: number;
  readonly devices: number;
  readonly sensors: number;
  readonly channels: number;
}

export const DEFAULT_WORLD_SIZE: WorldSize = {
  probes: 3,
  groups: 40,
  devices: 240,
  sensors: 2600,
  channels: 12_000,
};

const KEYS = ["probes", "groups", "devices", "sensors", "channels"] as const;

/** Downtime and one more. */
const MIN_CHANNELS = 2;
export const MAX_CHANNELS = 51;

/**
 * Fills in what is left out, in the proportions of the default world: from the nearest count given below it in the tree
 * (devices from sensors), else from the nearest one above.
 * Throws a RangeError that says what is possible when the counts do not fit together.
 */
export function completeSize(given: Partial<WorldSize>): WorldSize {
  const known = KEYS.filter((key) => given[key] !== undefined);
  const size = Object.fromEntries(
    KEYS.map((key, level) => {
      const own = given[key];
      if (own !== undefined) return [key, own];
      const below = known.find((other) => KEYS.indexOf(other) > level);
      const reference = below ?? known.findLast((other) => KEYS.indexOf(other) < level);
      if (reference === undefined) return [key, DEFAULT_WORLD_SIZE[key]];
      const ratio = (given[reference] ?? 0) / DEFAULT_WORLD_SIZE[reference];
      const scaled = Math.round(DEFAULT_WORLD_SIZE[key] * ratio);
      return [key, ratio > 0 || key === "probes" ? Math.max(1, scaled) : 0];
    }),
  );
  const complete = { probes: 0, groups: 0, devices: 0, sensors: 0, channels: 0, ...size };
  if (given.channels === undefined) complete.channels = Math.max(complete.channels, MIN_CHANNELS * complete.sensors);
  checkSize(complete);
  return complete;
}

function checkSize(size: WorldSize): void {
  for (const key of KEYS) {
    if (!Number.isSafeInteger(size[key]) || size[key] < 0) {
      throw new RangeError(`${key} must be a whole number of at least 0, not ${size[key]}`);
    }
  }
  if (size.probes < 1) throw new RangeError("probes must be at least 1: everything else is below a probe");
  if (size.sensors > 0 && size.devices < 1) {
    throw new RangeError(`devices must be at least 1 for ${size.sensors} sensors: a sensor belongs to a device`);
  }
  const min = MIN_CHANNELS * size.sensors;
  const max = MAX_CHANNELS * size.sensors;
  if (size.channels < min || size.channels > max) {
    throw new RangeError(
      `channels must be between ${min} and ${max} for ${size.sensors} sensors ` +
        `(${MIN_CHANNELS} to ${MAX_CHANNELS} each, Downtime included), not ${size.channels}`,
    );
  }
}

/** Whole parts in proportion to the weights, which add up to `total`; none exceeds its weight if `total` does not. */
export function apportion(total: number, weights: readonly number[]): number[] {
  let sum = 0;
  for (const weight of weights) sum += weight;
  if (sum === 0) return weights.map((_, index) => (index === weights.length - 1 ? total : 0));
  let passed = 0;
  let given = 0;
  return weights.map((weight, index) => {
    passed += weight;
    const upTo = index === weights.length - 1 ? total : Math.floor((total * passed) / sum);
    const part = upTo - given;
    given = upTo;
    return part;
  });
}
