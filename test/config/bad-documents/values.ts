import { SECRET } from "../support.ts";
import { AUTH, type BadDocument, OPEN_SERVER, SERVER, url } from "./bad-document.ts";

export const VALUES: readonly BadDocument[] = [
  { title: "a list", text: "- a\n- b\n", problems: [["1:1", "expected a map, found a list"]] },
  {
    title: "a text, perhaps a key",
    text: `${SECRET}\n`,
    problems: [["1:1", "expected a map, found a text (not shown)"]],
  },
  {
    title: "servers as a map",
    text: "servers:\n  url: http://a\n",
    problems: [["2:3", "servers: expected a list, found a map"]],
  },
  {
    title: "a server as a text",
    text: "servers: [http://a]\n",
    problems: [["1:11", 'servers[0]: expected a map, found "http://a"']],
  },
  {
    title: "an empty server",
    text: "servers:\n  -\n",
    problems: [
      ["2:4", `servers[0].auth: missing, expected a map with ${AUTH}`],
      ["2:4", "servers[0].url: missing, expected an http or https URL"],
    ],
  },
  {
    title: "one label for two tags",
    text: `${SERVER}labels:\n  from_tags:\n    - { tag: "a:*", label: site }\n    - { tag: "b:*", label: site }\n`,
    problems: [["6:28", 'labels.from_tags[1].label: expected a name that no other label has, found "site"']],
  },
  {
    title: "unknown key at the root",
    text: `${SERVER}alerting: {}\n`,
    problems: [
      [
        "3:1",
        "alerting: unknown key. Known keys: servers, servers_from, collectors, stale_after, limits, metrics, mapping, labels, otlp, events, web, sync, state_dir",
      ],
    ],
  },
  {
    title: "misspelt key",
    text: `${SERVER}collectors:\n  tree:\n    shedule: 1m\n`,
    problems: [["5:5", "collectors.tree.shedule: unknown key, did you mean `schedule`?"]],
  },
  {
    title: "camel case",
    text: `${OPEN_SERVER}    tls: { caFile: x }\n`,
    problems: [["5:12", "servers[0].tls.caFile: unknown key, did you mean `ca_file`?"]],
  },
  {
    title: "key one level too high",
    text: `${OPEN_SERVER}    ca_file: x\n`,
    problems: [["5:5", "servers[0].ca_file: unknown key, did you mean `tls.ca_file`?"]],
  },
  {
    title: "unknown collector",
    text: `${SERVER}collectors: { sensors: {} }\n`,
    problems: [["3:15", "collectors.sensors: unknown key. Known keys: health, status, tree"]],
  },
  { title: "odd key", text: `${SERVER}"a\\nb": 1\n`, problems: [["3:1", '["a\\nb"]: unknown key. Known keys']] },
  {
    title: "key of Object.prototype",
    text: `${SERVER}__proto__: 1\ntoString: 2\n`,
    problems: [
      ["3:1", "__proto__: unknown key"],
      ["4:1", "toString: unknown key"],
    ],
  },
  { title: "key that is a number", text: `${SERVER}1: 2\n`, problems: [["3:1", "1: unknown key"]] },

  {
    title: "URL without scheme",
    text: url("prtg:1616"),
    problems: [
      [
        "3:10",
        'servers[0].url: expected an http or https URL such as https://prtg.example.com:1616, found "prtg:1616": it does not begin with',
      ],
    ],
  },
  {
    title: "URL with credentials",
    text: url(`https://me:${SECRET}@prtg`),
    problems: [["3:10", "found a text (not shown): credentials belong under auth"]],
  },
  {
    title: "URL with a query",
    text: url(`https://prtg/?apitoken=${SECRET}`),
    problems: [["3:10", "found a text (not shown): it has a query"]],
  },
  {
    title: "URL that is null",
    text: url(""),
    problems: [["3:5", "servers[0].url: expected an http or https URL", "found nothing"]],
  },
  { title: "URL that is a number", text: url("1616"), problems: [["3:10", "found 1616"]] },

  ...["4MiB", "63KiB", "1024"].map((size) => ({
    title: `OTLP requests of ${size}`,
    text: `${SERVER}otlp: { max_request_size: ${size} }\n`,
    problems: [["3:27", "otlp.max_request_size: expected a size from 64KiB to 4095KiB with its unit"] as const],
  })),
  {
    title: "concurrency of 0",
    text: `${OPEN_SERVER}    limits: { concurrency: 0 }\n`,
    problems: [["5:28", "servers[0].limits.concurrency: expected a whole number from 1 to 64, found 0"]],
  },
  {
    title: "concurrency of 65",
    text: `${OPEN_SERVER}    limits: { concurrency: 65 }\n`,
    problems: [["5:28", "found 65"]],
  },
  {
    title: "fraction",
    text: `${OPEN_SERVER}    limits: { concurrency: 1.5 }\n`,
    problems: [["5:28", "a whole number from 1 to 64, found 1.5"]],
  },
  {
    title: "number in quotes",
    text: `${OPEN_SERVER}    limits: { concurrency: "4" }\n`,
    problems: [["5:28", 'a whole number from 1 to 64, found "4"']],
  },
  {
    title: "infinity",
    text: `${OPEN_SERVER}    limits: { requests_per_second: .inf }\n`,
    problems: [["5:36", "a number from 0.01 to 1000, found Infinity"]],
  },
  {
    title: "nothing per second",
    text: `${OPEN_SERVER}    limits: { requests_per_second: 0 }\n`,
    problems: [["5:36", "a number from 0.01 to 1000, found 0"]],
  },
  {
    title: "duration without unit",
    text: `${OPEN_SERVER}    limits: { timeout: 30 }\n`,
    problems: [["5:24", "servers[0].limits.timeout: expected a duration from 100ms to 1h, such as", "found 30"]],
  },
  {
    title: "duration beyond the range",
    text: `${OPEN_SERVER}    limits: { timeout: 2h }\n`,
    problems: [["5:24", "expected a duration from 100ms to 1h", 'found "2h"']],
  },
  {
    title: "total below the single timeout",
    text: `${OPEN_SERVER}    limits: { timeout: 5m }\n`,
    problems: [
      ["5:13", "servers[0].limits.total_timeout: expected a duration that is not shorter than timeout", '"2m"'],
    ],
  },
  {
    title: "size without unit",
    text: `${OPEN_SERVER}    limits: { max_response_size: 64 }\n`,
    problems: [["5:34", "expected a size from 64KiB to 500MiB with its unit", "found 64"]],
  },
  {
    title: "size too small",
    text: `${OPEN_SERVER}    limits: { max_response_size: 1KiB }\n`,
    problems: [["5:34", 'found "1KiB"']],
  },

  {
    title: "cron with five fields",
    text: `${SERVER}collectors: { tree: { schedule: "*/5 * * * *" } }\n`,
    problems: [
      [
        "3:33",
        "collectors.tree.schedule",
        'found "*/5 * * * *": it has five fields: add the seconds first, as in 0 */5 * * * *',
      ],
    ],
  },
  {
    title: "uneven seconds",
    text: `${SERVER}collectors: { tree: { schedule: "*/45 * * * * *" } }\n`,
    problems: [["3:33", "must divide 60", "such as 45s"]],
  },
  {
    title: "wrong cron field",
    text: `${SERVER}collectors: { tree: { schedule: 0 0 25 * * * } }\n`,
    problems: [["3:33", "the field for the hour is wrong"]],
  },
  {
    title: "interval too short",
    text: `${SERVER}collectors: { tree: { schedule: 100ms } }\n`,
    problems: [["3:33", 'found "100ms": the shortest is 1s']],
  },
  {
    title: "schedule as a number",
    text: `${SERVER}collectors: { tree: { schedule: 30 } }\n`,
    problems: [["3:33", "expected a duration such as 30s, or a cron expression with seconds", "found 30"]],
  },
  {
    title: "schedule as a list",
    text: `${SERVER}collectors: { tree: { schedule: [30s] } }\n`,
    problems: [["3:33", "found a list"]],
  },
  {
    title: "yes",
    text: `${SERVER}collectors: { tree: { enabled: yes } }\n`,
    problems: [["3:32", 'collectors.tree.enabled: expected true or false, found "yes"']],
  },
  {
    title: "YAML 1.1 is not spoken",
    text: "%YAML 1.1\n---\nservers:\n  - { url: http://a, auth: { api_key_file: /run/secrets/key }, tls: { insecure_skip_verify: yes } }\n",
    problems: [["4:93", 'found "yes"']],
  },
  {
    title: "collector as a duration",
    text: `${SERVER}collectors: { tree: 5m }\n`,
    problems: [["3:21", 'collectors.tree: expected a map, found "5m"']],
  },
  {
    title: "stale_after that is null",
    text: `${SERVER}stale_after:\n`,
    problems: [["3:1", "stale_after: expected a duration from 1s to 24d", "found nothing"]],
  },
  {
    title: "address of a link that is a list",
    text: `${SERVER}web: { links: [{ name: Wiki, url: [a] }] }\n`,
    problems: [["3:35", "web.links[0].url: expected an http or https URL with placeholders such as ", "found a list"]],
  },
  {
    title: "unknown choice",
    text: `${SERVER}metrics: { sensor_status: every }\n`,
    problems: [["3:27", 'metrics.sensor_status: expected one of current, all, found "every"']],
  },
  {
    title: "unknown choice in a list",
    text: `${SERVER}metrics:\n  node_sensors:\n    - probe\n    - sensor\n`,
    problems: [["6:7", 'metrics.node_sensors[1]: expected one of probe, group, device, found "sensor"']],
  },
  {
    title: "long text",
    text: `${SERVER}stale_after: ${"x".repeat(500)}\n`,
    problems: [["3:14", `found "${"x".repeat(60)}..."`]],
  },

  {
    title: "name without anything in it",
    text: `${OPEN_SERVER}    name: " "\n`,
    problems: [["5:11", 'servers[0].name: expected a non-empty name, found " "']],
  },
  {
    title: "name given twice",
    text: `${OPEN_SERVER}    name: a\n  - url: http://b\n    name: a\n    auth: { api_key_file: /run/secrets/key }\n`,
    problems: [["7:11", "servers[1].name: expected a unique name (servers[0] has the same", 'found "a"']],
  },
  {
    title: "same host twice",
    text: `${OPEN_SERVER}  - url: https://prtg:2616\n    auth: { api_key_file: /run/secrets/key }\n`,
    problems: [["5:5", "servers[1].name", "the default is the host in url", 'found "prtg"']],
  },
  {
    title: "fault in a merged map",
    text: `${OPEN_SERVER}    limits: &limits\n      concurrency: 99\n  - url: http://b\n    auth: { api_key_file: /run/secrets/key }\n    limits: { <<: *limits, timeout: 1s }\n`,
    problems: [
      ["6:20", "servers[0].limits.concurrency"],
      ["6:20", "servers[1].limits.concurrency"],
    ],
  },
];
