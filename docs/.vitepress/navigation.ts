import { readdirSync, readFileSync } from "node:fs";

const DOCS = new URL("../", import.meta.url);

/** An entry of the sidebar, in the shape that VitePress takes. */
export interface Entry {
  readonly text: string;
  /** Path of the page below the site, without its extension. */
  readonly link?: string;
  readonly collapsed?: boolean;
  readonly items?: Entry[];
}

/** Kinds of pages after https://diataxis.fr. A page has one place. */
export const NAVIGATION: readonly Entry[] = [
  group("Tutorial", [page("demo", "First graph with the demo"), page("getting-started", "First graph with your PRTG")]),
  group("How-to", [
    page("deployment", "Docker and Kubernetes"),
    page("web-configuration", "TLS, users, proxy"),
    page("tenants", "Several servers, several customers"),
    page("reload", "Reload the configuration"),
    page("otlp", "Push by OTLP"),
    page("otlp-receivers", "Receivers of the push"),
    page("grafana-cloud", "PRTG in Grafana Cloud"),
    page("events", "Status changes as events"),
    page("mapping", "Own metric names"),
    page("dashboards", "Dashboards"),
    page("alerts", "Alerts"),
    { text: "Runbooks", collapsed: true, items: pagesOf("runbooks") },
    page("mcp", "Ask it from an agent"),
    page("sync", "Acknowledge and silence in one place"),
    page("backfill", "Import history"),
    page("service-discovery", "Targets for other exporters"),
    page("migration", "Migrate from another exporter"),
    page("operations", "Operations"),
    page("troubleshooting", "Troubleshooting"),
    page("server-report", "Report a problem"),
    page("faq", "Frequently asked questions"),
  ]),
  group("Reference", [
    page("configuration", "Configuration"),
    page("commands", "Commands and flags"),
    page("metrics", "Metrics"),
    page("errors", "Errors and exit codes"),
    page("presets", "Presets"),
    page("units", "Units"),
    page("sensor-kinds", "Kinds of sensors"),
    page("otlp-names", "Names of OpenTelemetry"),
    page("status", "Status page"),
    page("endpoints", "HTTP endpoints"),
    page("ports", "Ports and firewalls"),
    page("api-coverage", "API coverage"),
    page("stability", "Stability"),
  ]),
  group("Explanation", [
    page("sizing", "Sizing"),
    page("otlp-delivery", "Delivery and cost of the push"),
    page("comparison", "Which tool for which need"),
    page("missing-endpoints", "Missing endpoints"),
    page("threat-model", "Threat model"),
  ]),
  group("Internals", [
    page("architecture", "Architecture"),
    { ...page("decisions/", "Decisions"), collapsed: true, items: pagesOf("decisions") },
    page("simulator", "Simulator"),
    page("simulator-in-tests", "The simulator in tests"),
    page("fuzz", "Fuzzing"),
  ]),
];

function group(text: string, items: Entry[]): Entry {
  return { text, items };
}

function page(path: string, text: string): Entry {
  return { text, link: `/${path}` };
}

/** The pages of a folder by title, without its index. */
function pagesOf(folder: string): Entry[] {
  return readdirSync(new URL(`${folder}/`, DOCS))
    .filter((file) => file.endsWith(".md") && file !== "README.md")
    .map((file) => page(`${folder}/${file.slice(0, -".md".length)}`, titleOf(`${folder}/${file}`)))
    .toSorted((a, b) => a.text.localeCompare(b.text, "en"));
}

function titleOf(file: string): string {
  const title = /^# (.*)$/m.exec(readFileSync(new URL(file, DOCS), "utf8"))?.[1];
  if (title === undefined) throw new Error(`docs/${file} has no title`);
  return title.replaceAll("`", "");
}
