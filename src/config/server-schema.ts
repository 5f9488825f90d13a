import { z } from "zod";
import { authSchema } from "./auth-schema.ts";
import { byteSize, duration, inCode, number, optional, serverUrl, text, wholeNumber } from "./fields.ts";
import { proxyKeys, proxySettings, refuseLoneProxyKeys } from "./proxy-schema.ts";
import { formatDuration } from "./quantities.ts";
import { selectSchema } from "./select-schema.ts";
import { tlsSchema } from "./tls-schema.ts";

const tls = tlsSchema({
  exampleHost: "prtg.example.com",
  exampleCa: "/etc/ssl/prtg-ca.pem",
  unverified: "The exporter logs a warning at the start and every day, and sets `prtg_exporter_api_unverified` to 1.",
});

const limits = z
  .strictObject({
    concurrency: wholeNumber(1, 64).prefault(4).meta({ description: "Maximum number of concurrent requests." }),
    requests_per_second: number(0.01, 1000).prefault(20).meta({
      description: "Request budget: requests per second on average. Fractions are allowed.",
    }),
    timeout: duration("100ms", "1h").prefault("30s").meta({
      description: "Timeout of one request, from sending it to the last byte of the answer.",
    }),
    total_timeout: duration("100ms", "24h").prefault("120s").meta({
      description: "Timeout of a request with its retries and the waits between them.",
    }),
    list_timeout: duration("1s", "24h").prefault("1h").meta({
      description: "Timeout of a list with all its pages. Then the poll fails, and the previous data stays.",
    }),
    max_response_size: byteSize("64KiB", "500MiB").prefault("64MiB").meta({
      description:
        "Maximum size of one page of a list or one time series, uncompressed. Larger answers fail. For answers about the server as a whole, the maximum is 1MiB.",
    }),
    max_objects: optional(
      wholeNumber(1_000, 10_000_000),
      "Maximum number of records in one list and of values in one time series. Above it, the poll fails, and the previous data stays. Default: one per KiB of the heap limit of Node.js, at most 1,000,000.",
      500000,
    ),
    max_text_size: optional(
      byteSize("64KiB", "4GiB"),
      "Maximum number of text characters in one list (names, tags, addresses). The labels of its series may have four times as many. Above it, the poll fails, and the previous data stays. Default: 64 times `max_objects`.",
      "64MiB",
    ),
    max_text_length: wholeNumber(64, 16_384).prefault(1_024).meta({
      description:
        "Maximum length of one text in characters. The exporter cuts longer texts, ends them with `…` and counts them as problem `text`.",
    }),
  })
  .superRefine(({ timeout, total_timeout }, context) => {
    if (total_timeout < timeout) {
      const message = "a duration that is not shorter than timeout";
      context.addIssue({ code: "custom", message, path: ["total_timeout"], input: formatDuration(total_timeout) });
    }
  })
  .transform((input) =>
    inCode(input, {
      timeout: "timeoutMs",
      total_timeout: "totalTimeoutMs",
      list_timeout: "listTimeoutMs",
      max_response_size: "maxResponseBytes",
    }),
  );

export const serverSchema = z
  .strictObject({
    name: optional(
      text("a non-empty name"),
      "Unique name, the value of the label `server`. Default: the host in `url`.",
      "hq",
    ),
    url: serverUrl().meta({
      description:
        "URL of REST API v2: port 1616 for HTTPS, 1615 for HTTP. The exporter drops a slash or `/api/v2` at the end.",
      examples: ["https://prtg.example.com:1616"],
    }),
    web_url: optional(
      serverUrl("https://prtg.example.com"),
      "URL of the PRTG web interface for links: label `web_url` of `prtg_exporter_server_web_info`. Default: `https://` and the host in `url`, without its port.",
      "https://prtg.example.com:8443",
    ),
    auth: authSchema,
    tls: tls.prefault({}).meta({ description: "TLS to the server." }),
    ...proxyKeys("the server"),
    limits: limits.prefault({}).meta({ description: "Request budget and limits for answers." }),
    select: optional(
      selectSchema,
      "The part of the server to monitor. An object is selected if it or an object above it matches `include`, and none of them matches `exclude`.",
    ),
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
    const message = `a unique name (servers[${first}] has the same; the default is the host in url)`;
    context.addIssue({ code: "custom", message, path: [index, "name"], input: name });
  }
}
