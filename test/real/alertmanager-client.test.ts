import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { testBehaviour } from "../sync/support/alertmanager-behaviour.ts";
import { type Alertmanager, startAlertmanager } from "./support/alertmanager.ts";
import { describeWithPrograms } from "./support/programs.ts";

/** Sends nothing: the test reads alerts through the API. */
const CONFIGURATION = "route: { receiver: none }\nreceivers: [{ name: none }]\n";

/** test/sync/alertmanager.test.ts runs the same table with the fake. */
describeWithPrograms(["alertmanager"], "client of Alertmanager with the real program", (programs) => {
  let alertmanager: Alertmanager;

  beforeAll(async () => {
    alertmanager = await startAlertmanager(programs.alertmanager, () => CONFIGURATION);
  }, 90_000);

  afterAll(() => alertmanager?.stop());

  testBehaviour(() => ({ url: `http://${alertmanager.address}`, clock: systemClock, pass: (ms) => sleep(ms) }));
});
