import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";
import { siblings, TAG } from "./links.ts";

type Variable = Parameters<dashboard.DashboardBuilder["withVariable"]>[0];
type Annotation = Parameters<dashboard.DashboardBuilder["annotation"]>[0];
type Panel = Parameters<dashboard.DashboardBuilder["withPanel"]>[0];

type Placed = Pick<dashboard.Panel, "gridPos">;

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

/** Closes the gaps that the SDK leaves for panels of closed rows. */
function withoutGaps(panels: NonNullable<dashboard.Dashboard["panels"]>): typeof panels {
  let gap = 0;
  const raised = <T extends Placed>(panel: T): T => {
    const gridPos = gridPosOf(panel);
    return { ...panel, gridPos: { ...gridPos, y: gridPos.y - gap } };
  };
  return panels.map((panel) => {
    if (!("panels" in panel)) return raised(panel);
    const row = { ...raised(panel), panels: panel.panels.map(raised) };
    gap += Math.max(0, ...panel.panels.map((held) => bottomOf(held) - bottomOf(panel)));
    return row;
  });
}

function bottomOf(panel: Placed): number {
  const { y, h } = gridPosOf(panel);
  return y + h;
}

function gridPosOf({ gridPos }: Placed): dashboard.GridPos {
  if (gridPos === undefined) throw new Error("the SDK places each panel");
  return gridPos;
}

/**
 * Panels get the numbers by which Grafana tells them apart, those that a closed row holds after all others; links and annotations
 * stand in sight and not in a menu, as is the SDK's default.
 */
function numbered(built: dashboard.Dashboard): dashboard.Dashboard {
  let id = 0;
  const panels = withoutGaps(built.panels ?? []).map((panel) => ({ ...panel, id: ++id }));
  return {
    ...built,
    panels: panels.map((panel) =>
      "panels" in panel ? { ...panel, panels: panel.panels.map((held) => ({ ...held, id: ++id })) } : panel,
    ),
    annotations: { list: (built.annotations?.list ?? []).map(({ placement: _, ...annotation }) => annotation) },
    links: (built.links ?? []).map(({ placement: _, ...link }) => link),
  };
}
