import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";
import { siblings, TAG } from "./links.ts";

type Variable = Parameters<dashboard.DashboardBuilder["withVariable"]>[0];
type Annotation = Parameters<dashboard.DashboardBuilder["annotation"]>[0];
type Panel = Parameters<dashboard.DashboardBuilder["withPanel"]>[0];

export interface Section {
  /** Heading; the first section has none. */
  readonly title?: string;
  /** From left to right and line by line: widths fill 24 columns. */
  readonly panels: readonly Panel[];
  /** Nothing is asked for its panels until the reader opens it. */
  readonly collapsed?: boolean;
}

export interface DashboardOptions {
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly from: string;
  readonly refresh: string;
  /** The address is made of it, and stays: bookmarks, links and alerts name it. */
  readonly uid: string;
  readonly variables: readonly Variable[];
  readonly annotations: readonly Annotation[];
  readonly sections: readonly Section[];
}

export function buildDashboard(options: DashboardOptions): dashboard.Dashboard {
  const builder = new dashboard.DashboardBuilder(options.title)
    .uid(options.uid)
    .description(options.description)
    .tags([TAG, ...options.tags])
    .timezone("browser")
    .time({ from: options.from, to: "now" })
    .refresh(options.refresh)
    .tooltip(dashboard.DashboardCursorSync.Crosshair)
    .editable()
    .link(siblings())
    .variables([...options.variables])
    .annotations([...options.annotations]);
  for (const { title, panels, collapsed = false } of options.sections) {
    const row = title === undefined ? undefined : new dashboard.RowBuilder(title).collapsed(collapsed);
    if (row !== undefined && collapsed) for (const panel of panels) row.withPanel(panel);
    if (row !== undefined) builder.withRow(row);
    if (!collapsed) for (const panel of panels) builder.withPanel(panel);
  }
  return numbered(builder.build());
}

/**
 * Panels get the numbers by which Grafana tells them apart, those that a closed row holds after all others; links and annotations
 * stand in sight and not in a menu, as is the SDK's default.
 */
function numbered(built: dashboard.Dashboard): dashboard.Dashboard {
  let id = 0;
  const panels = (built.panels ?? []).map((panel) => ({ ...panel, id: ++id }));
  return {
    ...built,
    panels: panels.map((panel) =>
      "panels" in panel ? { ...panel, panels: panel.panels.map((held) => ({ ...held, id: ++id })) } : panel,
    ),
    annotations: { list: (built.annotations?.list ?? []).map(({ placement: _, ...annotation }) => annotation) },
    links: (built.links ?? []).map(({ placement: _, ...link }) => link),
  };
}
