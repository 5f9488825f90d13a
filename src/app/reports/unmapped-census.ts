import type { Steps } from "../../lib/yielding.ts";
import type { MappingOutcome } from "../../mapping/channel-mapper.ts";
import type { ServerView } from "../../projection/server-view.ts";

/** Channels that have something in common and no mapped metric. */
export interface UnmappedGroup {
  /** The unit, or the kind of the sensor. */
  readonly name: string;
  readonly outcome: MappingOutcome;
  readonly channels: number;
  readonly example: {
    readonly server: string;
    /** `2490.1` */
    readonly object: string;
    readonly path: string;
    readonly channel: string;
  };
}

/** The largest groups first. */
export interface UnmappedCensus {
  readonly channels: number;
  readonly units: readonly UnmappedGroup[];
  readonly kinds: readonly UnmappedGroup[];
}

type Groups = Map<string, { -readonly [Key in keyof UnmappedGroup]: UnmappedGroup[Key] }>;

/** Counts the channels that no rule maps or drops, by unit and by kind, for each with the reason. */
export async function countUnmapped(
  monitors: ReadonlyMap<string, { readonly view: Pick<ServerView, "channels"> }>,
  slices: Steps,
): Promise<UnmappedCensus> {
  const units: Groups = new Map();
  const kinds: Groups = new Map();
  let channels = 0;
  for (const [server, { view }] of monitors) {
    for (const [sensor, channel, outcome] of view.channels()) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      if (outcome === "mapped" || outcome === "dropped") continue;
      channels++;
      const example = () => {
        const { id, path } = sensor;
        return { server, object: `${id}.${channel.channelId}`, path, channel: channel.name };
      };
      count(units, channel.unit, outcome, example);
      count(kinds, sensor.type, outcome, example);
    }
  }
  return { channels, units: inOrder(units), kinds: inOrder(kinds) };
}

function count(groups: Groups, name: string, outcome: MappingOutcome, example: () => UnmappedGroup["example"]): void {
  const key = `${outcome} ${name}`;
  const group = groups.get(key);
  if (group === undefined) groups.set(key, { name, outcome, channels: 1, example: example() });
  else group.channels++;
}

function inOrder(groups: Groups): UnmappedGroup[] {
  return [...groups.values()].sort((a, b) => b.channels - a.channels);
}
