import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { seededRandom } from "../../src/cli/compare/compare.ts";
import { never } from "../support/never-aborted.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { covers, SyncSite } from "./support/sync-site.ts";

const KILLS = 48;
const SENSORS = 12;
/** Rounds of 5 s. */
const OUTAGE_MS = 60_000;
const SETTLES_WITHIN_MS = 60_000;

describeWithPrograms(["alertmanager"], "sync with the real Alertmanager", (programs) => {
  test("agrees after 48 kills and outages of both sides, without an echo", { timeout: 15 * 60_000 }, async () => {
    const site = await SyncSite.start(programs.alertmanager);
    const random = seededRandom(27);
    const chosen = site.sensors.slice(0, SENSORS);
    const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)];
    const act = async () => {
      const id = pick(chosen) ?? "";
      const { foreign } = await site.silences();
      const acts: readonly (() => unknown)[] = [
        () => site.setDown(id, true),
        () => site.setDown(id, true),
        () => site.setDown(id, false),
        () => site.silenceByPerson(id, 20),
        () => site.acknowledgeByPerson(id, 30),
        () => {
          const silence = pick(foreign);
          return silence && site.persons.expireSilence(silence.id, never);
        },
        () => {
          const silence = pick(foreign);
          return silence && site.persons.putSilence({ ...silence, endsAt: silence.endsAt + 60_000 }, never);
        },
      ];
      await pick(acts)?.();
    };
    try {
      for (const id of chosen.slice(0, 8)) site.setDown(id, true);
      for (let kill = 0; kill < KILLS; kill++) {
        site.startSync();
        // From before its first request to the middle of its second round.
        const lives = 500 + random() * 7_000;
        await act();
        await sleep(lives / 2);
        await act();
        await sleep(lives / 2);
        await site.killSync();
        if (random() < 0.3) await act();
      }
      site.startSync();
      for (const side of [site.alertmanager, site.prtg]) {
        for (const state of ["deaf", "down"] as const) {
          side.state = state;
          for (let at = 0; at < 4; at++) {
            await act();
            await sleep(OUTAGE_MS / 8);
          }
        }
        side.state = "up";
      }
      const problems = async () => {
        const { foreign, own } = await site.silences();
        const found = own.filter((key, at) => own.indexOf(key) !== at).map((key) => `${key} twice`);
        for (const id of chosen) {
          const isCovered = foreign.some((silence) => covers(silence, id));
          if (isCovered && site.status(id) === "down") found.push(`${id} is down under a silence`);
          const has = own.includes(`acknowledged hq/${id}`);
          if (has && !site.isAcknowledgedByPerson(id)) found.push(`${id} has a silence without an acknowledgement`);
        }
        return found;
      };
      await expect.poll(problems, { timeout: SETTLES_WITHIN_MS, interval: 1_000 }).toEqual([]);
      expect(site.wrongs, site.log()).toEqual([]);
      expect(site.acknowledgements.length).toBeGreaterThan(5);
    } finally {
      await site.end();
    }
  });
});
