import { SERVER_VARIABLES } from "../../src/config/environment.ts";
import { type JsonSchema, settingsJsonSchema } from "../../src/config/schema.ts";
import { itemsOf, propertiesOf, typeOf, yaml } from "./configuration-values.ts";
import { anchor, code, pageHead, table } from "./markdown.ts";

const INTRODUCTION = `
The exporter takes its configuration from a YAML file (\`--config.file\`), from environment variables, or from both.
[\`config/prtg-exporter.example.yaml\`](../config/prtg-exporter.example.yaml) shows every key. The least that is needed:

\`\`\`yaml
servers:
  - url: https://prtg.example.com:1616
    auth:
      api_key_file: /run/secrets/prtg-api-key
\`\`\`

\`prtg-exporter serve --config.file prtg.yaml --config.check\` checks a file, and all files that it names, and ends. A wrong key, type or value is refused
at start, and all of them at once, one line each:

\`\`\`text
prtg.yaml:7:5: collectors.tree.shedule: unknown key, did you mean \`schedule\`?
prtg.yaml:9:15: collectors.status.schedule: expected a duration such as 30s, or a cron expression with seconds such as 0 */5 * * * *, found 30
\`\`\`

A section without content (\`tls:\` and nothing below) counts as left out. Several servers can share parts by anchors,
aliases and merge keys (\`<<\`). Relative paths count from the directory of the file.

Editors complete and check keys with the JSON Schema in \`config/\`; name it in the first line of the file:

\`\`\`yaml
# yaml-language-server: $schema=https://example.com/path/to/prtg-exporter.schema.json
\`\`\`

Files of \`servers_from\` have one of their own beside it, \`prtg-exporter-servers.schema.json\`.

## Environment variables

These variables describe one server, and suffice where there is only one:
`;

const AFTER_VARIABLES = `
An empty variable counts as unset; other variables that begin with \`PRTG_\` are not looked at. The file wins: when it has
\`servers\` or \`servers_from\`, these variables have no effect. A file without them takes its server from them, so that a file with
schedules and the like can be shared by many. Relative paths in them count from the working directory.

## Texts and numbers

The file is UTF-8 text with at most 1 MiB, 100 levels, 10,000 items in one list or map and 100,000 lines and commas. Rules, the web configuration and files of servers have the same limits.

YAML reads \`0123\`, \`1e3\`, \`true\` and \`null\` as a number, a boolean or null. Write quotes around them at keys that take text: \`name: "0123"\`. The message of a wrong value says so.
Keys and the \`id\` of an object stay as they are written, without quotes too.

## References

Any scalar in the file may refer to environment variables:

| Text | Becomes |
| --- | --- |
| \`\${NAME}\` | the value of the variable; it is an error when it is not set |
| \`\${NAME:-default}\` | the value, or the default when the variable is unset or empty |
| \`$$\` | a dollar |

They are put in after the YAML is parsed, so that a value can never change the structure of the file. Where a number or
true or false is expected, the text is read as one. Inside \`{ }\` and \`[ ]\` a reference must be quoted. Error messages name
variables, never their values.

## Secrets

API keys and passwords come from files or from the environment: \`api_key\` and \`password\` take nothing but a reference
such as \`\${PRTG_API_KEY}\`, and what is written into the file literally is refused. One line break at the end of a secret is
dropped. A secret file that is missing or empty is an error at start; so
are an API key with a blank in it or behind it, and a header that cannot be sent.

## Values with units

| Type | Written as |
| --- | --- |
| duration | whole numbers with \`d\`, \`h\`, \`m\`, \`s\`, \`ms\`, the largest first: \`250ms\`, \`30s\`, \`1h30m\`, \`2d\` |
| size | a number with \`B\`, \`KiB\`, \`MiB\`, \`GiB\` (powers of 1024), \`kB\`, \`MB\` or \`GB\` (powers of 1000): \`64MiB\` |
| schedule | a duration from \`1s\` to \`24d\`, or a cron expression with six fields |

A duration as schedule repeats from the start of the exporter. A cron expression names times of the local clock: second,
minute, hour, day of month, month, day of week; \`0 */5 * * * *\` is every five
minutes at second 0. Expressions with five fields are refused, because it would be a guess what they mean, and so are
steps of seconds that do not divide 60: \`*/45\` would fire at :00 and :45.

Cron expressions follow the wall clock in the time zone of the process (\`TZ\`): times that summer time leaves out are run once when it
begins, those that come twice when it ends are run twice. A clock that is set is noticed within 30 seconds. Set back, the
schedule goes on at its next time on the new clock; set ahead, one run makes up for all that was passed over, and a log line counts them. An
expression that no day ever fits (\`0 0 0 1 1 1#5\`) is refused.

## Keys
`;

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
    return [`\n### ${code(heading)}\n\n`, `${value.description ?? ""}\n`, ...sections(map, heading)];
  });
  return ["\n", table(["Key", "Type", "Default", "Meaning"], rows), ...below];
}

function headingOf(path: string, key: string, value: JsonSchema): string {
  return `${path === "" ? "" : `${path}.`}${key}${value.type === "array" ? "[]" : ""}`;
}

/** The map of the value or of the list items. */
function mapBelow(value: JsonSchema): JsonSchema | undefined {
  if (value.properties !== undefined) return value;
  const items = itemsOf(value);
  return items?.properties === undefined ? undefined : items;
}

function defaultOf(value: JsonSchema, isRequired: boolean): string {
  if (isRequired) return "required";
  return value.default === undefined || value.properties !== undefined ? "" : code(yaml(value.default));
}

function meaningOf(value: JsonSchema): string {
  const examples = (value.examples ?? []).map((example) => code(yaml(example)));
  return [value.description ?? "", examples.length === 0 ? "" : `Example: ${examples.join(", ")}.`].join(" ").trim();
}
