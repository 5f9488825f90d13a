import { readdirSync, readFileSync } from "node:fs";
import { parseScenario } from "prtg-simulator/src/scenario/scenario.ts";
import { ScenarioError } from "prtg-simulator/src/scenario/scenario-error.ts";
import { mappingOf } from "../../src/app/mapping.ts";
import { ConfigError } from "../../src/config/config-error.ts";
import { loadWebConfig } from "../../src/http/web-config/load.ts";
import { loadRules } from "../config/mapping/support.ts";
import { filesWith, load, loadWithFiles, SECRET } from "../config/support.ts";
import { mutateText, type TextSource } from "./mutate-text.ts";
import { below, pick } from "./random.ts";
import { type FuzzInput, type FuzzTarget, promise } from "./target.ts";

const YAML = [
  ...[
    "\n",
    "\n  ",
    "\n    ",
    "- ",
    ": ",
    "[",
    "]",
    "{",
    "}",
    "{}",
    "[]",
    "|\n",
    ">-\n",
    "#",
    "&a ",
    "*a",
    "<<: *a",
    "!!str ",
  ],
  ...[
    "!!binary ",
    "---\n",
    "...\n",
    "%YAML 1.1\n",
    "? ",
    "null",
    "~",
    "true",
    "30s",
    "0x1F",
    ".nan",
    "1e3",
    "'",
    '"',
    "\t",
  ],
  ...["${KEY}", "${NONE:-5m}", "${", "$$", "${SERVER", "__proto__: {}", "constructor: 1"],
];
const SERVER = "servers:\n  - { url: https://prtg:1616, auth: { api_key_file: /run/secrets/key } }\n";

const CONFIGS: readonly string[] = [
  SERVER,
  "servers:\n  - name: hq\n    url: https://prtg.example.com:1616/\n    auth: { username: me, password: '${KEY}' }\n" +
    "    tls: { ca_file: /etc/ssl/ca.pem, server_name: prtg }\n    limits: { concurrency: 4, timeout: 30s, max_response_size: 64MiB }\n",
  `${SERVER}collectors: { tree: { schedule: 5m }, status: { schedule: "*/30 * * * * *" }, timeseries: { mode: auto, enabled: false } }\n`,
  `${SERVER}mapping:\n  presets: [base-units]\n  rules:\n    - match: { channel: [Disk*, '/Free (?<d>.)/'] }\n      name: prtg_disk_bytes\n      help: X.\n      unit: bytes\n      labels: { disk: $<d> }\n`,
  `${SERVER}labels: { keep: [sensor_id, path], rename: { path: prtg_path }, from_tags: [{ tag: 'site-*', label: site }] }\n`,
  `${SERVER}otlp: { endpoint: 'http://collector:4318', protocol: http/json, interval: 60s, headers: { x-tenant: a } }\nstale_after: 15m\n`,
  "servers:\n  - url: https://prtg:1616\n    auth: { api_key: '${KEY}' }\n    tls:\n      cert_file: /etc/ssl/certs/exporter.pem\n" +
    `      key_file: /etc/ssl/private/exporter.key\n      fingerprints: ['${"AB:".repeat(31)}CD']\n      min_version: TLS13\n`,
  `${SERVER}limits: { max_series: 500, max_bytes: 256MiB }\nmetrics: { sensor_status: all, node_sensors: [probe] }\nstate_dir: /x\n`,
];
const RULES: readonly string[] = [
  "rules:\n  - match: { kind: ping, channel: 'Ping Time' }\n    name: prtg_ping_seconds\n    help: X.\n    unit: seconds\n",
  "rules:\n  - match: { path: 'Berlin/**/Disk *', unit: '/^[kM]B$/' }\n    drop: true\n  - match: { tags: [a, b] }\n    name: prtg_x\n    help: '$1'\n",
];
const WEB: readonly string[] = [
  "http_server_config: { http2: true, headers: { X-Frame-Options: deny } }\nrate_limit: { interval: 1s, burst: 20 }\n",
  "basic_auth_users:\n  alice: $2y$04$.mB3hjyTXma0Ek.x78bTFO0UNod6FXSR6KVwYcvd5wwSszgk6rdpi\n",
  "tls_server_config: { cert_file: /etc/ssl/ca.pem, key_file: /etc/ssl/key.pem, min_version: TLS12, client_auth_type: NoClientCert }\n",
];
const SERVER_FILES: readonly string[] = [
  "name: hq\nurl: https://prtg:1616\nauth: { api_key_file: /run/secrets/key }\nselect: { include: [{ id: 2001 }, { tag: a }] }\n",
  "- { name: a, url: https://a, auth: { api_key_file: /run/secrets/key } }\n- { name: b, url: https://b, auth: { api_key_file: /run/secrets/key } }\n",
];
/** Repetition reveals superlinear cost. */
const LONG_TEXT = 200_000;
const SCENARIOS = new URL("../../packages/simulator/scenarios/", import.meta.url);
const RULE_FILES = new URL("../../config/mappings/", import.meta.url);

/** Configuration, rules, web configuration, scenarios. */
export function openConfigTarget(): FuzzTarget {
  const scenarios = readdirSync(SCENARIOS).map((name) => readFileSync(new URL(name, SCENARIOS), "utf8"));
  const presets = readdirSync(RULE_FILES).map((name) => readFileSync(new URL(name, RULE_FILES), "utf8"));
  const corpora: Readonly<Record<string, readonly string[]>> = {
    config: CONFIGS,
    // Long documents find little for their cost.
    rules: [...RULES, ...RULES, ...RULES, ...presets.filter((text) => text.length < 1_000)],
    web: WEB,
    servers: SERVER_FILES,
    scenario: scenarios.map((text) => text.slice(0, 1_200)),
  };
  const variants = ["config", "config", "config", "rules", "rules", "web", "servers", "scenario"];
  return {
    name: "config",
    draw: (random) => {
      const variant = pick(random, variants);
      const corpus = corpora[variant] ?? [];
      const source: TextSource = { corpus, words: [...YAML, ...wordsOf(corpus)] };
      const text = mutateText(random, source);
      if (random() >= LONG_SHARE) return { variant, text };
      const piece = pick(random, YAML) + (random() < 0.5 ? pick(random, YAML) : "");
      const begin = text.slice(0, below(random, 50));
      return { variant, text: begin + piece.repeat(Math.ceil(LONG_TEXT / piece.length)) };
    },
    run: runConfig,
  };
}

/** Each takes as long as a hundred others. */
const LONG_SHARE = 0.01;

const words = new Map<readonly string[], readonly string[]>();

function wordsOf(corpus: readonly string[]): readonly string[] {
  const known = words.get(corpus) ?? [...new Set(corpus.join("\n").match(/[\w-]+:? ?/g))];
  words.set(corpus, known);
  return known;
}

async function runConfig({ variant, text }: FuzzInput): Promise<void> {
  try {
    if (variant === "rules") await loadRules(text, { KEY: SECRET });
    else if (variant === "web") await loadWebConfig("web.yaml", filesWith({ "web.yaml": text }));
    else if (variant === "scenario") parseScenario(text, "scenario.yaml");
    else if (variant === "servers") {
      const { badServerFiles } = await loadWithFiles(
        "servers_from: { files: /d/* }\n",
        { "/d/a.yaml": text },
        new Map(),
        {
          KEY: SECRET,
        },
      );
      for (const { error } of badServerFiles) throw error;
    } else mappingOf((await load(text, { KEY: SECRET })).config);
  } catch (error) {
    if (error instanceof ScenarioError) return;
    if (!(error instanceof ConfigError)) throw error;
    const lines = text.split("\n").length + 1;
    promise(error.problems.length > 0, "an error names a problem");
    promise(!error.message.includes(SECRET), "no message holds a secret");
    for (const { line = 1, column = 1 } of error.problems) {
      promise(line >= 1 && line <= Math.max(lines, 200) && column >= 1, "a problem has its place");
    }
  }
}
