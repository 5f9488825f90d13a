import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";

/** Stands for whatever data source the reader picks. */
export const DATA_SOURCE = { type: "prometheus", uid: "${datasource}" };

/** Matchers for the chosen servers. */
export const SERVERS = 'job=~"$job",server=~"$server"';

export interface Choice {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly query: string;
  /** Regular expression that "All" stands for; without it one value has to be chosen. */
  readonly all?: string;
  readonly multi?: boolean;
  /** Regular expression with the value of an option. Without it, each label value is one. */
  readonly options?: string;
}

/** Stands for the Loki that the reader picks, where there is one. */
export const LOGS = { type: "loki", uid: "${logs}" };

export function dataSource() {
  return new dashboard.DatasourceVariableBuilder("datasource")
    .label("Data source")
    .description("The Prometheus that scrapes the exporter.")
    .type("prometheus");
}

/**
 * Text and value of each option. The value ends before a backquote, which raw strings cannot hold. `nameMatch` matches the rest.
 * Names that begin with a backquote are no options.
 */
export const NAME_OPTION = "/^(?<text>(?<value>[^`]+)[\\s\\S]*)$/";

/**
 * What is chosen in a variable that holds names from the server, as a regular expression in a raw string of PromQL or LogQL. Grafana
 * escapes backslashes for raw strings only, and quotation marks for no other kind. `\x60` is a backquote.
 * @param more regular expression for the text behind it
 */
export function nameMatch(variable: string, more = ""): string {
  return `\`\${${variable}:regex}(?s:\\x60.*)?${more}\``;
}

/** Matchers for what is chosen in variables that hold names from the server, which can be anything. */
export function chosen(...labels: readonly string[]): string {
  return labels.map((label) => `${label}=~${nameMatch(label)}`).join(",");
}

/** Any value or none. Names may have line breaks, which `.` alone is not in Prometheus 2. */
const ANYTHING = "(?s:.*)";

/** A matcher for what somebody searches for in all of the label, without case. Names may have line breaks: see `ANYTHING`. */
export function searched(label: string): string {
  return `${label}=~\`(?is).*(?:\${${label}:raw}).*\``;
}

/** Values of a label, asked for again whenever the time range changes. */
export function choice({ name, label, description, query, all, multi = all !== undefined, options = "" }: Choice) {
  const variable = new dashboard.QueryVariableBuilder(name)
    .label(label)
    .description(description)
    .datasource(DATA_SOURCE)
    // 1: label values, as the query editor writes it.
    .query({ qryType: 1, query, refId: `variable-${name}` })
    .definition(query)
    .regex(options)
    .refresh(dashboard.VariableRefresh.OnTimeRangeChanged)
    .sort(dashboard.VariableSort.AlphabeticalCaseInsensitiveAsc)
    .multi(multi);
  return all === undefined ? variable : variable.includeAll(true).allValue(all).current(ALL);
}

const ALL = { selected: true, text: ["All"], value: ["$__all"] };

export function textBox(name: string, label: string, description: string, value: string) {
  return new dashboard.TextBoxVariableBuilder(name)
    .label(label)
    .description(description)
    .defaultValue(value)
    .current({ selected: true, text: value, value });
}

/** Where the exporter's events are, for those who keep them: nothing is asked of it until the reader turns events on. */
export function logs() {
  return [
    new dashboard.DatasourceVariableBuilder("logs")
      .label("Logs")
      .description("Loki data source with the exporter's events. Only the events need it.")
      .type("loki"),
    textBox(
      "service",
      "Service",
      "Regular expression for the service.name of the exporters of events.",
      "prtg-exporter",
    ).hide(dashboard.VariableHide.HideVariable),
  ];
}

export const JOB: Choice = {
  name: "job",
  label: "Job",
  description: "Scrape job of the exporter.",
  query: "label_values(prtg_up, job)",
  all: ".+",
};

export const SERVER: Choice = {
  name: "server",
  label: "Server",
  description: "Monitoring servers by their configured names.",
  query: 'label_values(prtg_up{job=~"$job"}, server)',
  all: ".+",
};

/** From the few series about probes, not from those of all sensors: a probe lies below the root, so its path is its name. */
export const PROBE: Choice = {
  name: "probe",
  options: NAME_OPTION,
  label: "Probe",
  description: "Probes of the servers.",
  query: `label_values(prtg_node_status_code{${SERVERS},kind="probe"}, path)`,
  all: ANYTHING,
};

/** `.*` also takes devices that stand in no group, and sensors whose names the exporter leaves out. */
export const GROUP: Choice = {
  name: "group",
  options: NAME_OPTION,
  label: "Group",
  description: "Nearest groups of devices.",
  query: `label_values(prtg_sensor_status_code{${SERVERS},${chosen("probe")}}, group)`,
  all: ANYTHING,
};

/** One, without "All": at 20,000 sensors that would draw 200,000 channels. */
export const DEVICE: Choice = {
  name: "device",
  options: NAME_OPTION,
  label: "Device",
  description: "One device of these groups.",
  query: `label_values(prtg_sensor_status_code{${SERVERS},${chosen("probe", "group")}}, device)`,
};

export const SENSOR: Choice = {
  name: "sensor",
  options: NAME_OPTION,
  label: "Sensor",
  description: "Sensors of this device.",
  query: `label_values(prtg_sensor_status_code{${SERVERS},${chosen("probe", "group", "device")}}, sensor)`,
  all: ANYTHING,
};
