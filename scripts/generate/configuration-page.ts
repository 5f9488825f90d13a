import { readFileSync } from "node:fs";
import { SERVER_VARIABLES } from "../../src/config/environment.ts";
import type { JsonSchema } from "../../src/config/schema.ts";
import { itemsOf, mapBelow, propertiesOf, typeOf, yaml } from "./configuration-values.ts";
import { anchor, code, pageHead, table } from "./markdown.ts";
import { settingsJsonSchema } from "./settings-schema.ts";

const INTRODUCTION = `
The exporter takes its configuration from a YAML file (\`--config.file\`), from environment variables, or from both.
[\`config/prtg-exporter.example.yaml\`](../config/prtg-exporter.example.yaml) shows every key. The minimum:

\`\`\`yaml
servers:
  - url: https://prtg.example.com:1616
    auth:
      api_key_file: /run/secrets/prtg-api-key
\`\`\`

\`prtg-exporter serve --config.file prtg.yaml --config.check\` checks a file and all files that it names, and exits. The exporter rejects wrong keys,
types and values at the start, with one line each:

\`\`\`text
prtg.yaml:7:5: collectors.tree.shedule: unknown key, did you mean \`schedule\`?
prtg.yaml:9:15: collectors.status.schedule: expected a duration such as 30s, or a cron expression with seconds such as 0 */5 * * * *, found 30
\`\`\`

An empty section (\`tls:\` with no keys) counts as omitted. Servers can share parts by anchors, aliases and merge keys (\`<<\`). Relative paths start at the directory of the file.

Editors complete and check keys with the JSON Schema in \`config/\`. Name it in the first line of the file:

\`\`\`yaml
# yaml-language-server: $schema=https://example.com/path/to/prtg-exporter.schema.json
\`\`\`

Files of \`servers_from\` have their own schema, \`prtg-exporter-servers.schema.json\`.

## Environment variables

These variables describe one server. For several servers, use a file:
`;

const AFTER_VARIABLES = `
The exporter ignores empty variables and other names with \`PRTG_\`. If the file has \`servers\` or \`servers_from\`, these variables have no effect. Without them, the file takes its server from the
variables, and several exporters can share it. Relative paths in variables start at the working directory.

## Texts and numbers

The file is UTF-8 text with at most 1 MiB, 100 levels, 10,000 items in one list or map and 100,000 lines and commas. Rules, the web configuration and files of servers have the same limits.

YAML reads \`0123\`, \`1e3\`, \`true\` and \`null\` as a number, a boolean or null. Quote them at keys that take text: \`name: "0123"\`. The error message says so.
Keys and the \`id\` of an object stay as written, even without quotes.

## References

Any scalar in the file can refer to environment variables:

| Text | Becomes |
| --- | --- |
| \`\${NAME}\` | the value of the variable, or an error if it is unset |
| \`\${NAME:-default}\` | the value, or the default when the variable is unset or empty |
| \`$$\` | a dollar |

The exporter inserts the values after it has parsed the YAML: a value never changes the structure of the file. Keys that take a number, true or false read the text as one. Inside \`{ }\` and \`[ ]\`, quote
references. Error messages name variables, never their values.

## Secrets

API keys and passwords come from files or the environment: \`api_key\` and \`password\` take only a reference such as \`\${PRTG_API_KEY}\`. The exporter rejects a literal secret in the file. It ignores one line
break at the end of a secret. The exporter does not start if a secret file is missing or empty, if an API key contains a space, or if a header is not valid in HTTP.

## Values with units

| Type | Written as |
| --- | --- |
| duration | whole numbers with \`d\`, \`h\`, \`m\`, \`s\`, \`ms\`, the largest first: \`250ms\`, \`30s\`, \`1h30m\`, \`2d\` |
| size | a number with \`B\`, \`KiB\`, \`MiB\`, \`GiB\` (powers of 1024), \`kB\`, \`MB\` or \`GB\` (powers of 1000): \`64MiB\` |
| schedule | a duration from \`1s\` to \`24d\`, or a cron expression with six fields |

A schedule with a duration repeats from the start of the exporter. The fields of a cron expression are second, minute, hour, day of month, month, day of week: \`0 */5 * * * *\` is every five minutes at
second 0. The exporter rejects expressions with five fields, because they are ambiguous, and steps of seconds that do not divide 60: \`*/45\` would fire at :00 and :45.

Cron expressions follow the wall clock in the time zone of the process (\`TZ\`). At the start of daylight saving time, a skipped time runs once. At its end, a repeated time runs twice. The exporter notices a changed clock
within 30 seconds. If the clock moves back, the schedule continues with the new time. If it moves ahead, one run replaces all skipped runs, and the log counts them. The exporter rejects an expression that
matches no day (\`0 0 0 1 1 1#5\`).

## Keys
`;

/** Sections of which the page shows the part of the example file: those with values that depend on each other. */
const WITH_EXAMPLE = new Set(["collectors", "limits", "metrics", "mapping", "labels", "otlp", "events", "web"]);
const EXAMPLE = readFileSync(new URL("../../config/prtg-exporter.example.yaml", import.meta.url), "utf8");

/** The part of a section, without the comment above it. */
function exampleOf(section: string): string {
  if (!WITH_EXAMPLE.has(section)) return "";
  const [part = ""] = new RegExp(`^${section}:\\n(?: .*\\n|\\n(?= ))*`, "m").exec(EXAMPLE) ?? [];
  return `\nExample:\n\n\`\`\`yaml\n${part}\`\`\`\n`;
}

export function configurationPage(): string {
  const schema = settingsJsonSchema();
  return [
    pageHead("Configuration", "src/config/schema.ts"),
    INTRODUCTION,
    "\n",
    variableTable(schema),
    AFTER_VARIABLES,
    ...sections(schema, ""),
  ].join("");
}

function variableTable(schema: JsonSchema): string {
  const server = itemsOf(propertiesOf(schema).servers);
  const rows = SERVER_VARIABLES.map(({ name, path }) => {
    const key = path.reduce<JsonSchema | undefined>((parent, part) => propertiesOf(parent)[part], server);
    const isSecret = key?.title === "environment reference";
    return [
      code(name),
      code(`servers[0].${path.join(".")}`),
      isSecret ? "The secret itself." : (key?.description ?? ""),
    ];
  });
  return table(["Variable", "Stands for", "Meaning"], rows);
}

/** Outermost first. */
function sections(schema: JsonSchema, path: string): string[] {
  const entries = Object.entries(propertiesOf(schema));
  const required = new Set(schema.required ?? []);
  const rows = entries.map(([key, value]) => [
    mapBelow(value) === undefined ? code(key) : `[${code(key)}](#${anchor(headingOf(path, key, value))})`,
    typeOf(value),
    defaultOf(value, required.has(key)),
    meaningOf(value),
  ]);
  const below = entries.flatMap(([key, value]) => {
    const map = mapBelow(value);
    if (map === undefined) return [];
    const heading = headingOf(path, key, value);
    return [
      `\n### ${code(heading)}\n\n`,
      `${value.description ?? ""}\n`,
      exampleOf(heading),
      ...sections(map, heading),
    ];
  });
  return ["\n", table(["Key", "Type", "Default", "Meaning"], rows), ...below];
}

function headingOf(path: string, key: string, value: JsonSchema): string {
  return `${path === "" ? "" : `${path}.`}${key}${value.type === "array" ? "[]" : ""}`;
}

function defaultOf(value: JsonSchema, isRequired: boolean): string {
  if (isRequired) return "required";
  return value.default === undefined || value.properties !== undefined ? "" : code(yaml(value.default));
}

function meaningOf(value: JsonSchema): string {
  const examples = (value.examples ?? []).map((example) => code(yaml(example)));
  return [value.description ?? "", examples.length === 0 ? "" : `Example: ${examples.join(", ")}.`].join(" ").trim();
}
