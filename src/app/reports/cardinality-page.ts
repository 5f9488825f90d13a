import type { DebugPage, DebugSection } from "../../http/pages/status/debug-view.ts";
import { type Steps, TimeSlices } from "../../lib/yielding.ts";
import type { MappingOutcome } from "../../mapping/rules/rule.ts";
import { type Cardinality, countCardinality } from "../../store/cardinality.ts";
import type { DebugSources } from "./sources.ts";

const TOP_VALUES = 5;
const MAX_VALUE = 60;
/** The number of units and kinds has no bound. */
const MAX_ROWS = 50;

/** `/debug/cardinality`: series per family, per probe and by label, and the channels that no rule maps. */
export function cardinalityPage(sources: () => DebugSources): DebugPage {
  return async () => {
    const now = sources();
    const { store, monitors, clock } = now;
    const slices = new TimeSlices(clock, undefined, "reader");
    const probeOf = (server: string, id: string) => monitors.get(server)?.view.state.tree.nodes.get(id)?.probe;
    const cardinality = await countCardinality(store, { probeOf, top: TOP_VALUES, slices });
    const unmapped = await countUnmapped(now, slices);
    return {
      status: 200,
      sections: [...seriesSections(cardinality), ...unmappedSections(unmapped)],
      isSpaced: true,
      json: cardinalityReport(cardinality, unmapped),
    };
  };
}

function seriesSections({ series, families, probes, withoutProbe, labels }: Cardinality): DebugSection[] {
  return [
    {
      title: `series about monitored objects: ${series}`,
      head: ["family", "series"],
      ...rowsOf(families, ({ name, series: count }) => [name, String(count)]),
    },
    {
      title: "series per probe",
      head: ["server", "probe", "series"],
      ...rowsOf(probes, ({ server, name, series: count }) => [server, name, String(count)]),
      note: `without a probe: ${withoutProbe}`,
    },
    {
      title: "labels",
      head: ["label", "values", "series", "most frequent values (series)"],
      ...rowsOf(labels, ({ label, distinct, series: count, top }) => {
        const most = top.map((value) => `${shortened(value.name)} (${value.series})`).join(", ");
        return [label, String(distinct), String(count), most];
      }),
    },
  ];
}

function unmappedSections({ hasRules, channels, units, kinds }: UnmappedCensus): DebugSection[] {
  const what = hasRules
    ? "channels without a mapped metric"
    : "no rules are configured, so no channel has a mapped metric";
  const groups = ["why", "channels", "for example"];
  return [
    { title: `${what}: ${channels}`, head: ["unit", ...groups], ...rowsOf(units, groupRow) },
    { title: "kinds of their sensors", head: ["kind", ...groups], ...rowsOf(kinds, groupRow) },
  ];
}

function rowsOf<Item>(items: readonly Item[], row: (item: Item) => string[]): Pick<DebugSection, "rows" | "more"> {
  const left = items.length - MAX_ROWS;
  return { rows: items.slice(0, MAX_ROWS).map(row), more: left > 0 ? `and ${left} more` : undefined };
}

function groupRow({ name, outcome, channels, example }: UnmappedGroup): string[] {
  const { server, object, path, channel } = example;
  return [
    name === "" ? "(none)" : shortened(name),
    outcome,
    String(channels),
    `${object} of ${server}: ${shortened(path)}, ${shortened(channel)}`,
  ];
}

function shortened(text: string): string {
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE).toWellFormed()}...` : text;
}

function cardinalityReport(cardinality: Cardinality, unmapped: UnmappedCensus): object {
  const { series, families, probes, withoutProbe, labels } = cardinality;
  const groups = (rows: readonly UnmappedGroup[]) => ({ total: rows.length, most: rows.slice(0, MAX_ROWS) });
  return {
    series,
    families: families.map(({ name, series: count }) => ({ family: name, series: count })),
    probes: probes.map(({ server, name, series: count }) => ({ server, probe: name, series: count })),
    series_of_no_probe: withoutProbe,
    labels: labels.map(({ top, ...label }) => ({
      ...label,
      top: top.map(({ name, series: count }) => ({ value: name, series: count })),
    })),
    unmapped: {
      rules_configured: unmapped.hasRules,
      channels: unmapped.channels,
      units: groups(unmapped.units),
      kinds: groups(unmapped.kinds),
    },
  };
}

/** Channels without a mapped metric. */
interface UnmappedGroup {
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
interface UnmappedCensus {
  readonly hasRules: boolean;
  readonly channels: number;
  readonly units: readonly UnmappedGroup[];
  readonly kinds: readonly UnmappedGroup[];
}

type Groups = Map<string, { -readonly [Key in keyof UnmappedGroup]: UnmappedGroup[Key] }>;

/** Channels that no rule maps or drops, by unit and by kind, with the reason. */
async function countUnmapped({ monitors, mapper: { hasRules } }: DebugSources, slices: Steps): Promise<UnmappedCensus> {
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
      addChannel(units, channel.unit, outcome, example);
      addChannel(kinds, sensor.type, outcome, example);
    }
  }
  return { hasRules, channels, units: inOrder(units), kinds: inOrder(kinds) };
}

function addChannel(
  groups: Groups,
  name: string,
  outcome: MappingOutcome,
  example: () => UnmappedGroup["example"],
): void {
  const key = `${outcome} ${name}`;
  const group = groups.get(key);
  if (group === undefined) groups.set(key, { name, outcome, channels: 1, example: example() });
  else group.channels++;
}

function inOrder(groups: Groups): UnmappedGroup[] {
  return [...groups.values()].sort((a, b) => b.channels - a.channels);
}
