import type { ConfigProblem } from "../config/config-error.ts";
import type { Config } from "../config/load.ts";
import { ChannelMapper } from "../mapping/channel-mapper.ts";
import { SeriesLabels } from "../mapping/series-labels.ts";
import type { Shape } from "../projection/shape.ts";
import { compileMapping } from "./compile-mapping.ts";

export interface ConfiguredMapping {
  readonly mapper: ChannelMapper;
  /** Rules that have no effect. */
  readonly warnings: readonly ConfigProblem[];
}

const made = new WeakMap<Config, ConfiguredMapping>();

/**
 * Labels and rules as a configuration wants them; made once for each.
 * @throws ConfigError with everything that is wrong with the rules, at its line and column
 */
export function mappingOf(config: Config): ConfiguredMapping {
  const known = made.get(config) ?? createMapping(config);
  made.set(config, known);
  return known;
}

function createMapping({ mapping, labels, ruleFiles }: Config): ConfiguredMapping {
  const seriesLabels = new SeriesLabels(labels);
  const { keepOriginal, byteUnits } = mapping;
  if (ruleFiles.every(({ rules }) => rules.length === 0)) {
    return { mapper: new ChannelMapper({ labels: seriesLabels }), warnings: [] };
  }
  const labelsInUse = new Set([...labels.rename.values(), ...labels.fromTags.map(({ label }) => label)]);
  const { ruleSet, warnings } = compileMapping(ruleFiles, { byteUnits, labelsInUse });
  return { mapper: new ChannelMapper({ labels: seriesLabels, rules: ruleSet, keepOriginal }), warnings };
}

/** What is shown of servers, how, and for how long. */
export interface ConfiguredShape extends Shape {
  /** Age at which a measurement is withdrawn; undefined: three scanning intervals, at least five minutes. */
  readonly staleAfterMs: number | undefined;
}

export function shapeOf(config: Config): ConfiguredShape {
  const { mapper } = mappingOf(config);
  const { sensorStatus, nodeSensors, channelInfo } = config.metrics;
  return {
    mapper,
    // `auto`: where labels are left out of other series.
    channelInfo: channelInfo === "always" || (channelInfo === "auto" && !mapper.labels.isWide),
    sensorStatus,
    nodeSensors,
    staleAfterMs: config.staleAfterMs,
  };
}
