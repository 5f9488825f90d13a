import { expect, test } from "vitest";
import type { AlertmanagerConfig } from "../../../src/config/sync-config.ts";
import { Redactor } from "../../../src/errors/redactor.ts";
import type { Clock } from "../../../src/lib/clock.ts";
import {
  type AlertmanagerClient,
  createAlertmanagerClient,
  type PutSilence,
  type Silence,
} from "../../../src/sync/alertmanager.ts";
import type { Matcher } from "../../../src/sync/matchers.ts";
import { filesWith } from "../../config/support.ts";
import { never } from "../../support/never-aborted.ts";

/** A server with Alertmanager's API v2, real or fake. */
export interface Subject {
  readonly url: string;
  readonly clock: Clock;
  /** Lets time pass. */
  readonly pass: (ms: number) => Promise<void>;
}

export function clientOf(
  config: Partial<AlertmanagerConfig> & Pick<AlertmanagerConfig, "url">,
  clock: Clock,
  redactor = new Redactor(),
): AlertmanagerClient {
  const tls = { ca: undefined, serverName: undefined, insecureSkipVerify: false };
  const defaults = { timeoutMs: 10_000, headers: {}, authorization: undefined, tls, proxy: undefined };
  const context = { userAgent: "prtg-exporter/test", clock, redactor, readFile: filesWith({}) };
  return createAlertmanagerClient({ ...defaults, ...config }, context);
}

interface Site extends Subject {
  readonly client: AlertmanagerClient;
  /** Silences the alerts of the row for an hour. */
  readonly silence: () => PutSilence;
  /** Creates it. */
  readonly created: () => Promise<Silence>;
  readonly find: (id: string) => Promise<Silence | undefined>;
  /** Adds an alert of the row. */
  readonly fire: (device: string) => Promise<void>;
  readonly silencedBy: (device: string) => Promise<readonly string[]>;
}

const UNKNOWN_ID = "11111111-2222-4333-8444-555555555555";

/** The behaviour on which the exporter relies. The servers keep everything, so each row has a label of its own. */
const BEHAVIOUR: Readonly<Record<string, (site: Site) => Promise<void>>> = {
  "silences matching alerts until the silence is expired": async ({ client, silence, fire, silencedBy }) => {
    await fire("core-1");
    await fire("edge-1");
    const matchers = [...silence().matchers, equal("device", "core-.", true)];
    const id = await client.putSilence({ ...silence(), matchers }, never);
    expect(await silencedBy("core-1")).toEqual([id]);
    expect(await silencedBy("edge-1")).toEqual([]);
    await client.expireSilence(id, never);
    expect(await silencedBy("core-1")).toEqual([]);
  },
  "returns all fields of a silence": async ({ client, clock, silence, find }) => {
    const negative = { name: "b", value: "x|y", isRegex: true, isEqual: false };
    const matchers = [equal("a", 'quote " \\ \n'), negative];
    const given = { ...silence(), matchers, comment: "maintenance [x] ✓", createdBy: "PRTG Müller" };
    const id = await client.putSilence(given, never);
    const found = await find(id);
    expect(found).toEqual({
      ...given,
      id,
      state: "active",
      startsAt: expect.any(Number),
      updatedAt: expect.any(Number),
    });
    expect(Math.abs((found?.startsAt ?? 0) - clock.now())).toBeLessThan(5_000);
    expect(Math.abs((found?.updatedAt ?? 0) - clock.now())).toBeLessThan(5_000);
  },
  "keeps the id if only the end and the comment of an active silence change": async ({ client, created, find }) => {
    const before = await created();
    const { id, startsAt } = before;
    const endsAt = before.endsAt + 60_000;
    expect(await client.putSilence({ ...before, endsAt, comment: "longer" }, never)).toBe(id);
    expect(await find(id)).toMatchObject({ startsAt, endsAt, comment: "longer" });
  },
  "replaces a silence if its matchers change": async ({ client, created, find }) => {
    const before = await created();
    const matchers = [...before.matchers, equal("sensor", "1")];
    const id = await client.putSilence({ ...before, matchers }, never);
    expect(id).not.toBe(before.id);
    expect(await find(before.id)).toBeUndefined();
    expect(await find(id)).toMatchObject({ matchers, state: "active" });
  },
  "replaces an active silence if its start changes": async ({ client, created, find }) => {
    const before = await created();
    const id = await client.putSilence({ ...before, startsAt: before.startsAt - 60_000 }, never);
    expect(id).not.toBe(before.id);
    expect(await find(before.id)).toBeUndefined();
  },
  "creates a silence in place of an expired one": async ({ client, created, find }) => {
    const before = await created();
    await client.expireSilence(before.id, never);
    const id = await client.putSilence(before, never);
    expect(id).not.toBe(before.id);
    expect(await find(id)).toMatchObject({ state: "active" });
  },
  "does not silence before the start": async ({ client, clock, silence, find, fire, silencedBy }) => {
    await fire("core-1");
    const startsAt = clock.now() + 600_000;
    const id = await client.putSilence({ ...silence(), startsAt, endsAt: startsAt + 60_000 }, never);
    expect(await find(id)).toMatchObject({ state: "pending" });
    expect(await silencedBy("core-1")).toEqual([]);
    await client.expireSilence(id, never);
    expect(await find(id)).toBeUndefined();
  },
  "expires silences at their end": async ({ client, clock, silence, find, pass }) => {
    const id = await client.putSilence({ ...silence(), endsAt: clock.now() + 1_500 }, never);
    expect(await find(id)).toBeDefined();
    await pass(2_000);
    expect(await find(id)).toBeUndefined();
  },
  "accepts the end of an unknown or expired silence": async ({ client, created }) => {
    const { id } = await created();
    await client.expireSilence(id, never);
    await client.expireSilence(id, never);
    await client.expireSilence(UNKNOWN_ID, never);
  },
  "refuses impossible and unknown silences": async ({ client, clock, silence }) => {
    const now = clock.now();
    const wrong: readonly Partial<PutSilence>[] = [
      { startsAt: now - 120_000, endsAt: now - 60_000 },
      { startsAt: now + 120_000, endsAt: now + 60_000 },
      { matchers: [equal("a", ".*", true)] },
      { id: UNKNOWN_ID },
    ];
    for (const each of wrong) {
      const putting = client.putSilence({ ...silence(), ...each }, never);
      await expect(putting).rejects.toMatchObject({ code: "ALERTMANAGER_REFUSED" });
    }
  },
};

function equal(name: string, value: string, isRegex = false): Matcher {
  return { name, value, isRegex, isEqual: true };
}

/** Runs the same table for the fake and for the real program. */
export function testBehaviour(subjectOf: () => Subject): void {
  test.each(Object.entries(BEHAVIOUR))("%s", async (row, run) => {
    const subject = subjectOf();
    const { url, clock } = subject;
    const client = clientOf({ url }, clock);
    const silence = (): PutSilence => ({
      matchers: [equal("row", row)],
      startsAt: clock.now(),
      endsAt: clock.now() + 3_600_000,
      createdBy: "tester",
      comment: "a test",
    });
    const find = async (wanted: string) => (await client.silences(never)).find(({ id }) => id === wanted);
    const created = async (): Promise<Silence> => {
      const found = await find(await client.putSilence(silence(), never));
      if (found === undefined) throw new Error("the silence is missing");
      return found;
    };
    const fire = async (device: string): Promise<void> => {
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify([{ labels: { row, device } }]);
      expect((await fetch(`${url}/api/v2/alerts`, { method: "POST", headers, body })).status).toBe(200);
    };
    const silencedBy = async (device: string): Promise<readonly string[]> => {
      const alerts = await client.alerts(never);
      const found = alerts.filter(({ labels }) => labels.get("row") === row && labels.get("device") === device);
      expect(found).toHaveLength(1);
      return found.flatMap((alert) => alert.silencedBy);
    };
    try {
      await run({ ...subject, client, silence, created, find, fire, silencedBy });
    } finally {
      await client.close();
    }
  });
}
