import { expect, test } from "vitest";
import { configText, type Draft, loadDraft } from "../../../src/cli/init/draft.ts";
import { Redactor } from "../../../src/errors/redactor.ts";

const DRAFT: Draft = {
  file: "/etc/prtg.yaml",
  url: "https://prtg.example.com:1616",
  trust: {},
  apiKey: { value: "the-key" },
};
const PIN = "3A:F2:00:5C:91:7E:44:B8:6D:0F:12:C3:9A:85:E1:77:26:DB:58:F4:0B:63:A9:1C:E8:34:7F:52:96:CD:20:81";

test("the text is the configuration that was tried", async () => {
  const { config, server } = await loadDraft(
    { ...DRAFT, trust: { fingerprints: [PIN] } },
    { redactor: new Redactor() },
  );
  expect(config.servers).toEqual([server]);
  expect(server).toMatchObject({ name: "prtg.example.com", url: DRAFT.url, webUrl: "https://prtg.example.com" });
  expect(server.tls.fingerprints).toEqual([PIN.replaceAll(":", "").toLowerCase()]);
});

test("the file says what each key is for", () => {
  const trust = { caFile: "/etc/ca.pem", fingerprints: ["3A:F2"], insecureSkipVerify: true } as const;
  const full = { ...DRAFT, webUrl: "https://prtg.example.com", certificate: "CN=prtg.example.com", trust };
  expect(
    configText(full),
  ).toBe(`# Written by \`prtg-exporter init\`. All keys: https://prtg-exporter.github.io/prtg-exporter/configuration
servers:
  # Value of the label \`server\`. With another name, all series begin again.
  - name: "prtg.example.com"
    # Address of REST API v2: port 1616 for HTTPS, 1615 for HTTP.
    url: "https://prtg.example.com:1616"
    # Web interface of the server, for links.
    web_url: "https://prtg.example.com"
    auth:
      # Contains only the API key. The exporter must be able to read it, and no other user.
      api_key_file: "api-key"
    tls:
      # Trusted instead of the authorities of the system.
      ca_file: "/etc/ca.pem"
      # CN=prtg.example.com
      # Add the fingerprint of the next certificate before you renew this one.
      fingerprints:
        - "3A:F2"
      insecure_skip_verify: true
# Push to an OpenTelemetry Collector, in addition to Prometheus (https://prtg-exporter.github.io/prtg-exporter/otlp):
# otlp:
#   endpoint: http://otel-collector.example.com:4318
# Progress of the push and undelivered events. The packages create this directory:
# state_dir: /var/lib/prtg-exporter
`);
});

test("the redactor knows the key", async () => {
  const redactor = new Redactor();
  await loadDraft(DRAFT, { redactor });
  expect(redactor.redact("the-key of a server")).not.toContain("the-key");
});

test("paths and addresses keep their characters", async () => {
  const odd = {
    ...DRAFT,
    url: "https://[2001:db8::1]:1616",
    webUrl: "https://prtg.example.com/a$b",
    certificate: "Certificate: CN=x # y: z",
    trust: { fingerprints: [PIN] },
  };
  const { server } = await loadDraft(odd, { redactor: new Redactor() });
  expect(server).toMatchObject({ name: "[2001:db8::1]", url: odd.url, webUrl: odd.webUrl });
  expect(configText({ ...DRAFT, apiKey: { file: '/run/${SECRET}/a "key"' } })).toContain(
    String.raw`api_key_file: "/run/$$${"{"}SECRET}/a \"key\""`,
  );
});

test("only the name of a new key file is in the configuration", () => {
  expect(configText(DRAFT)).toContain('api_key_file: "api-key"');
  expect(configText(DRAFT)).not.toContain("the-key");
});

test.each([
  [
    { trust: { fingerprints: ["3A:F2"] } },
    /^servers\[0\]\.tls\.fingerprints\[0\]: expected a SHA-256 fingerprint/,
    "CONFIG_INVALID",
    /^Correct the flag or variable of init/,
  ],
  [{ trust: { caFile: "/no/ca.pem" } }, /^servers\[0\]\.tls\.ca_file: file \/no\/ca\.pem/, "CA_UNREADABLE", /ca_file/],
  [{ apiKey: { file: "/no/key" } }, /^servers\[0\]\.auth\.api_key_file: file \/no\/key/, "SECRET_UNREADABLE", /path/],
] as const)("faults of %j name no line of a file that does not exist", async (part, message, code, remedy) => {
  await expect(loadDraft({ ...DRAFT, ...part }, { redactor: new Redactor() })).rejects.toMatchObject({
    ...{ code, message: expect.stringMatching(message), remedy: expect.stringMatching(remedy) },
  });
});
