import { z } from "zod";
import { authSchema } from "./auth-schema.ts";
import { byteSize, duration, filePath, fingerprints, number, serverUrl, text, wholeNumber } from "./fields.ts";
import { proxyKeys, proxySettings, refuseLoneProxyKeys } from "./proxy-schema.ts";
import { formatDuration } from "./quantities.ts";
import { selectSchema } from "./select-schema.ts";

const TLS_VERSIONS = { TLS12: "TLSv1.2", TLS13: "TLSv1.3" } as const;

const tls = z
  .strictObject({
    ca_file: filePath()
      .optional()
      .meta({
        description:
          "PEM file with the certificates to trust instead of those of Node.js and the system: an authority, or the server's own.",
        examples: ["/etc/ssl/prtg-ca.pem"],
      }),
    server_name: text("the name in the server's certificate")
      .optional()
      .meta({
        description: "Name to expect in the certificate, where it differs from the host in `url`.",
        examples: ["prtg.example.com"],
      }),
    cert_file: filePath()
      .optional()
      .meta({
        description:
          "PEM file with the certificate that the exporter shows, for servers that ask for one; together with `key_file`. Files of this section are read again when they change: connections made later use them.",
        examples: ["/etc/ssl/exporter.pem"],
      }),
    key_file: filePath()
      .optional()
      .meta({
        description: "PEM file with the key of that certificate, without a passphrase.",
        examples: ["/etc/ssl/exporter-key.pem"],
      }),
    fingerprints: fingerprints(
      "SHA-256 fingerprints of certificates, with or without colons, of which the server must show one: several, so that a renewed certificate can be named before it is in use. Without `ca_file` this takes the place of authorities, names and dates, so that a self-signed certificate needs nothing else; with `ca_file` both must hold.",
    ),
    min_version: z
      .enum(["TLS12", "TLS13"])
      .optional()
      .meta({
        description: "Oldest version of TLS that is spoken. Default: that of Node.js, which is TLS12.",
        examples: ["TLS13"],
      }),
    insecure_skip_verify: z.boolean().prefault(false).meta({
      description:
        "Accept any certificate. A machine between here and the server can then read the credentials. It is logged at the start and each day, and `prtg_exporter_api_unverified` is 1.",
    }),
  })
  .superRefine((input, context) => {
    const wrong = (key: string, message: string) => context.addIssue({ code: "custom", message, path: [key] });
    if (input.cert_file !== undefined && input.key_file === undefined) wrong("key_file", "the key of cert_file");
    if (input.key_file !== undefined && input.cert_file === undefined)
      wrong("cert_file", "the certificate of key_file");
    if (input.fingerprints !== undefined && input.insecure_skip_verify) {
      const message = "false, since fingerprints says which certificates are accepted";
      context.addIssue({ code: "custom", message, path: ["insecure_skip_verify"], input: true });
    }
  })
  .transform((input) => ({
    caFile: input.ca_file,
    certFile: input.cert_file,
    keyFile: input.key_file,
    fingerprints: input.fingerprints,
    minVersion: input.min_version === undefined ? undefined : TLS_VERSIONS[input.min_version],
    serverName: input.server_name,
    insecureSkipVerify: input.insecure_skip_verify,
  }));

const limits = z
  .strictObject({
    concurrency: wholeNumber(1, 64).prefault(4).meta({ description: "Requests under way at the same time." }),
    requests_per_second: number(0.01, 1000).prefault(20).meta({
      description: "Requests sent per second, on average; fractions are allowed.",
    }),
    timeout: duration("100ms", "1h").prefault("30s").meta({
      description: "Time that one request may take, from sending it to the last byte of the answer.",
    }),
    total_timeout: duration("100ms", "24h").prefault("120s").meta({
      description: "Time that a request may take together with its retries and the waits between them.",
    }),
    list_timeout: duration("1s", "24h").prefault("1h").meta({
      description:
        "Time that a list may take with all of its pages, beyond which it is given up: the poll fails, and what was known stays.",
    }),
    max_response_size: byteSize("64KiB", "500MiB").prefault("64MiB").meta({
      description:
        "Size at which an answer is cut off and counts as failed: of one page of a list, one time series, unpacked where it comes compressed. Answers about the server as a whole may have 1MiB.",
    }),
    max_objects: wholeNumber(1_000, 10_000_000)
      .optional()
      .meta({
        description:
          "Records of one list, and values of one time series, beyond which it is given up: the poll fails, and what was known stays. Default: one for each KiB that the heap of Node.js may have, at most 1,000,000.",
        examples: [500000],
      }),
    max_text_size: byteSize("64KiB", "4GiB")
      .optional()
      .meta({
        description:
          "The same for the text that is kept of one list (names, tags, addresses), in characters; the labels of its series may have four times as many in all. Default: 64 for each of `max_objects`.",
        examples: ["64MiB"],
      }),
    max_text_length: wholeNumber(64, 16_384).prefault(1_024).meta({
      description:
        "Characters at which one text of the server is cut; its end is then `…`. It is counted as problem `text`.",
    }),
  })
  .superRefine(({ timeout, total_timeout }, context) => {
    if (total_timeout < timeout) {
      const message = "a duration that is not shorter than timeout";
      context.addIssue({ code: "custom", message, path: ["total_timeout"], input: formatDuration(total_timeout) });
    }
  })
  .transform((input) => ({
    concurrency: input.concurrency,
    requestsPerSecond: input.requests_per_second,
    timeoutMs: input.timeout,
    totalTimeoutMs: input.total_timeout,
    listTimeoutMs: input.list_timeout,
    maxResponseBytes: input.max_response_size,
    maxObjects: input.max_objects,
    maxTextSize: input.max_text_size,
    maxTextLength: input.max_text_length,
  }));

export const serverSchema = z
  .strictObject({
    name: text("a name that is not empty")
      .optional()
      .meta({
        description: "Value of the label `server`; unique. Default: the host in `url`.",
        examples: ["hq"],
      }),
    url: serverUrl().meta({
      description:
        "Where REST API v2 listens: port 1616 for HTTPS, 1615 for HTTP. A slash or `/api/v2` at the end is dropped.",
      examples: ["https://prtg.example.com:1616"],
    }),
    web_url: serverUrl("https://prtg.example.com")
      .optional()
      .meta({
        description:
          "Address of the server's own web interface, for links to its pages: label `web_url` of `prtg_exporter_server_web_info`. Default: `https://` and the host in `url`, without its port.",
        examples: ["https://prtg.example.com:8443"],
      }),
    auth: authSchema,
    tls: tls.prefault({}).meta({ description: "How the certificate of the server is checked." }),
    ...proxyKeys("the server"),
    limits: limits.prefault({}).meta({ description: "What the exporter may ask of the server." }),
    select: selectSchema.optional().meta({
      description:
        "The part of the server that is monitored. An object is selected when it, or something above it, fits an entry of `include`, and neither it nor anything above it fits one of `exclude`.",
    }),
  })
  .superRefine(refuseLoneProxyKeys)
  .transform(({ web_url, proxy_url, proxy_auth, proxy_ca_file, ...input }) => {
    const { hostname } = new URL(input.url);
    const proxy = proxySettings({ proxy_url, proxy_auth, proxy_ca_file });
    return { ...input, proxy, name: input.name ?? hostname, webUrl: web_url ?? `https://${hostname}` };
  });

export const serverListSchema = z
  .array(serverSchema)
  .superRefine(refuseSameNames, { when: ({ issues }) => issues.length === 0 });

function refuseSameNames(all: readonly { readonly name: string }[], context: z.RefinementCtx): void {
  const seen = new Map<string, number>();
  for (const [index, { name }] of all.entries()) {
    const first = seen.get(name);
    if (first === undefined) {
      seen.set(name, index);
      continue;
    }
    const message = `a name that no other server has (servers[${first}] has it; the default is the host in url)`;
    context.addIssue({ code: "custom", message, path: [index, "name"], input: name });
  }
}
