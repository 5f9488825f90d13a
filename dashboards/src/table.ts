import * as common from "@grafana/grafana-foundation-sdk/common";
import type { DynamicConfigValue } from "@grafana/grafana-foundation-sdk/dashboard";
import * as prometheus from "@grafana/grafana-foundation-sdk/prometheus";
import * as table from "@grafana/grafana-foundation-sdk/table";
import type { StatusToken } from "../../src/prtg/status.ts";
import { HEIGHT, instantQuery, type PanelText, refId, steps } from "./panels.ts";
import { colorOf } from "./statuses.ts";
import { DATA_SOURCE } from "./variables.ts";

export interface Column {
  /** A label, or `value` with the place of its query: `value 0`. */
  readonly from: string;
  readonly title: string;
  readonly pixels?: number;
  readonly unit?: string;
  readonly decimals?: number;
  readonly properties?: readonly DynamicConfigValue[];
}

export interface TableOptions extends PanelText {
  /** Their rows are put together where all labels that they share are the same. */
  readonly queries: readonly string[];
  readonly columns: readonly Column[];
  readonly height?: number;
  /** Titles of columns, the first one counts most. */
  readonly sortBy?: Readonly<Record<string, "ascending" | "descending">>;
}

/** A cell in the color that the value is mapped to, or that its threshold has. */
export function colored(...properties: DynamicConfigValue[]): DynamicConfigValue[] {
  return [{ id: "custom.cellOptions", value: { type: "color-background", mode: "basic" } }, ...properties];
}

/** In the color of a status from 1 on. */
export function coloredFromOne(status: StatusToken): DynamicConfigValue[] {
  const levels = [
    { value: null, color: "transparent" },
    { value: 1, color: colorOf(status) },
  ];
  return colored(
    { id: "thresholds", value: { mode: "absolute", steps: levels } },
    { id: "color", value: { mode: "thresholds" } },
  );
}

export function tablePanel(options: TableOptions) {
  const { queries, columns } = options;
  const panel = new table.PanelBuilder()
    .title(options.title)
    .description(options.description)
    .datasource(DATA_SOURCE)
    .span(options.width)
    .height(options.height ?? HEIGHT.table)
    .targets(queries.map((expr, index) => instantQuery({ expr }, index).format(prometheus.PromQueryFormat.Table)))
    .unit(options.unit ?? "string")
    .noValue(options.none ?? "No data")
    .thresholds(steps([[null, "text"]]))
    .transformations([
      { id: "merge", options: {} },
      {
        id: "filterFieldsByName",
        options: { include: { names: columns.map(({ from }) => fieldOf(from, queries.length)) } },
      },
      {
        id: "organize",
        options: {
          excludeByName: {},
          includeByName: {},
          indexByName: Object.fromEntries(columns.map(({ from }, index) => [fieldOf(from, queries.length), index])),
          renameByName: Object.fromEntries(columns.map(({ from, title }) => [fieldOf(from, queries.length), title])),
        },
      },
    ])
    .showHeader(true)
    .cellHeight(common.TableCellHeight.Sm)
    .filterable(true)
    .sortBy(
      Object.entries(options.sortBy ?? {}).map(([title, order]) =>
        new common.TableSortByFieldStateBuilder().displayName(title).desc(order === "descending"),
      ),
    );
  for (const column of columns) panel.overrideByName(column.title, propertiesOf(column));
  return panel;
}

/** The table's name for it: the number of a single query has no letter. */
function fieldOf(from: string, queries: number): string {
  const [, index] = /^value (\d)$/.exec(from) ?? [];
  if (index === undefined) return from;
  return queries === 1 ? "Value" : `Value #${refId(Number(index))}`;
}

/** An empty cell would show the text for an empty table. */
const EMPTY: DynamicConfigValue = { id: "noValue", value: "–" };

function propertiesOf({ pixels, unit, decimals, properties = [] }: Column): DynamicConfigValue[] {
  return [
    EMPTY,
    ...(pixels === undefined ? [] : [{ id: "custom.width", value: pixels }]),
    ...(unit === undefined ? [] : [{ id: "unit", value: unit }]),
    ...(decimals === undefined ? [] : [{ id: "decimals", value: decimals }]),
    ...properties,
  ];
}
