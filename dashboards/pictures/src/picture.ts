/** What a picture is drawn from, free of Grafana's types, which only the install of dashboards/pictures has: a dashboard as it is checked in, and what Prometheus answered to its queries. */
export interface Picture {
  readonly title: string;
  readonly theme: "dark" | "light";
  readonly variables: readonly { readonly label: string; readonly value: string }[];
  /** Shown time, Unix milliseconds. */
  readonly range: { readonly from: number; readonly to: number };
  readonly panels: readonly PicturePanel[];
  readonly marks: readonly Mark[];
}

export interface PicturePanel {
  readonly type: string;
  readonly title: string;
  readonly description?: string | undefined;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly options: Record<string, unknown>;
  readonly fieldConfig: PanelFieldConfig;
  readonly transformations: readonly { readonly id: string; readonly options: Record<string, unknown> }[];
  readonly collapsed: boolean;
  readonly answers: readonly Answer[];
}

/** Units, colours, names and thresholds of what a panel shows, for all of it and by name. */
export interface PanelFieldConfig {
  readonly defaults: { readonly noValue?: string; readonly custom?: Readonly<Record<string, unknown>> };
  // Not readonly, because Grafana's types are not.
  overrides: { matcher: { id: string; options?: unknown }; properties: { id: string; value?: unknown }[] }[];
}

/** The answer to one query. */
export interface Answer {
  readonly refId: string;
  readonly asTable: boolean;
  readonly legendFormat: string;
  readonly series: readonly Series[];
}

/** As Prometheus tells it: times in Unix seconds. */
export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly points: readonly { readonly time: number; readonly value: number }[];
}

/** An annotation: what happened at `time`, Unix milliseconds. */
export interface Mark {
  readonly time: number;
  readonly color: string;
}
