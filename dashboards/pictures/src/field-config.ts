import {
  applyFieldOverrides,
  type DataFrame,
  displayNameOverrideProcessor,
  FieldColorModeId,
  FieldConfigOptionsRegistry,
  type FieldConfigPropertyItem,
  type FieldConfigSource,
  type GrafanaTheme2,
  identityOverrideProcessor,
  numberOverrideProcessor,
  standardFieldConfigEditorRegistry,
  standardTransformers,
  standardTransformersRegistry,
  thresholdsOverrideProcessor,
  transformDataFrame,
  valueMappingsOverrideProcessor,
} from "@grafana/data";
import { firstValueFrom } from "rxjs";
import type { PicturePanel } from "./picture.ts";

const NO_EDITOR = () => null;
const TRANSFORMERS = [
  standardTransformers.mergeTransformer,
  standardTransformers.filterFieldsByNameTransformer,
  standardTransformers.organizeFieldsTransformer,
];

/** What all panels can have of those that the dashboards set. Without these processors `null` thresholds stay null. */
const STANDARD_OPTIONS: readonly (readonly [id: string, process: FieldConfigPropertyItem["process"]])[] = [
  ["unit", identityOverrideProcessor],
  ["min", numberOverrideProcessor],
  ["max", numberOverrideProcessor],
  ["decimals", numberOverrideProcessor],
  ["displayName", displayNameOverrideProcessor],
  ["noValue", identityOverrideProcessor],
  ["color", identityOverrideProcessor],
  ["thresholds", thresholdsOverrideProcessor],
  ["mappings", valueMappingsOverrideProcessor],
  ["links", identityOverrideProcessor],
];

/** Tells Grafana's libraries what the application around them would tell: which options and transformations there are. */
export function registerStandards(): void {
  const options = STANDARD_OPTIONS.map(([id, process]) => option(id, id, process));
  standardFieldConfigEditorRegistry.setInit(() => options);
  standardTransformersRegistry.setInit(() =>
    TRANSFORMERS.map((transformer) => ({
      id: transformer.id,
      name: transformer.name,
      transformation: async () => transformer,
      editor: NO_EDITOR,
      imageDark: "",
      imageLight: "",
    })),
  );
}

/** Frames after the panel's transformations, with its units, colours and names on their fields. */
export async function shownFrames(
  panel: PicturePanel,
  frames: readonly DataFrame[],
  theme: GrafanaTheme2,
): Promise<DataFrame[]> {
  const { transformations } = panel;
  const fieldConfig = withDefaults(panel);
  const transformed = await firstValueFrom(transformDataFrame([...transformations], [...frames]));
  return applyFieldOverrides({
    data: transformed,
    fieldConfig,
    replaceVariables: (text) => text,
    theme,
    timeZone: "utc",
    fieldConfigRegistry: optionsOf(panel),
  });
}

/** As Grafana fills in what a dashboard leaves out: charts take colours from a palette, one line after the other. */
function withDefaults({ type, fieldConfig }: PicturePanel): FieldConfigSource {
  if (type !== "timeseries") return fieldConfig;
  return { ...fieldConfig, defaults: { color: { mode: FieldColorModeId.PaletteClassic }, ...fieldConfig.defaults } };
}

/** The options that all panels have, and those of this kind of panel that the dashboard sets. */
function optionsOf({ fieldConfig }: PicturePanel): FieldConfigOptionsRegistry {
  const registry = new FieldConfigOptionsRegistry();
  for (const standard of standardFieldConfigEditorRegistry.list()) registry.register(standard);
  const set = [
    ...Object.keys(fieldConfig.defaults.custom ?? {}),
    ...fieldConfig.overrides.flatMap(({ properties }) =>
      properties.flatMap(({ id }) => (id.startsWith("custom.") ? [id.slice("custom.".length)] : [])),
    ),
  ];
  for (const path of new Set(set)) {
    registry.register({ ...option(`custom.${path}`, path, identityOverrideProcessor), isCustom: true });
  }
  return registry;
}

function option(id: string, path: string, process: FieldConfigPropertyItem["process"]): FieldConfigPropertyItem {
  return { id, path, process, name: id, editor: NO_EDITOR, override: NO_EDITOR, shouldApply: () => true, settings: {} };
}
