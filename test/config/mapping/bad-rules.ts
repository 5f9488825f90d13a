/** Message lines may be beginnings. */
interface BadRules {
  readonly title: string;
  readonly text: string;
  readonly lines: readonly string[];
}

/** Text after `- ` begins at 2:5. */
function rule(text: string): string {
  return `rules:\n  - ${text}\n`;
}

const PING = "name: prtg_x, help: X.";
const NAME = "expected the name of a metric such as prtg_ping_seconds";
const LABEL = "expected an unused label name";
const PATTERN = "expected a text, a glob such as Disk*, or a regular expression such as /Disk \\d+/";
const TEMPLATE = "expected a text, in which $1 or $<name> inserts the match of a group";
const LISTS = "expected a text, or a non-empty list of texts";

export const BAD_RULES: readonly BadRules[] = [
  { title: "a list", text: "- a\n", lines: ["rules.yaml:1:1: expected a map, found a list"] },
  { title: "no rules", text: "description: nothing\n", lines: ["rules.yaml:1:1: rules: missing, expected a list"] },
  { title: "broken YAML", text: "rules: [\n", lines: ["rules.yaml:2:1: a closing ] is missing"] },
  {
    title: "a rule that is a text",
    text: rule("ping"),
    lines: ['rules.yaml:2:5: rules[0]: expected a map, found "ping"'],
  },
  {
    title: "misspelt key of the file",
    text: "rule: []\nrules: []\n",
    lines: ["rules.yaml:1:1: rule: unknown key, did you mean `rules`?"],
  },
  {
    title: "misspelt key of a rule",
    text: rule("{ match: { kind: ping }, name: prtg_x, help: X., label: {} }"),
    lines: ["rules.yaml:2:54: rules[0].label: unknown key, did you mean `labels`?"],
  },
  {
    title: "misspelt attribute",
    text: rule(`{ match: { chanel: x }, ${PING} }`),
    lines: ["rules.yaml:2:16: rules[0].match.chanel: unknown key, did you mean `channel`?"],
  },
  {
    title: "attribute beside match",
    text: rule(`{ match: { kind: ping }, channel: x, ${PING} }`),
    lines: ["rules.yaml:2:30: rules[0].channel: unknown key, did you mean `match.channel`?"],
  },
  {
    title: "no match",
    text: rule(`{ ${PING} }`),
    lines: ["rules.yaml:2:5: rules[0].match: missing, expected a map"],
  },
  {
    title: "neither name nor drop",
    text: rule("{ match: { kind: ping } }"),
    lines: ["rules.yaml:2:5: rules[0].name: missing, expected name, or drop"],
  },
  {
    title: "name and drop",
    text: rule("{ match: { kind: ping }, drop: true, name: prtg_x }"),
    lines: [
      "rules.yaml:2:5: rules[0]: expected drop alone, or name with its other keys, found match and drop and name",
    ],
  },
  {
    title: "labels of a rule that drops",
    text: rule("{ match: { kind: ping }, drop: true, labels: { a: b } }"),
    lines: ["rules.yaml:2:5: rules[0]: expected drop alone, or name with its other keys"],
  },
  {
    title: "drop: false",
    text: rule("{ match: { kind: ping }, drop: false }"),
    lines: ["rules.yaml:2:36: rules[0].drop: expected true, found false"],
  },
  {
    title: "number in place of a pattern",
    text: rule(`{ match: { channel: 5 }, ${PING} }`),
    lines: ['rules.yaml:2:25: rules[0].match.channel: expected text, found the number 5. Put it in quotes: "5".'],
  },
  {
    title: "empty list of patterns",
    text: rule(`{ match: { channel: [] }, ${PING} }`),
    lines: [`rules.yaml:2:25: rules[0].match.channel: ${LISTS}, found a list`],
  },
  {
    title: "number in a list of patterns",
    text: rule(`{ match: { channel: [a, 5] }, ${PING} }`),
    lines: ['rules.yaml:2:29: rules[0].match.channel[1]: expected text, found the number 5. Put it in quotes: "5".'],
  },
  {
    title: "name that is a number",
    text: rule("{ match: { kind: ping }, name: 5, help: X. }"),
    lines: ['rules.yaml:2:36: rules[0].name: expected text, found the number 5. Put it in quotes: "5".'],
  },
  {
    title: "name that is a number with zeros",
    text: rule("{ match: { kind: ping }, name: 007, help: X. }"),
    lines: ['rules.yaml:2:36: rules[0].name: expected text, found the number 007. Put it in quotes: "007".'],
  },
  {
    title: "help that is a list",
    text: rule("{ match: { kind: ping }, name: prtg_x, help: [a] }"),
    lines: ["rules.yaml:2:50: rules[0].help: expected a text, found a list"],
  },
  {
    title: "unit that is no base unit",
    text: rule(`{ match: { kind: ping }, ${PING}, unit: msec }`),
    lines: ["rules.yaml:2:60: rules[0].unit: expected one of amperes, bytes, "],
  },
  {
    title: "base_unit that is none",
    text: rule(`{ match: { base_unit: [seconds, msec] }, ${PING} }`),
    lines: ["rules.yaml:2:37: rules[0].match.base_unit[1]: expected one of amperes, bytes, bytes_per_second,"],
  },
  {
    title: "factor in quotes",
    text: rule(`{ match: { kind: ping }, ${PING}, factor: "60" }`),
    lines: ['rules.yaml:2:62: rules[0].factor: expected a number, found "60"'],
  },
  {
    title: "label that is a number",
    text: rule(`{ match: { kind: ping }, ${PING}, labels: { a: 5 } }`),
    lines: ['rules.yaml:2:67: rules[0].labels.a: expected text, found the number 5. Put it in quotes: "5".'],
  },
  {
    title: "label given twice",
    text: rule(`{ match: { kind: ping }, ${PING}, labels: { a: b, a: c } }`),
    lines: ["rules.yaml:2:70: this key occurs twice in one map"],
  },
  {
    title: "variable that is not set",
    text: rule(`{ match: { kind: "\${KIND}" }, ${PING} }`),
    lines: ["rules.yaml:2:22: rules[0].match.kind: environment variable KIND is not set"],
  },

  {
    title: "match without anything",
    text: rule(`{ match: {}, ${PING} }`),
    lines: ["rules.yaml:2:14: rules[0].match: missing, expected at least one of kind, kind_name, channel, unit, "],
  },
  {
    title: "regular expression that is not closed",
    text: rule(`{ match: { channel: [Total, "/Core (\\\\d+/"] }, ${PING} }`),
    lines: [`rules.yaml:2:33: rules[0].match.channel[1]: ${PATTERN}, found "/Core (\\\\d+/": missing closing )`],
  },
  {
    title: "regular expression that looks ahead",
    text: rule(`{ match: { channel: "/a(?=b)/" }, ${PING} }`),
    lines: [
      `rules.yaml:2:25: rules[0].match.channel: ${PATTERN}, found "/a(?=b)/": invalid or unsupported Perl syntax`,
    ],
  },
  {
    title: "regular expression that refers back",
    text: rule(`{ match: { channel: '/(a)\\1/' }, ${PING} }`),
    lines: [`rules.yaml:2:25: rules[0].match.channel: ${PATTERN}, found "/(a)\\\\1/": invalid escape sequence`],
  },
  {
    title: "regular expression with a huge repetition",
    text: rule(`{ match: { channel: "/((a{100}){100}){100}/" }, ${PING} }`),
    lines: [
      `rules.yaml:2:25: rules[0].match.channel: ${PATTERN}, found "/((a{100}){100}){100}/": invalid repeat count`,
    ],
  },
  {
    title: "regular expression without content",
    text: rule(`{ match: { path: // }, ${PING} }`),
    lines: [
      `rules.yaml:2:22: rules[0].match.path: ${PATTERN}, found "//": the expression between the slashes is empty`,
    ],
  },
  {
    title: "pattern of 10 kB",
    text: rule(`{ match: { device: ${"x".repeat(10_000)} }, ${PING} }`),
    lines: [
      `rules.yaml:2:24: rules[0].match.device: ${PATTERN}, found "${"x".repeat(60)}...": it is longer than 1000 characters`,
    ],
  },
  {
    title: "empty name",
    text: rule('{ match: { kind: ping }, name: "", help: X. }'),
    lines: [`rules.yaml:2:36: rules[0].name: ${NAME}, found "": it may contain only letters, digits and _`],
  },
  {
    title: "name with a line break and a quote",
    text: rule('{ match: { kind: ping }, name: "prtg_x\\n\\"1", help: X. }'),
    lines: [`rules.yaml:2:36: rules[0].name: ${NAME}, found "prtg_x\\n\\"1": it may contain only`],
  },
  {
    title: "name that begins with a digit",
    text: rule("{ match: { kind: ping }, name: 5xx, help: X. }"),
    lines: [
      `rules.yaml:2:36: rules[0].name: ${NAME}, found "5xx": it may contain only letters, digits and _, and must not begin with a digit`,
    ],
  },
  {
    title: "name with a colon, as of a recording rule",
    text: rule('{ match: { kind: ping }, name: "job:x", help: X. }'),
    lines: [`rules.yaml:2:36: rules[0].name: ${NAME}, found "job:x": it may contain only`],
  },
  {
    title: "name that runs from right to left",
    text: rule('{ match: { kind: ping }, name: "\\u202egnip", help: X. }'),
    lines: [`rules.yaml:2:36: rules[0].name: ${NAME}, found "\\u{202e}gnip": it may contain only`],
  },
  {
    title: "name of 10 kB",
    text: rule(`{ match: { kind: ping }, name: ${"x".repeat(10_000)}, help: X. }`),
    lines: [`rules.yaml:2:36: rules[0].name: ${NAME}, found "${"x".repeat(60)}...": it is longer than 200 characters`],
  },
  {
    title: "name of the metric table",
    text: rule("{ match: { kind: ping }, name: prtg_channel_value, help: X. }"),
    lines: [
      `rules.yaml:2:36: rules[0].name: ${NAME}, found "prtg_channel_value": the exporter or Prometheus already has a metric`,
    ],
  },
  {
    title: "name whose limits would be those of all channels",
    text: rule("{ match: { kind: ping }, name: prtg_channel, help: X. }"),
    lines: [
      `rules.yaml:2:36: rules[0].name: ${NAME}, found "prtg_channel": the metric of its limits would be prtg_channel_limit`,
    ],
  },
  {
    title: "name of the exporter's own",
    text: rule("{ match: { kind: ping }, name: prtg_exporter_pings, help: X. }"),
    lines: [
      `rules.yaml:2:36: rules[0].name: ${NAME}, found "prtg_exporter_pings": names that begin with prtg_exporter_ are reserved`,
    ],
  },
  {
    title: "name of a counter",
    text: rule("{ match: { kind: ping }, name: prtg_pings_total, help: X. }"),
    lines: [
      `rules.yaml:2:36: rules[0].name: ${NAME}, found "prtg_pings_total": mapped metrics are gauges, which cannot end in _total`,
    ],
  },
  {
    title: "name that does not say the unit",
    text: rule("{ match: { kind: ping }, name: prtg_ping, unit: seconds, help: X. }"),
    lines: [`rules.yaml:2:36: rules[0].name: ${NAME}, found "prtg_ping": a metric in seconds ends with _seconds`],
  },
  {
    title: "name that says another unit",
    text: rule("{ match: { kind: ping }, name: prtg_ping_bytes, unit: seconds, help: X. }"),
    lines: [`rules.yaml:2:36: rules[0].name: ${NAME}, found "prtg_ping_bytes": a metric in seconds ends with _seconds`],
  },
  {
    title: "name that says a unit which the rule does not",
    text: rule("{ match: { kind: ping }, name: prtg_ping_seconds, help: X. }"),
    lines: [`rules.yaml:2:36: rules[0].name: ${NAME}, found "prtg_ping_seconds": this suffix belongs to unit: seconds`],
  },
  {
    title: "help of two lines",
    text: rule('{ match: { kind: ping }, name: prtg_x, help: "a\\nb" }'),
    lines: [
      'rules.yaml:2:50: rules[0].help: expected a sentence about the metric, found "a\\nb": it is not one line of text',
    ],
  },
  {
    title: "help with half of a character",
    text: rule('{ match: { kind: ping }, name: prtg_x, help: "a \\ud83d" }'),
    lines: [
      'rules.yaml:2:50: rules[0].help: expected a sentence about the metric, found "a \\ud83d": it contains half a character',
    ],
  },
  {
    title: "factor of 0",
    text: rule(`{ match: { kind: ping }, ${PING}, factor: 0 }`),
    lines: ["rules.yaml:2:62: rules[0].factor: expected a number above 0, found 0"],
  },
  {
    title: "unit that does not become the metric's",
    text: rule("{ match: { unit: [msec, Mbit/s] }, name: prtg_x_seconds, unit: seconds, help: X. }"),
    lines: [
      'rules.yaml:2:29: rules[0].match.unit[1]: expected a unit that converts to seconds, found "Mbit/s": it converts to bytes_per_second',
    ],
  },
  {
    title: "unit that is not recognised",
    text: rule("{ match: { unit: widgets }, name: prtg_x_seconds, unit: seconds, help: X. }"),
    lines: [
      'rules.yaml:2:22: rules[0].match.unit: expected a unit that converts to seconds, found "widgets": it is unknown: set factor',
    ],
  },
  {
    title: "base unit that is another than the metric's",
    text: rule("{ match: { base_unit: bytes }, name: prtg_x_seconds, unit: seconds, help: X. }"),
    lines: [
      'rules.yaml:2:27: rules[0].match.base_unit: expected a unit that converts to seconds, found "bytes": it converts to bytes',
    ],
  },

  {
    title: "label that begins with a digit",
    text: rule(`{ match: { kind: ping }, ${PING}, labels: { 1st: x } }`),
    lines: [`rules.yaml:2:64: rules[0].labels.1st: ${LABEL}, found "1st": it may contain only letters, digits and _`],
  },
  {
    title: "label without a name",
    text: rule(`{ match: { kind: ping }, ${PING}, labels: { "": x } }`),
    lines: [`rules.yaml:2:64: rules[0].labels[""]: ${LABEL}, found "": it may contain only`],
  },
  {
    title: "label of the tree",
    text: rule(`{ match: { kind: ping }, ${PING}, labels: { device: x } }`),
    lines: [
      `rules.yaml:2:64: rules[0].labels.device: ${LABEL}, found "device": every channel already has a label with that name`,
    ],
  },
  {
    title: "label of every family",
    text: rule(`{ match: { kind: ping }, ${PING}, labels: { server: x } }`),
    lines: [`rules.yaml:2:64: rules[0].labels.server: ${LABEL}, found "server": every channel already has`],
  },
  {
    title: "label of Prometheus",
    text: rule(`{ match: { kind: ping }, ${PING}, labels: { instance: x, __name__: y } }`),
    lines: [
      `rules.yaml:2:64: rules[0].labels.instance: ${LABEL}, found "instance": Prometheus reserves this name`,
      `rules.yaml:2:77: rules[0].labels.__name__: ${LABEL}, found "__name__": names that begin with __ are reserved`,
    ],
  },
  {
    title: "label without a value",
    text: rule(`{ match: { kind: ping }, ${PING}, labels: { a: "" } }`),
    lines: [`rules.yaml:2:67: rules[0].labels.a: ${TEMPLATE}, found "": it is empty`],
  },
  {
    title: "value of 10 kB",
    text: rule(`{ match: { kind: ping }, ${PING}, labels: { a: ${"x".repeat(10_000)} } }`),
    lines: [
      `rules.yaml:2:67: rules[0].labels.a: ${TEMPLATE}, found "${"x".repeat(60)}...": it is longer than 1000 characters`,
    ],
  },
  {
    title: "value with half of a character",
    text: rule(`{ match: { kind: ping }, ${PING}, labels: { a: "\\udc00" } }`),
    lines: [`rules.yaml:2:67: rules[0].labels.a: ${TEMPLATE}, found "\\udc00": it contains half a character`],
  },
  {
    title: "group that there is not",
    text: rule(`{ match: { channel: /Core (\\d+)/ }, ${PING}, labels: { core: $2 } }`),
    lines: [
      `rules.yaml:2:81: rules[0].labels.core: ${TEMPLATE}, found "$2": $2: no pattern of the rule has this group`,
    ],
  },
  {
    title: "named group that there is not",
    text: rule(`{ match: { channel: /Core (?<n>\\d+)/ }, ${PING}, labels: { core: $<core> } }`),
    lines: [
      `rules.yaml:2:85: rules[0].labels.core: ${TEMPLATE}, found "$<core>": $<core>: no pattern of the rule has this group`,
    ],
  },
  {
    title: "group that not every pattern has",
    text: rule(`{ match: { channel: [Total, /Core (\\d+)/] }, ${PING}, labels: { core: $1 } }`),
    lines: [
      `rules.yaml:2:90: rules[0].labels.core: ${TEMPLATE}, found "$1": $1: not every pattern of channel has this group`,
    ],
  },
  {
    title: "group of two attributes",
    text: rule(`{ match: { channel: /Core (\\d+)/, path: /(\\w+).*/ }, ${PING}, labels: { core: $1 } }`),
    lines: [
      `rules.yaml:2:98: rules[0].labels.core: ${TEMPLATE}, found "$1": $1: channel and path each have this group: rename one of them`,
    ],
  },

  {
    title: "one name, two helps",
    text: `${rule(`{ match: { kind: a }, ${PING} }`)}  - { match: { kind: b }, name: prtg_x, help: Y. }\n`,
    lines: [
      'rules.yaml:3:47: rules[1].help: expected the same help, or none, as in rules[0] of rules.yaml for prtg_x, found "Y."',
    ],
  },
  {
    title: "one name, with and without a unit",
    text: `${rule("{ match: { kind: a }, name: prtg_x, help: X., unit: count }")}  - { match: { kind: b }, name: prtg_x }\n`,
    lines: ["rules.yaml:3:5: rules[1].unit: missing, expected count, as in rules[0] of rules.yaml for prtg_x"],
  },
  {
    title: "one name, two sets of labels",
    text: `${rule(`{ match: { kind: a }, ${PING}, labels: { a: x, b: y } }`)}  - { match: { kind: b }, name: prtg_x, labels: { a: x } }\n`,
    lines: [
      'rules.yaml:3:49: rules[1].labels: expected the labels a, b, as in rules[0] of rules.yaml for prtg_x, found "a"',
    ],
  },
  {
    title: "one name, no labels and some",
    text: `${rule(`{ match: { kind: a }, ${PING} }`)}  - { match: { kind: b }, name: prtg_x, labels: { a: x } }\n`,
    lines: ['rules.yaml:3:49: rules[1].labels: expected no labels, as in rules[0] of rules.yaml for prtg_x, found "a"'],
  },
  {
    title: "a name that is that of another's limits",
    text: `${rule("{ match: { kind: a }, name: prtg_x_seconds, unit: seconds, help: X. }")}  - { match: { kind: b }, name: prtg_x_limit_seconds, unit: seconds, help: Y. }\n`,
    lines: [
      `rules.yaml:2:33: rules[0].name: ${NAME}, found "prtg_x_seconds": the metric of its limits would be prtg_x_limit_seconds`,
    ],
  },
];
