/** virtual-ports.ts maps them to real ones. */
export const PORTS = { hq: 1701, branch: 1702, lab: 1703, long: 1704, otlp: 4318, exporter: 9705 } as const;

const HQ = `
  - name: hq
    url: http://127.0.0.1:${PORTS.hq}
    auth: { api_key_file: api-key }`;
const BRANCH = `
  - name: branch "office"
    url: http://127.0.0.1:${PORTS.branch}
    auth: { username: simulated-user, password_file: password }
    limits: { concurrency: 2, requests_per_second: 10 }`;
const LAB = `
  - url: http://127.0.0.1:${PORTS.lab}/
    auth: { api_key_file: api-key }`;

/** Configuration at the start. */
export const FIRST = first("off");

/** Changes one word. */
export const FOURTH = first("auto");

function first(timeseries: string): string {
  return `
servers:${HQ}${BRANCH}
collectors:
  health: { schedule: 30s }
  status: { schedule: 30s }
  tree: { schedule: 60s }
  channels: { schedule: 60s }
  limits: { schedule: 2m }
  timeseries: { schedule: 60s, mode: ${timeseries} }
metrics: { sensor_status: all, node_sensors: [probe, group, device] }
mapping:
  presets: [all]
  files: [rules.yaml]
  rules:
    - match: { channel: "/(?i)processor (?<core>\\\\d+)/" }
      name: site_core_ratio
      help: A core's share of "work".
      unit: ratio
      labels: { core: $<core> }
    - { match: { channel: Downtime }, drop: true }
labels: { from_tags: [{ tag: "*", label: first_tag }, { tag: "s*", label: s_tag }] }
otlp: { endpoint: "http://127.0.0.1:${PORTS.otlp}", protocol: http/json, interval: 60s, service_name: captured, resource_attributes: { site: here } }
state_dir: state
`;
}

/** Different labels, rules, schedules, servers and receiver. */
export const SECOND = `
servers:${HQ}
    limits: { max_text_length: 64 }${LAB}
collectors:
  health: { schedule: 15s }
  status: { schedule: 30s }
  tree: { schedule: "0 * * * * *" }
  channels: { schedule: 45s }
  limits: { schedule: 1m }
  timeseries: { schedule: 60s, mode: all }
stale_after: 3m
metrics: { sensor_status: current, node_sensors: [group], channel_info: always }
mapping:
  presets: [ping, base-units]
  keep_original: false
  byte_units: decimal
  rules:
    - { match: { channel: "*" , unit: "%" }, name: site_share_ratio, help: "Shares.", unit: ratio }
labels:
  keep: [device, sensor, channel, unit]
  rename: { device: host_name }
  from_tags: [{ tag: "*", label: tagged }]
otlp: { endpoint: "http://127.0.0.1:${PORTS.otlp}", protocol: http/protobuf, compression: gzip, interval: 30s }
state_dir: state
`;

/** Over the size limit, without push. */
export const THIRD = `
servers:${HQ}${BRANCH}
collectors:
  health: { enabled: false }
  status: { schedule: 30s }
  tree: { schedule: 60s }
  channels: { schedule: 60s }
  limits: { enabled: false }
limits: { max_series: 900 }
labels: { keep: ids }
`;

export const WRONG = `
servers:${HQ}
collectors: { health: { schedule: often } }
labels: { kept: ids }
`;

export const RULES = `
rules:
  - match: { kind: "*disk*", channel: "Free*" }
    name: site_free
    help: What is left.
  - match: { unit: Mpps }
    name: site_packets_megarate
    help: Packets.
    factor: 1000000
`;

/** Password: simulated-password. */
export const WEB = `
http_server_config: { headers: { X-Frame-Options: deny, Strict-Transport-Security: max-age=60 } }
basic_auth_users: { somebody: "$2b$04$JNAwyFhqj2gcytkqx70lGOllIEzgNs89U2qsKseTuM0iWAHCD65k6" }
`;

export const SCENARIO = `
name: A device, and a disk
steps:
  - at: +90s
    select: { type: device, first: 1 }
    status: down
    message: Not reachable
    for: 2m
  - at: +100s
    select: { type: sensor, first: 1 }
    set: { channel: 0, to: 1, over: 1m }
    for: 3m
  - at: +5m
    select: { type: device, first: 1 }
    rename: "{name} (again)"
  - at: +9m
    select: { type: group, first: 1 }
    status: pausedbyschedule
    message: Maintenance window
    for: 2m
  - at: +10m
    select: { id: "1" }
    status: disconnected
    for: 90s
`;
