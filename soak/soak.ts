import { setTimeout as sleep } from "node:timers/promises";
import { clockJump, TIME_ZONE } from "./clock-jumps.ts";
import { type Disturbance, FaultDeck } from "./disturbance.ts";
import {
  COLLECTORS,
  ExporterUnderTest,
  SCHEDULES,
  SHAKEN,
  SOUND,
  STALE_AFTER_MS,
  TIMEOUT_MS,
  TOTAL_TIMEOUT_MS,
} from "./exporter-under-test.ts";
import { faultKinds, LARGE_FAULTS } from "./fault-catalogue.ts";
import { Findings } from "./findings.ts";
import { judgeResources } from "./judgement.ts";
import type { PageView } from "./page-view.ts";
import { PollWatch } from "./poll-watch.ts";
import { Population } from "./population.ts";
import { Random } from "./random.ts";
import { Readers } from "./readers.ts";
import { type Scrape, Scraper } from "./scraper.ts";
import { SimulatedSite } from "./simulated-site.ts";
import { type AnsweredRequest, isRecovered, staleValues, TruthChecker } from "./truth.ts";

export interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  readonly sensors: number;
}

/** Of an endpoint, and of refused credentials: docs/decisions.md. */
const HOLD_BACK_MS = 30_000;
/** The longest interval, what is held back, the run that was under way, and a machine that has other things to do. */
const RECOVERY_LIMIT_MS = HOLD_BACK_MS + 1_000 * Math.max(...Object.values(SCHEDULES)) + TOTAL_TIMEOUT_MS + 10_000;
/** What the server lacked is asked for again after a minute. */
const MISSING_LIMIT_MS = RECOVERY_LIMIT_MS + 60_000;
/** Two tree and status polls, and then some. */
const NOTICED_AFTER_MS = 13_000;
/** Every list has been read since. */
const CAUGHT_UP_MS = 15_000;
const CHECK_EVERY_MS = 1_000;
/** The exporter follows a server's clock when answers have agreed for a minute. */
const CLOCK_BELIEVED_MS = 65_000;
/** A page that cannot be had is a violation, but no reason to see no more. */
const MAX_ATTEMPTS = 5;
/** Statuses and infos are withdrawn five minutes after a poll has confirmed them. */
const CONFIRMED_FOR_MS = 300_000;

/** The poll before, one tick that a jump of the clock may cost, and a machine that has other things to do. */
const MAX_POLL_GAP_MS = 3_000 * SCHEDULES.channels;
/** How long a jump of the clock lasts, milliseconds. */
const JUMP_MS = [12_000, 30_000] as const;

/** A run of the exporter against a server that is disturbed without end, beside one that is left alone. */
export class Soak {
  readonly findings = new Findings();
  readonly #options: SoakOptions;
  readonly #random: Random;
  readonly #shaken: SimulatedSite;
  readonly #sound: SimulatedSite;
  readonly #exporter: ExporterUnderTest;
  readonly #checked: Scraper;
  readonly #scrapers: readonly Scraper[];
  readonly #population: Population;
  readonly #polls = new PollWatch(MAX_POLL_GAP_MS);
  readonly #readers: Readers;
  readonly #truths = new Map([SHAKEN, SOUND].map((server) => [server, new TruthChecker(server)] as const));
  readonly #started = performance.now();
  readonly #over = new AbortController();
  /** Whether nothing may be missing of the shaken server: since when. */
  #wholeSince: number | undefined;
  /** Whether the exporter's times can be held against ours. */
  #hasTruth = true;
  /** Until then ages by the server's clock are not those by ours. */
  #clockIsOffUntil = 0;

  private constructor(options: SoakOptions, shaken: SimulatedSite, sound: SimulatedSite, exporter: ExporterUnderTest) {
    this.#options = options;
    this.#random = new Random(options.seed);
    this.#shaken = shaken;
    this.#sound = sound;
    this.#exporter = exporter;
    this.#checked = new Scraper(exporter.metricsUrl, this.#random);
    this.#scrapers = [1, 2].map((number) => new Scraper(exporter.metricsUrl, new Random(options.seed + number)));
    this.#population = new Population(shaken, this.#random);
    this.#readers = new Readers(exporter.metricsUrl, new Random(options.seed + 3), this.findings);
  }

  /** Runs for its time. Rejects when a program does not start. */
  static async run(options: SoakOptions): Promise<Soak> {
    const { seed, sensors } = options;
    const size = { seed, sensors, channels: 4 * sensors, groups: 60 };
    const [shaken, sound] = await Promise.all([SimulatedSite.start(size), SimulatedSite.start(size)]);
    const soak = new Soak(
      options,
      shaken,
      sound,
      await ExporterUnderTest.start(shaken, sound, { timeZone: TIME_ZONE }),
    );
    await soak.#run();
    return soak;
  }

  get scrapes(): number {
    return this.#allScrapers.reduce((sum, { scrapes }) => sum + scrapes, 0);
  }

  get scrapeDurationsMs(): readonly number[] {
    return this.#allScrapers.flatMap(({ durationsMs }) => durationsMs);
  }

  get #allScrapers(): readonly Scraper[] {
    return [this.#checked, ...this.#scrapers];
  }

  get #elapsedMs(): number {
    return performance.now() - this.#started;
  }

  async #run(): Promise<void> {
    await this.#population.read();
    const background = [
      ...this.#scrapers.map((scraper) => this.#scrapeOn(scraper)),
      this.#watchResources(),
      this.#readers.readOn(this.#over.signal),
    ];
    const deck = new FaultDeck(this.#random, [...faultKinds(TIMEOUT_MS), ...LARGE_FAULTS]);
    const end = this.#options.minutes * 60_000;
    try {
      await this.#recover("start", performance.now(), RECOVERY_LIMIT_MS);
      while (this.#elapsedMs < end && this.#exporter.program.ending === undefined) {
        this.findings.cycles++;
        // Long enough for all that has a time limit to reach it, some times an hour.
        if (this.findings.cycles % 80 === 20 && end - this.#elapsedMs > 600_000) await this.#outage();
        else if (this.findings.cycles % 40 === 10) await this.#setServerClock();
        else if (this.findings.cycles % 8 === 4) await this.#restart();
        else if (this.findings.cycles % 4 === 2) await this.#jump();
        else await this.#disturb(deck.next());
        if (this.findings.cycles % 5 === 0) await this.#calm();
        if (this.findings.cycles % 6 === 0) await this.#reload(this.findings.cycles % 12 === 0);
      }
    } catch (error) {
      this.findings.violated(`broken off: ${error instanceof Error ? error.stack : String(error)}`);
    }
    this.#over.abort();
    await Promise.all(background);
    await this.#end();
  }

  async #end(): Promise<void> {
    const { program } = this.#exporter;
    for (const line of program.suspicious) this.findings.violated(`the exporter says: ${line}`);
    if (program.ending !== undefined) {
      this.findings.violated(`the exporter ${program.ending}:\n${program.output.slice(-3_000)}`);
    }
    const ending = await this.#exporter.stop();
    if (ending !== "ended with code 0") this.findings.violated(`asked to stop, the exporter ${ending}`);
    await Promise.all([this.#shaken.program.stop(), this.#sound.program.stop()]);
    judgeResources(this.findings, this.#options.minutes);
  }

  async #disturb(disturbance: Disturbance): Promise<void> {
    for (const kind of disturbance.kinds) this.findings.inject(kind);
    for (const fault of disturbance.faults) await this.#shaken.addFault(fault);
    if (disturbance.endsSessions) await this.#shaken.control("DELETE", "/sessions");
    if (disturbance.losesRecords) this.#wholeSince = undefined;
    const clockIsOff = disturbance.faults.some((fault) => /^(skew|date)=/.test(fault));
    if (clockIsOff) this.#clockIsOffUntil = Number.POSITIVE_INFINITY;
    await this.#checkFor(this.#random.between(4_000, 13_000));
    await this.#shaken.clearFaults();
    if (clockIsOff) this.#clockIsOffUntil = Date.now() + CAUGHT_UP_MS;
    const limit = disturbance.missesEndpoints ? MISSING_LIMIT_MS : RECOVERY_LIMIT_MS;
    await this.#recover(disturbance.kinds.join(" + "), performance.now(), limit);
    await this.#checkFor(this.#random.between(1_000, 4_000));
  }

  /** The exporter's wall clock jumps, and jumps back: no server's polls and values depend on it. */
  async #jump(): Promise<void> {
    const { kind, aheadMs } = clockJump(this.#random, Date.now());
    this.findings.inject(kind);
    // Its own times of success are then of another clock than ours.
    this.#hasTruth = false;
    for (const ms of [aheadMs, 0]) {
      this.#exporter.setClockAhead(ms);
      await this.#checkFor(this.#random.between(...JUMP_MS), { changes: false });
    }
    await this.#recover(kind, performance.now(), RECOVERY_LIMIT_MS);
    for (const truth of this.#truths.values()) truth.forget();
    this.#hasTruth = true;
  }

  /** So long that the exporter believes it, and not the clock that was right. */
  async #setServerClock(): Promise<void> {
    const shift = this.#random.pick(["+2h", "-2h"]);
    this.findings.inject(`server's clock set by ${shift}`);
    this.#clockIsOffUntil = Number.POSITIVE_INFINITY;
    this.#wholeSince = undefined;
    await this.#shaken.addFault(`skew=${shift}`);
    await this.#checkFor(2 * CLOCK_BELIEVED_MS, { changes: false });
    await this.#shaken.clearFaults();
    await this.#checkFor(2 * CLOCK_BELIEVED_MS, { changes: false });
    this.#clockIsOffUntil = Date.now() + CAUGHT_UP_MS;
    await this.#recover("server's clock", performance.now(), RECOVERY_LIMIT_MS);
  }

  async #restart(): Promise<void> {
    this.findings.inject("server restart");
    const downMs = Math.round(this.#random.between(200, 8_000));
    await this.#shaken.addFault(`restart=${downMs}ms#1`);
    await this.#checkFor(downMs + 3_000, { changes: false });
    await this.#recover("server restart", performance.now(), RECOVERY_LIMIT_MS);
  }

  /** So long that everything is withdrawn: nothing dead is served, and the last page says so. */
  async #outage(): Promise<void> {
    this.findings.inject("long outage");
    this.findings.longOutages++;
    this.#wholeSince = undefined;
    await this.#shaken.addFault("cut=start");
    await this.#checkFor(CONFIRMED_FOR_MS + 20_000, { changes: false });
    const { page } = await this.#checked.scrape();
    for (const family of ["prtg_channel_value", "prtg_sensor_status", "prtg_sensor_info", "prtg_device_info"]) {
      const left = page.samples(family, { server: SHAKEN }).length;
      if (left > 0)
        this.findings.violated(`${left} series of ${family} are served after five minutes without a server`);
    }
    await this.#shaken.clearFaults();
    await this.#recover("long outage", performance.now(), RECOVERY_LIMIT_MS);
  }

  /** Without faults and changes the page shows exactly what there is. */
  async #calm(): Promise<void> {
    await this.#population.read();
    const end = performance.now() + NOTICED_AFTER_MS;
    while (performance.now() < end) {
      await this.#check();
      await sleep(CHECK_EVERY_MS);
    }
    const { page } = await this.#check();
    const shown = page.labelsOf("prtg_sensor_status_code", "sensor_id", { server: SHAKEN });
    const { alive } = this.#population;
    const missing = [...alive].filter((id) => !shown.has(id));
    const extra = [...shown].filter((id) => !alive.has(id));
    if (missing.length + extra.length > 0) {
      this.findings.violated(`after a calm ${missing.join(", ")} are not shown, ${extra.join(", ")} are`);
    }
  }

  async #reload(changed: boolean): Promise<void> {
    this.findings.reloads++;
    const name = "prtg_exporter_config_last_reload_success_timestamp_seconds";
    const before = (await this.#checked.scrape()).page.value(name) ?? 0;
    this.#exporter.reload({ changed });
    const limit = performance.now() + 30_000;
    for (;;) {
      const { page } = await this.#checked.scrape();
      if ((page.value(name) ?? 0) > before) break;
      if (performance.now() > limit) return this.findings.violated("a reload was not done within half a minute");
      await sleep(200);
    }
    for (const truth of this.#truths.values()) truth.forget();
    await this.#recover("reload", performance.now(), RECOVERY_LIMIT_MS);
  }

  /** Waits until the shaken server's collectors work again, which must not take longer than `limitMs`. */
  async #recover(kind: string, since: number, limitMs: number): Promise<void> {
    for (;;) {
      const { page } = await this.#check();
      const ms = performance.now() - since;
      if (isRecovered(page, SHAKEN, COLLECTORS)) {
        this.#wholeSince ??= Date.now() + CAUGHT_UP_MS;
        this.findings.recoveries.push({ kind, ms });
        return;
      }
      if (ms > limitMs || this.#exporter.program.ending !== undefined) {
        const state = page.samples("prtg_exporter_collector_success", { server: SHAKEN });
        const failing = state.filter(({ value }) => value !== 1).map(({ labels }) => labels.get("collector"));
        this.findings.violated(
          `no recovery within ${Math.round(limitMs / 1_000)} s from ${kind}: ${failing.join(", ")}`,
        );
        this.findings.recoveries.push({ kind, ms });
        return;
      }
      await sleep(250);
    }
  }

  async #checkFor(ms: number, { changes } = { changes: true }): Promise<void> {
    const end = performance.now() + ms;
    while (performance.now() < end && this.#exporter.program.ending === undefined) {
      await this.#check();
      if (changes && this.#random.next() < 0.25) await this.#population.change();
      await sleep(Math.max(0, Math.min(CHECK_EVERY_MS, end - performance.now())));
    }
    this.findings.changes = this.#population.changes;
  }

  /** One scrape, held against what both servers say. */
  async #check(): Promise<Scrape> {
    const scrape = await this.#tried(this.#checked);
    const { page, at, endedAt } = scrape;
    this.findings.calibrationMs.push(await this.#checked.calibrate());
    for (const [server, site] of [
      [SHAKEN, this.#shaken],
      [SOUND, this.#sound],
    ] as const) {
      const answers = await site.answers();
      if (answers === undefined) continue;
      if (server === SOUND) this.#checkPolls(answers);
      if (!this.#hasTruth) continue;
      this.findings.truthChecks++;
      for (const complaint of this.#truths.get(server)?.complaints(page, endedAt, answers) ?? []) {
        this.findings.violated(complaint);
      }
    }
    this.#checkSound(page);
    this.#checkPopulation(page, at);
    for (const server of at < this.#clockIsOffUntil ? [SOUND] : [SHAKEN, SOUND]) {
      for (const line of staleValues(page, server, at, STALE_AFTER_MS + 5_000)) this.findings.violated(line);
    }
    const delay = page.value("nodejs_eventloop_lag_max_seconds");
    if (delay !== undefined) this.findings.eventLoopDelaysMs.push(delay * 1_000);
    return scrape;
  }

  /** No fault, no reader and no clock keeps the server that is left alone from being polled. */
  #checkPolls(answers: readonly AnsweredRequest[]): void {
    for (const gap of this.#polls.gaps(answers)) {
      this.findings.violated(`the sound server was not asked for its channels for ${Math.round(gap / 1_000)} s`);
    }
    this.findings.longestPollGapMs = this.#polls.longestGapMs;
  }

  /** A server that is not disturbed shows no failure, whatever befalls another one. */
  #checkSound(page: PageView): void {
    const up = page.value("prtg_up", { server: SOUND });
    if (up !== 1 || !isRecovered(page, SOUND, COLLECTORS)) {
      this.findings.violated(`the sound server is shown as if it were not (up ${up})`);
    }
    if (page.samples("prtg_channel_value", { server: SOUND }).length === 0) {
      this.findings.violated("the values of the sound server are gone");
    }
    const durations = page.samples("prtg_exporter_collector_duration_seconds", {
      server: SOUND,
      collector: "channels",
    });
    for (const { value } of durations) this.findings.soundPollsMs.push(value * 1_000);
  }

  /** No object that lives is missing, and none that is gone is shown for long. */
  #checkPopulation(page: PageView, at: number): void {
    const shown = page.labelsOf("prtg_sensor_status_code", "sensor_id", { server: SHAKEN });
    const { alive, added, removed } = this.#population;
    if (this.#wholeSince !== undefined && at > this.#wholeSince && !this.#population.isUncertain) {
      const missing = [...alive].filter((id) => !shown.has(id) && !added.has(id));
      if (missing.length > 0)
        this.findings.violated(`sensors that live are not shown: ${missing.slice(0, 10).join(", ")}`);
    }
    for (const [id, since] of removed) {
      if (at - since > CONFIRMED_FOR_MS + NOTICED_AFTER_MS && shown.has(id)) {
        this.findings.violated(`sensor ${id} was removed and is still shown`);
      }
    }
  }

  async #scrapeOn(scraper: Scraper): Promise<void> {
    while (!this.#over.signal.aborted) {
      await this.#tried(scraper).catch(() => undefined);
      await sleep(700);
    }
  }

  async #tried(scraper: Scraper): Promise<Scrape> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await scraper.scrape();
      } catch (error) {
        this.findings.violated(`a scrape failed: ${error instanceof Error ? error.message : String(error)}`);
        if (attempt === MAX_ATTEMPTS || this.#exporter.program.ending !== undefined) throw error;
        await sleep(CHECK_EVERY_MS);
      }
    }
  }

  async #watchResources(): Promise<void> {
    while (!this.#over.signal.aborted) {
      const resources = this.#exporter.program.resources();
      if (resources !== undefined) {
        this.findings.resources.push({ hours: this.#elapsedMs / 3_600_000, ...resources });
        this.findings.peakBytes = Math.max(this.findings.peakBytes, resources.peakBytes);
      }
      await sleep(2_000);
    }
  }
}
