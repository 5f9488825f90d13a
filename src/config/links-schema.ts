import { z } from "zod";
import { refuse, text } from "./fields.ts";

export const LINKED_KINDS = ["probe", "group", "device", "sensor"] as const;
type LinkedKind = (typeof LINKED_KINDS)[number];

/** Facts of an object that a link can contain. */
export const PLACEHOLDERS = [
  "server",
  "id",
  "kind",
  "name",
  "path",
  "probe",
  "group",
  "device",
  "device_id",
  "sensor",
  "host",
] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];

export interface LinkTemplate {
  readonly name: string;
  readonly on: ReadonlySet<LinkedKind>;
  /** Texts and placeholders, in their order. */
  readonly parts: readonly (string | { readonly placeholder: Placeholder })[];
}

const URL_EXPECTED =
  "an http or https URL with placeholders such as https://grafana.example.com/d/prtg-device?var-device={device}";
const MAX_URL_LENGTH = 2_000;
const MAX_LINKS = 20;
const KINDS = `a list of ${LINKED_KINDS.join(", ")}`;

const url = z
  .string({ error: URL_EXPECTED })
  .meta({ title: "URL with placeholders" })
  .transform((input, context) => {
    const parsed = parseTemplate(input);
    return "fault" in parsed ? refuse(context, input, URL_EXPECTED, parsed.fault) : parsed.parts;
  });

function parseTemplate(input: string): Pick<LinkTemplate, "parts"> | { readonly fault: string } {
  if (input.length > MAX_URL_LENGTH) return { fault: `it is longer than ${MAX_URL_LENGTH} characters` };
  // The scheme and the beginning of the host are not for objects to choose.
  if (!/^https?:\/\/[^/?#]/.test(input)) return { fault: "it does not begin with https:// or http:// and a host" };
  const parts: (string | { placeholder: Placeholder })[] = [];
  for (const part of input.split(/(\{[^{}]*\})/)) {
    const [, name] = /^\{([^{}]*)\}$/.exec(part) ?? [];
    const placeholder = PLACEHOLDERS.find((known) => known === name);
    if (placeholder !== undefined) parts.push({ placeholder });
    else if (name !== undefined) {
      return { fault: `it has the unknown placeholder {${name}}. Known: ${PLACEHOLDERS.join(", ")}` };
    } else if (/[{}]/.test(part))
      return { fault: "it has a brace without its counterpart. Write %7B and %7D for braces" };
    else if (part !== "") parts.push(part);
  }
  const example = URL.parse(parts.map((part) => (typeof part === "string" ? part : "1")).join(""));
  if (example === null) return { fault: "it is not a URL" };
  if (example.username !== "" || example.password !== "") return { fault: "it has a user or password" };
  return { parts };
}

const link = z
  .strictObject({
    name: text("the text of the link")
      .max(50, { error: "a text of at most 50 characters" })
      .meta({
        description: "Text of the link.",
        examples: ["Grafana"],
      }),
    url: url.meta({
      description: `Address. The exporter replaces {${PLACEHOLDERS.join("}, {")}} with the values of the object, encoded for URLs. An object without one of these values has no link. Every reader of the page sees the address, so it must not contain a secret.`,
      examples: ["https://grafana.example.com/d/prtg-device?var-server={server}&var-device={device}"],
    }),
    on: z
      .array(z.enum(LINKED_KINDS), { error: KINDS })
      .min(1, { error: KINDS })
      .prefault([...LINKED_KINDS])
      .meta({
        description: "Kinds of objects with this link.",
      }),
  })
  .transform(({ name, url: parts, on }): LinkTemplate => ({ name, parts, on: new Set(on) }));

export const linksSchema = z
  .array(link)
  .max(MAX_LINKS, { error: `at most ${MAX_LINKS} links` })
  .prefault([])
  .meta({
    description:
      "Links on the pages of objects to other tools: dashboards, a wiki, a ticket system. See https://prtg-exporter.github.io/prtg-exporter/alerts.",
  });
