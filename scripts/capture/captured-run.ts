import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FIRST, FOURTH, PORTS, RULES, SCENARIO, SECOND, THIRD, WEB, WRONG } from "./configs.ts";
import type { Answer } from "./gate.ts";
import { capturePages, type Shown } from "./pages.ts";
import type { Simulator, Stage } from "./stage.ts";

const SECOND_MS = 1_000;
/** The scratch folder differs in each run. */
const CONFIG = ["--config.file", "/proc/self/cwd/prtg-exporter.yaml"];
const LISTEN = ["--web.listen-address", `127.0.0.1:${PORTS.exporter}`];
const BRANCH = 'branch "office"';

const ODD_ANSWERS = [
  "execution-timeout=1000",
  "moving-list=insert@/experimental/sensors*#2",
  "wrong-total=3@/experimental/groups*",
];
const ODD_RECORDS = ["odd-records=5", "parents=lost@/experimental/devices*", "missing@/objects/count", "text-values"];
const CHECKED = [
  "error=401",
  "html",
  "missing@/experimental/channels*",
  "odd-records=4",
  "date=+2h",
  "empty",
  "hang@/health*",
];

interface Simulators {
  readonly hq: Simulator;
  readonly branch: Simulator;
}

/** `isShort`: for tests. */
export async function captureRun(stage: Stage, scratch: string, isShort: boolean): Promise<void> {
  const file = (name: string, text: string) => writeFileSync(join(scratch, name), text, { mode: 0o600 });
  file("api-key", "simulated-key");
  file("password", "simulated-password");
  file("rules.yaml", RULES);
  file("web.yaml", WEB);
  file("scenario.yaml", SCENARIO);
  file("prtg-exporter.yaml", FIRST);
  mkdirSync(join(scratch, "state"), { mode: 0o700 });
  const simulators = await simulate(stage, isShort);
  await stage.receive(PORTS.otlp);
  await serve(stage, scratch, simulators, isShort);
  file("prtg-exporter.yaml", FIRST);
  await commands(stage, isShort);
  if (!isShort) {
    await checks(stage, simulators.hq);
    await guarded(stage);
    await longLists(stage);
    await simulators.hq.stop();
    stage.keepOutput(simulators.hq.program);
  }
  for (const name of ["recording.json", "history", "state"]) keepFiles(stage, scratch, name);
}

async function simulate(stage: Stage, isShort: boolean): Promise<Simulators> {
  const size = (sensors: number) => ["--sensors", String(isShort ? sensors >> 1 : sensors)];
  const hq = await stage.simulate("hq", PORTS.hq, ...size(48), "--seed", "3", "--scenario", "scenario.yaml");
  const hostile = ["--seed", "11", "--hostile-names", "--spelling", "specification"];
  const branch = await stage.simulate("branch", PORTS.branch, ...size(32), ...hostile);
  if (!isShort) await stage.simulate("lab", PORTS.lab, ...size(12), "--seed", "5");
  for (const kind of ["probes", "groups", "devices", "sensors", "channels"]) {
    await branch.look(stage, `world/${kind}.json`, `/api/v2/experimental/${kind}?limit=3000`);
  }
  for (const path of [
    "health",
    "version",
    "settings/public",
    "objects/count",
    "experimental/lookups",
    "sensors/2002/overview",
  ]) {
    await hq.look(stage, `world/${path.replaceAll("/", "-")}.json`, `/api/v2/${path}`);
  }
  return { hq, branch };
}

async function serve(stage: Stage, scratch: string, { hq, branch }: Simulators, isShort: boolean): Promise<void> {
  const { conductor } = stage;
  const flags = ["--web.enable-lifecycle", "--config.auto-reload-interval", "20s", "--log.level", "debug"];
  const program = stage.start("serve", ["serve", ...CONFIG, ...LISTEN, ...flags]);
  await conductor.listening(program, PORTS.exporter);
  const pass = (seconds: number) => conductor.pass(seconds * SECOND_MS);
  const pages = (folder: string, objects?: readonly Shown[]) =>
    capturePages(stage, program, PORTS.exporter, `pages/${folder}`, objects);
  const configure = (config: string) => writeFileSync(join(scratch, "prtg-exporter.yaml"), config);
  const reload = (folder: string) =>
    stage.look(`pages/${folder}/reload.txt`, program, PORTS.exporter, { method: "POST", url: "/-/reload" });

  await pages("00-before-the-first-poll", []);
  await pass(130);
  const objects = await idsOf(hq);
  const shown: Shown[] = [
    ...["0", objects.probe, objects.group, objects.device, ...objects.sensors].map((id) => ({ server: "hq", id })),
    ...(await idsOf(branch)).sensors.map((id) => ({ server: BRANCH, id })),
  ];
  await pages("01-first-polls", shown);
  await changeWorld(hq, objects);
  await branch.fault("error=503@/experimental/channels*");
  stage.receiver = () => json({ partialSuccess: { rejectedDataPoints: "2", errorMessage: "too old" } });
  await pass(65);
  await pages("02-changed-world-once");
  await pass(80);
  await pages("03-changed-world", shown);
  await branch.fault();
  // Cached pages expire.
  await pass(5);
  stage.receiver = () => ({ status: 400, headers: [], body: Buffer.from("no") });
  configure(WRONG);
  await reload("04-wrong-configuration");
  await pages("04-wrong-configuration");
  configure(SECOND);
  await reload("05-reloaded");
  await pages("05-reloaded", shown);
  stage.receiver = () => protobuf(200);
  await pass(70);
  await pages("06-second-configuration", shown);
  if (!isShort) {
    stage.receiver = () => protobuf(503, "Retry-After", "20");
    await hq.fault("error=500@/experimental/*");
    await pass(70);
    await pages("07-faults");
    await pass(200);
    await pages("08-stale", shown);
    stage.receiver = () => protobuf(200);
    await hq.fault(...ODD_ANSWERS);
    await pass(70);
    await pages("09-recovered", shown);
    configure(FOURTH);
    await branch.fault(...ODD_RECORDS);
    await branch.call("DELETE", "/simulator/sessions");
    // The exporter checks the file without a signal.
    await pass(100);
    await pages("10-odd-records", shown);
    await branch.fault();
    await hq.fault();
    await pass(70);
  }
  configure(THIRD);
  program.kill("SIGHUP");
  await pass(1);
  await pages("11-third-configuration");
  await pass(65);
  await pages("12-third-configuration-polled", shown);
  program.kill("SIGTERM");
  await conductor.ended(program);
  stage.keepOutput(program);
}

function json(body: unknown): Answer {
  return { status: 200, headers: ["Content-Type", "application/json"], body: Buffer.from(JSON.stringify(body)) };
}

function protobuf(status: number, ...headers: readonly string[]): Answer {
  return { status, headers: ["Content-Type", "application/x-protobuf", ...headers], body: Buffer.alloc(0) };
}

interface Chosen {
  readonly probe: string;
  readonly group: string;
  readonly device: string;
  readonly sensors: readonly string[];
}

async function idsOf(simulator: Simulator): Promise<Chosen> {
  const list = async (kind: string) =>
    ((await simulator.call("GET", `/api/v2/experimental/${kind}?limit=3000`)) as { readonly id: string }[]).map(
      ({ id }) => String(id),
    );
  const middle = (ids: readonly string[]) => ids[ids.length >> 1] ?? "";
  const sensors = await list("sensors");
  return {
    probe: middle(await list("probes")),
    group: middle(await list("groups")),
    device: middle(await list("devices")),
    sensors: Array.from({ length: 8 }, (_, at) => sensors[Math.floor((at * sensors.length) / 8)] ?? ""),
  };
}

async function changeWorld(hq: Simulator, { group, device, sensors }: Chosen): Promise<void> {
  const [renamed = "", paused = "", removed = "", forced = "", acknowledged = "", moved = "", set = ""] = sensors;
  await hq.change(renamed, "rename", { name: 'Renamed "sensor" \\ with\nlines' });
  await hq.change(paused, "pause", { message: "New disks", for: "30m" });
  await hq.call("DELETE", `/simulator/objects/${removed}`);
  await hq.change(forced, "force", { status: "down" });
  await hq.change(acknowledged, "force", { status: "down" });
  await hq.change(acknowledged, "acknowledge", { message: "On it" });
  await hq.change(device, "rename", { name: "A device of another name" });
  await hq.change(moved, "move", { to: device });
  await hq.change(set, "set", { channel: 0, to: 3 });
  await hq.change(group, "add", { device: "A new device" });
  await hq.change(device, "add", { sensor: "A new ping", kind: "ping" });
}

async function commands(stage: Stage, isShort: boolean): Promise<void> {
  const history = [...CONFIG, "--server", "hq", "--from"];
  await stage.run("once", ["serve", ...CONFIG, "--once"]);
  await stage.run("map", ["map", ...CONFIG, "--all", "--save", "recording.json"]);
  const files = ["3d", "--path", "**/*i*", "--label", "job=prtg", "--output", "history"];
  await stage.run("backfill", ["backfill", ...history, ...files]);
  if (isShort) return;
  await stage.run("backfill-push", ["backfill", ...history, "6h", "--kind", "ping", "--push"]);
  await stage.run("config-check", ["serve", ...CONFIG, "--config.check"]);
  await stage.run("once-shard-0", ["serve", ...CONFIG, "--once", "--shard", "0/2"]);
  await stage.run("once-shard-1", ["serve", ...CONFIG, "--once", "--shard", "1/2", "--log.format", "text"]);
  await stage.run("map-json", ["map", ...CONFIG, "--all", "--format", "json", "--recording", "recording.json"]);
  await stage.run("map-sensor", ["map", ...CONFIG, "--server", "hq", "--sensor", "2002"]);
  await stage.run("version", ["--version"]);
  await stage.run("wrong-flag", ["serve", "--config-file", "x"]);
  for (const command of ["serve", "check", "map", "backfill", "demo", "simulate"]) {
    await stage.run(`help-${command}`, [command, "--help"]);
  }
}

/** Lists of several pages, one of which moves. */
async function longLists(stage: Stage): Promise<void> {
  const size = ["--sensors", "1000", "--channels", "2000", "--devices", "30", "--seed", "2"];
  const faults = ["--fault", "execution-timeout=1000", "--fault", "moving-list=delete@/experimental/channels*#2"];
  const long = await stage.simulate("long", PORTS.long, ...size, ...faults);
  const one = { PRTG_URL: `http://127.0.0.1:${PORTS.long}`, PRTG_API_KEY_FILE: "/proc/self/cwd/api-key" };
  await stage.run("once-long", ["serve", "--once"], one);
  await long.stop();
}

async function checks(stage: Stage, hq: Simulator): Promise<void> {
  await stage.run("check", ["check", ...CONFIG]);
  const one = { PRTG_URL: `http://127.0.0.1:${PORTS.hq}`, PRTG_API_KEY_FILE: "/proc/self/cwd/api-key" };
  for (const [at, fault] of CHECKED.entries()) {
    await hq.fault(fault);
    await stage.run(`check-${at}`, ["check"], one);
  }
  await hq.fault();
}

async function guarded(stage: Stage): Promise<void> {
  const program = stage.start("guarded", [
    "serve",
    ...CONFIG,
    ...LISTEN,
    "--web.config.file",
    "/proc/self/cwd/web.yaml",
  ]);
  await stage.conductor.listening(program, PORTS.exporter);
  await stage.conductor.pass(5 * SECOND_MS);
  const user = (password: string) => [
    "Authorization",
    `Basic ${Buffer.from(`somebody:${password}`).toString("base64")}`,
  ];
  const asked = { nobody: [], wrong: user("wrong"), right: user("simulated-password") };
  for (const [who, headers] of Object.entries(asked)) {
    await stage.look(`pages/guarded/${who}.txt`, program, PORTS.exporter, { url: "/-/healthy", headers });
  }
  program.kill("SIGINT");
  await stage.conductor.ended(program);
  stage.keepOutput(program);
}

function keepFiles(stage: Stage, scratch: string, name: string): void {
  const path = join(scratch, name);
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return;
  if (statSync(path).isDirectory()) {
    for (const inner of readdirSync(path).sort()) keepFiles(stage, scratch, join(name, inner));
  } else stage.write(`files/${name}`, readFileSync(path, "utf8"));
}
