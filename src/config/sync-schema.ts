import { z } from "zod";
import { compileMatchers, type Matcher, parseMatcher } from "../sync/matchers.ts";
import { authSchema, type SecretLocation, secretLocations } from "./auth-schema.ts";
import { duration, filePath, inCode, optional, refuse, secret, serverUrl, text, wholeNumber } from "./fields.ts";
import { headerMap } from "./otlp-schema.ts";
import { proxyKeys, proxySettings, refuseLoneProxyKeys } from "./proxy-schema.ts";
import { formatDuration } from "./quantities.ts";
import { tlsSchema } from "./tls-schema.ts";

/* Settings of `prtg-exporter sync`. Other commands check the section and ignore it. */

/** Credentials before files are read. */
export type AlertmanagerAuthSettings =
  | { readonly kind: "basic"; readonly username: string; readonly secret: SecretLocation }
  | { readonly kind: "bearer"; readonly secret: SecretLocation };

const AUTH_KEYS = ["username", "password_file", "password", "bearer_token_file", "bearer_token"] as const;
const AUTH_FORMS =
  "at most one of bearer_token_file, bearer_token, username with password_file, or username with password";

const alertmanagerSchema = z
  .strictObject({
    url: serverUrl("http://alertmanager:9093").meta({
      description:
        "URL of Alertmanager, with its path. The exporter appends `/api/v2`. For the Alertmanager of Grafana, the path is `/api/alertmanager/grafana`.",
      examples: ["http://alertmanager:9093"],
    }),
    username: optional(text("the name of a user"), "User for Basic authentication.", "sync"),
    password_file: optional(
      filePath(),
      "File with the password of `username`. The exporter reads it for each request.",
      "/run/secrets/alertmanager-password",
    ),
    password: optional(
      secret(),
      "Reference to an environment variable with the password of `username`. The exporter refuses a password in the file.",
      "${ALERTMANAGER_PASSWORD}",
    ),
    bearer_token_file: optional(
      filePath(),
      "File with a bearer token, such as the token of a Grafana service account. The exporter reads it for each request.",
      "/run/secrets/alertmanager-token",
    ),
    bearer_token: optional(
      secret(),
      "Reference to an environment variable with a bearer token. The exporter refuses a token in the file.",
      "${ALERTMANAGER_TOKEN}",
    ),
    headers: headerMap(
      "HTTP headers by name, such as the name of a tenant. Headers with a secret need a reference to an environment variable.",
    ),
    tls: tlsSchema({
      exampleHost: "alertmanager.example.com",
      exampleCa: "/etc/ssl/alertmanager-ca.pem",
      unverified: "",
    })
      .prefault({})
      .meta({ description: "TLS to Alertmanager." }),
    ...proxyKeys("Alertmanager"),
    timeout: duration("100ms", "5m").prefault("10s").meta({
      description: "Timeout of one request, from sending it to the last byte of the answer.",
    }),
  })
  .superRefine(refuseLoneProxyKeys)
  .transform((input, context) => {
    const {
      username,
      password,
      password_file,
      bearer_token,
      bearer_token_file,
      headers = {},
      timeout,
      ...rest
    } = input;
    const { url, tls, proxy_url, proxy_auth, proxy_ca_file } = rest;
    const tokens = secretLocations("bearer_token", bearer_token, bearer_token_file);
    const passwords = secretLocations("password", password, password_file);
    const [location, ...others] = [...tokens, ...passwords];
    const given = AUTH_KEYS.filter((key) => input[key] !== undefined);
    const isBasic = passwords.length > 0;
    if (others.length > 0 || isBasic !== (username !== undefined)) {
      const found = Object.fromEntries(given.map((key) => [key, ""]));
      context.addIssue({ code: "custom", message: AUTH_FORMS, input: found });
    }
    const header = Object.keys(headers).find((name) => name.toLowerCase() === "authorization");
    if (header !== undefined && given.length > 0) {
      const message = `no value, because ${given[0]} sets this header`;
      context.addIssue({ code: "custom", message, path: ["headers", header], input: {} });
    }
    return {
      ...{ url, tls, headers, timeoutMs: timeout },
      proxy: proxySettings({ proxy_url, proxy_auth, proxy_ca_file }),
      auth: authOf(location, username),
    };
  });

function authOf(
  location: SecretLocation | undefined,
  username: string | undefined,
): AlertmanagerAuthSettings | undefined {
  if (location === undefined) return undefined;
  return username === undefined ? { kind: "bearer", secret: location } : { kind: "basic", username, secret: location };
}

/** Facts about a paused object that `paused_matchers` can name. */
export const PLACEHOLDERS = ["server", "device_id", "device", "host", "group", "probe"] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];

/** A placeholder, but no `\p{Greek}` and `a{3}` of a regular expression. */
export const PLACEHOLDER = /(?<!\\[pPx])\{([A-Za-z_]\w*)\}/g;

const MATCHER_EXPECTED = 'a matcher such as instance=~"{host}(:.*)?"';

const matcherTemplate = z
  .string({ error: MATCHER_EXPECTED })
  .meta({ title: "matcher" })
  .transform((input, context): Matcher => {
    const matcher = parseMatcher(input);
    if ("fault" in matcher) return refuse(context, input, MATCHER_EXPECTED, matcher.fault);
    const unknown = placeholdersIn(matcher).find((name) => !PLACEHOLDERS.some((known) => known === name));
    if (unknown !== undefined) {
      const known = PLACEHOLDERS.map((name) => `{${name}}`).join(", ");
      return refuse(context, input, MATCHER_EXPECTED, `{${unknown}} is none of the placeholders ${known}`);
    }
    const [problem] = compileMatchers([filled(matcher)]).problems;
    return problem === undefined ? matcher : refuse(context, input, MATCHER_EXPECTED, problem);
  });

export function placeholdersIn({ value }: Matcher): string[] {
  return Array.from(value.matchAll(PLACEHOLDER), ([, name = ""]) => name);
}

/** With a value that no regular expression changes. */
function filled(matcher: Matcher): Matcher {
  return { ...matcher, value: matcher.value.replaceAll(PLACEHOLDER, "x") };
}

const MATCHERS_EXPECTED = "a non-empty list of matchers";

const matcherList = z
  .array(matcherTemplate, { error: MATCHERS_EXPECTED })
  .min(1, { error: MATCHERS_EXPECTED })
  .superRefine((matchers, context) => {
    // Otherwise the pause of one device would silence the alerts of others.
    const isSpecific = matchers.some(
      (matcher) => matcher.isEqual && placeholdersIn(matcher).some((name) => name !== "server"),
    );
    const such = "{device_id}, {device}, {host}, {group} or {probe}";
    if (!isSpecific) refuse(context, "", `at least one matcher with = or =~ and with ${such}`);
    // Alertmanager refuses such a silence, or silences alerts without these labels.
    else if (compileMatchers(matchers.map(filled)).matches(new Map()))
      refuse(context, "", "at least one matcher that does not match the empty text");
  });

interface Durations {
  readonly interval: number;
  readonly span: number;
}

/** The exporter prolongs its silences at half of the span. */
function checkSpan({ interval, span }: Durations, context: z.RefinementCtx): void {
  if (span >= 2 * interval) return;
  const message = "a duration of at least twice the interval";
  context.addIssue({ code: "custom", message, path: ["span"], input: formatDuration(span) });
}

const LISTS_EXPECTED = "a non-empty list of lists of matchers";

export const syncSchema = z
  .strictObject({
    alertmanager: alertmanagerSchema.meta({
      description: `Alertmanager, or the Alertmanager of Grafana. Credentials: ${AUTH_FORMS}.`,
    }),
    servers: z
      .record(z.string(), authSchema)
      .prefault({})
      .meta({
        title: "map of maps, each as `servers[].auth`",
        description:
          "Credentials by the name of the server. An API key with access level ACKNOWLEDGE is enough. The exporter reads a server without an entry with the credentials of `servers` and changes nothing there.",
        examples: [{ hq: { api_key_file: "/run/secrets/prtg-acknowledge-key" } }],
      }),
    interval: duration("5s", "10m").prefault("30s").meta({
      description: "Time between two comparisons of PRTG with Alertmanager.",
    }),
    span: duration("5m", "24h").prefault("1h").meta({
      description:
        "Length of one acknowledgement and of one silence. The exporter renews them as long as the other side lasts. After a silence was deleted, its sensors stay acknowledged for at most this time.",
    }),
    acknowledge: z.boolean().prefault(true).meta({
      description: "Acknowledge sensors in PRTG while a silence covers their alerts.",
    }),
    silence_acknowledged: z.boolean().prefault(true).meta({
      description: "Silence the alerts of sensors that a user acknowledged in PRTG.",
    }),
    silence_paused: z.boolean().prefault(true).meta({
      description: "Create the silences of `paused_matchers` for probes, groups and devices that are paused in PRTG.",
    }),
    paused_matchers: z
      .array(matcherList, { error: LISTS_EXPECTED })
      .min(1, { error: LISTS_EXPECTED })
      .prefault([['server="{server}"', 'device_id=~"{device_id}"']])
      .meta({
        title: "list of lists of matchers",
        description: `Matchers of the silences for one paused object, one silence per list. Each text is a matcher in the syntax of Alertmanager with placeholders ${PLACEHOLDERS.map((name) => `\`{${name}}\``).join(", ")}. In a regular expression, a placeholder stands for all values below the paused object.`,
        examples: [[['server="{server}"', 'device_id=~"{device_id}"'], ['instance=~"{host}(:.*)?"']]],
      }),
    changes_per_minute: wholeNumber(1, 1_000).prefault(30).meta({
      description: "Maximum number of changes per minute, in PRTG and Alertmanager together.",
    }),
    max_sensors: wholeNumber(1, 100_000).prefault(200).meta({
      description: "Maximum number of sensors per silence. A silence that could cover more sensors does nothing.",
    }),
    audit_log: optional(
      text("the path of a file, or - for standard output").meta({ title: "path" }),
      "File for changes in JSON, one object per line. `-` is standard output. Default: `sync-audit.jsonl` in `state_dir`.",
      "/var/log/prtg-exporter/sync-audit.jsonl",
    ),
  })
  .superRefine(checkSpan, { when: ({ issues }) => issues.length === 0 })
  .transform(({ servers, ...input }) => ({
    ...inCode(input, { interval: "intervalMs", span: "spanMs" }),
    servers: new Map(Object.entries(servers)),
  }));

export type SyncSettings = z.output<typeof syncSchema>;
