import { expect, test } from "vitest";
import { never } from "../support/never-aborted.ts";
import { faultsOf } from "./support/delivery-ledger.ts";
import { BEGIN, MINUTE, measurementSetup, recordedSensor } from "./support/measurement-setup.ts";

const SECOND = 1_000;

test.each([
  { name: "while its rows still wait", afterMs: 0 },
  { name: "after its rows were sent", afterMs: 5 * SECOND },
])("a list older than a series, $name, does not turn back a clock that was ahead", async ({ afterMs }) => {
  const subject = measurementSetup([recordedSensor("7", 60)]);
  const { server, clock } = subject;
  const process = await subject.start();
  await subject.run(process, 3);
  await clock.advance(10 * SECOND);
  // Untrusted: up to 15 minutes ahead count as a late list.
  server.believedOffsetMs = 0;
  server.offsetMs = 14 * MINUTE;
  await process.engine.onListPoll(server.list(), () => MINUTE);
  server.offsetMs = 15 * MINUTE;
  const list = server.list();
  server.offsetMs = 16 * MINUTE;
  await Promise.all([process.engine.readDue(never), clock.advance(SECOND / 2)]);
  await clock.advance(afterMs);
  await process.engine.onListPoll(list, () => MINUTE);
  await subject.run(process, 2);
  server.believedOffsetMs = undefined;
  await subject.run(process, 3);
  await subject.stop(process);
  expect(subject.receiver.received.some(({ at }) => at > BEGIN + 20 * MINUTE)).toBe(true);
  expect(faultsOf(server, subject.receiver.received, [], server.now() - 2 * MINUTE)).toEqual([]);
});
