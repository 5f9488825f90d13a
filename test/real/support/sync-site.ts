import { writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Simulator } from "prtg-simulator/src/simulator.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import type { AlertmanagerClient, Silence } from "../../../src/sync/alertmanager.ts";
import { compileMatchers, type Matcher } from "../../../src/sync/matchers.ts";
import { ownKeyOf } from "../../../src/sync/own-silences.ts";
import { never } from "../../support/never-aborted.ts";
import { CREDENTIALS, simulateServer } from "../../support/simulated-server.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { clientOf } from "../../sync/support/alertmanager-behaviour.ts";
import { startAlertmanager } from "./alertmanager.ts";
import { type BackgroundProgram, startInBackground } from "./background-program.ts";
import { type CuttableRelay, type Exchange, startRelay } from "./cuttable-relay.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const MINUTE = 60_000;
/** The shortest ones that the configuration permits. */
export const INTERVAL = "5s";
const SPAN = "5m";
/** As a Prometheus server with a short evaluation interval. */
const ALERTS_EVERY_MS = 1_000;

interface Acknowledged {
  readonly by: "sync" | "person";
  readonly until: number;
}

/** Simulator, Alertmanager and sync as processes, with a relay before each side, and persons on both sides. */
export class SyncSite {
  readonly prtg: CuttableRelay;
  readonly alertmanager: CuttableRelay;
  /** Wrong changes, as soon as they happen. */
  readonly wrongs: string[] = [];
  readonly acknowledgements: string[] = [];
  readonly persons: AlertmanagerClient;
  readonly #simulator: Simulator;
  readonly #config: string;
  readonly #acknowledged = new Map<string, Acknowledged>();
  readonly #logs: string[] = [];
  readonly #ends: (() => Promise<void>)[];
  #program: BackgroundProgram | undefined;
  #isOver = false;
  readonly #alerting: Promise<void>;

  private constructor(parts: {
    readonly simulator: Simulator;
    readonly prtg: CuttableRelay;
    readonly alertmanager: CuttableRelay;
    readonly persons: AlertmanagerClient;
    readonly config: string;
    readonly alertsUrl: string;
    readonly ends: (() => Promise<void>)[];
  }) {
    this.#simulator = parts.simulator;
    this.prtg = parts.prtg;
    this.alertmanager = parts.alertmanager;
    this.persons = parts.persons;
    this.#config = parts.config;
    this.#ends = parts.ends;
    this.#alerting = this.#fire(parts.alertsUrl);
  }

  static async start(binary: string): Promise<SyncSite> {
    const simulator = await simulateServer();
    const quiet = () => "route: { receiver: none }\nreceivers: [{ name: none }]\n";
    const program = await startAlertmanager(binary, quiet);
    const url = `http://${program.address}`;
    let site: SyncSite | undefined;
    const prtg = await startRelay(simulator.url, (exchange) => site?.sawPrtg(exchange));
    const alertmanager = await startRelay(url, (exchange) => site?.sawAlertmanager(exchange));
    const folder = temporaryFolder({});
    const settings = {
      servers: [{ name: "hq", url: prtg.url, auth: { api_key: `\${KEY}` }, limits: { requests_per_second: 1_000 } }],
      state_dir: `${folder}/state`,
      sync: {
        alertmanager: { url: alertmanager.url, timeout: "2s" },
        servers: { hq: { api_key: `\${KEY}` } },
        ...{ interval: INTERVAL, span: SPAN, changes_per_minute: 1_000, max_sensors: 10 },
      },
    };
    const config = `${folder}/prtg.json`;
    await writeFile(config, JSON.stringify(settings));
    const persons = clientOf({ url }, systemClock);
    const ends = [() => program.stop(), () => persons.close(), () => prtg.close(), () => alertmanager.close()];
    site = new SyncSite({ simulator, prtg, alertmanager, persons, config, alertsUrl: url, ends });
    return site;
  }

  get sensors(): readonly string[] {
    return this.#simulator.world.list("sensor").map(({ id }) => id);
  }

  status(id: string): string {
    const sensor = this.#simulator.world.list("sensor").find((each) => each.id === id);
    return sensor === undefined ? "gone" : this.#simulator.world.state(sensor, Date.now()).status;
  }

  setDown(id: string, isDown: boolean): void {
    // The end of an alarm ends its acknowledgement.
    if (!isDown) this.#acknowledged.delete(id);
    this.#simulator.world.force(id, isDown ? "down" : "up", Date.now());
  }

  acknowledgeByPerson(id: string, minutes: number): void {
    if (this.status(id) !== "down") return;
    const until = Date.now() + minutes * MINUTE;
    this.#acknowledged.set(id, { by: "person", until });
    this.#simulator.world.acknowledge(id, Date.now(), "bob is on it", until);
  }

  silenceByPerson(id: string, minutes: number): Promise<string> {
    const matchers = [matcherOf(id)];
    const times = { startsAt: Date.now(), endsAt: Date.now() + minutes * MINUTE };
    return this.persons.putSilence({ ...times, matchers, createdBy: "ann", comment: "maintenance" }, never);
  }

  async silences(): Promise<{ readonly foreign: readonly Silence[]; readonly own: readonly string[] }> {
    const all = (await this.persons.silences(never)).filter(({ state }) => state === "active");
    const own = all.flatMap((silence) => ownKeyOf(silence)?.text ?? []);
    return { foreign: all.filter((silence) => ownKeyOf(silence) === undefined), own };
  }

  isAcknowledgedByPerson(id: string): boolean {
    return this.status(id) === "acknowledged" && this.#acknowledged.get(id)?.by === "person";
  }

  startSync(): void {
    this.#program = startInBackground(
      process.execPath,
      ["src/main.ts", "sync", `--config.file=${this.#config}`, "--web.listen-address=127.0.0.1:0", "--log.format=json"],
      { cwd: ROOT, env: { KEY: CREDENTIALS.apiKey } },
    );
  }

  async killSync(): Promise<void> {
    await this.#program?.stop("SIGKILL");
    this.#logs.push(this.#program?.log() ?? "");
  }

  /** Of all processes so far. */
  log(): string {
    return [...this.#logs, this.#program?.log() ?? ""].join("");
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#alerting;
    await this.killSync();
    for (const end of this.#ends) await end();
  }

  sawPrtg({ method, path, body }: Exchange): void {
    const [, id = ""] = /\/sensors\/(\d+)\/acknowledge$/.exec(path) ?? [];
    if (method !== "POST" || id === "") return;
    const { duration } = JSON.parse(body) as { readonly duration: number };
    const known = this.#acknowledged.get(id);
    if (known !== undefined && Date.now() < known.until - 1_000 && known.by === "sync") {
      this.wrongs.push(`${id} is acknowledged twice`);
    }
    this.acknowledgements.push(id);
    this.#acknowledged.set(id, { by: "sync", until: Date.now() + duration * 1_000 });
  }

  sawAlertmanager({ method, path, body }: Exchange): void {
    if (method !== "POST" || !path.endsWith("/silences")) return;
    const key = ownKeyOf(JSON.parse(body) as Silence)?.text ?? "";
    const id = key.slice(key.indexOf("/") + 1);
    const known = this.#acknowledged.get(id);
    if (key.startsWith("acknowledged") && known?.by === "sync" && Date.now() < known.until) {
      this.wrongs.push(`${id} has a silence for an acknowledgement of sync`);
    }
  }

  /** The part of Prometheus: an alert for each sensor that is down. */
  async #fire(url: string): Promise<void> {
    while (!this.#isOver) {
      const endsAt = new Date(Date.now() + 4 * ALERTS_EVERY_MS).toISOString();
      const down = this.sensors.filter((id) => this.status(id) === "down");
      const alerts = down.map((id) => ({
        endsAt,
        labels: { alertname: "PrtgSensorDown", server: "hq", sensor_id: id },
      }));
      const headers = { "content-type": "application/json" };
      await fetch(`${url}/api/v2/alerts`, { method: "POST", headers, body: JSON.stringify(alerts) });
      await sleep(ALERTS_EVERY_MS);
    }
  }
}

export function matcherOf(id: string): Matcher {
  return { name: "sensor_id", value: id, isRegex: false, isEqual: true };
}

export function covers({ matchers }: Silence, id: string): boolean {
  return compileMatchers(matchers).matches(
    new Map([
      ["server", "hq"],
      ["sensor_id", id],
      ["alertname", "PrtgSensorDown"],
    ]),
  );
}
