import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";
import { siblings, TAG } from "./links.ts";

type Variable = Parameters<dashboard.DashboardBuilder["withVariable"]>[0];
type Panel = Parameters<dashboard.DashboardBuilder["withPanel"]>[0];

export interface Section {
  /** Heading; the first section has none. */
  readonly title?: string;
  /** From left to right and line by line: widths fill 24 columns. */
  readonly panels: readonly Panel[];
}

export interface DashboardOptions {
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly from: string;
  readonly refresh: string;
  readonly variables: readonly Variable[];
  readonly sections: readonly Section[];
}

export function buildDashboard(options: DashboardOptions): dashboard.Dashboard {
  const builder = new dashboard.DashboardBuilder(options.title)
    .description(options.description)
    .tags([TAG, ...options.tags])
    .timezone("browser")
    .time({ from: options.from, to: "now" })
    .refresh(options.refresh)
    .tooltip(dashboard.DashboardCursorSync.Crosshair)
    .editable()
    .link(siblings())
    .variables([...options.variables]);
  for (const { title, panels } of options.sections) {
    if (title !== undefined) builder.withRow(new dashboard.RowBuilder(title));
    for (const panel of panels) builder.withPanel(panel);
  }
  return numbered(builder.build());
}

/** Panels get the numbers by which Grafana tells them apart; links stand in sight and not in a menu, as is the SDK's default. */
function numbered(built: dashboard.Dashboard): dashboard.Dashboard {
  return {
    ...built,
    panels: (built.panels ?? []).map((panel, index) => ({ ...panel, id: index + 1 })),
    links: (built.links ?? []).map(({ placement: _, ...link }) => link),
  };
}
