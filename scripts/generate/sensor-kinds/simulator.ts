import { exampleNames, type KindTable, type KnownChannel } from "./table.ts";

/** Concrete channels in both languages, without metrics. */
export function knownKindsFile(table: KindTable): string {
  const sensors = Object.values(table.kinds).reduce((sum, kind) => sum + (kind.sensors ?? 0), 0);
  const lines = Object.entries(table.kinds).map(([id, kind]) => {
    const share = kind.sensors === undefined ? {} : { share: Number((kind.sensors / sensors).toPrecision(3)) };
    const seen = new Set<string>();
    const channels = kind.channels.flatMap((channel) => {
      const german = exampleNames(channel, "de");
      return exampleNames(channel, "en").flatMap(({ name: en }, index) => {
        if (seen.has(en)) return [];
        seen.add(en);
        const de = german[index]?.name ?? german[0]?.name ?? en;
        return [{ en, de, unit: channel.unit, quantity: quantityOf(table, channel) }];
      });
    });
    const { name, evidence } = kind;
    return `  ${JSON.stringify({ id, name, evidence, ...share, channels })}`;
  });
  return `[\n${lines.join(",\n")}\n]\n`;
}

const QUANTITIES: Readonly<Record<string, string>> = {
  bytes: "size",
  bytes_per_second: "size_rate",
  seconds: "time",
  ratio: "ratio",
  count: "count",
  per_second: "count_rate",
  celsius: "temperature",
  rpm: "rotation",
  watts: "power",
};

export function quantityOf(table: KindTable, { metric }: KnownChannel): string {
  if (metric === undefined) return "unknown";
  if (metric.endsWith("_state")) return "state";
  return QUANTITIES[table.metrics[metric]?.unit ?? ""] ?? "number";
}
