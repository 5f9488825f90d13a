import { describe, expect, test } from "vitest";
import { changeTable, describeChange } from "../../src/sync/change-table.ts";
import type { Change } from "../../src/sync/decide.ts";

const ACKNOWLEDGE: Change = {
  ...{ kind: "acknowledge", server: "hq", sensorId: "2003", path: "Berlin/core-1/Ping", seconds: 3_600 },
  ...{ message: "ann: new fan (silence s-1)", silence: "s-1", labels: { server: "hq", sensor_id: "2003" } },
};
const SILENCE: Change = {
  ...{
    kind: "silence",
    key: "paused hq/40 #0",
    why: "new",
    id: undefined,
    startsAt: 0,
    endsAt: 1,
    createdBy: "PRTG hq",
  },
  matchers: [
    { name: "server", value: "hq", isRegex: false, isEqual: true },
    { name: "instance", value: 'a"b', isRegex: true, isEqual: true },
  ],
  comment: "Paused in PRTG: Berlin/core-1 [prtg-exporter sync: paused hq/40 #0]",
};
const EXPIRE: Change = { kind: "expire", key: "paused hq/41 #0", id: "6c6c7a0e", why: "it is over in PRTG" };

test("the table has a line for each change and each complaint", () => {
  const complaint = {
    about: "s-2",
    kind: "too wide",
    text: "the silence of bob could cover more than 200 sensors",
  } as const;
  expect(changeTable([EXPIRE, ACKNOWLEDGE, SILENCE], [complaint], ["branch"])).toBe(
    [
      "         CHANGE                  OF                             BECAUSE",
      "would    expire silence          6c6c7a0e                       it is over in PRTG",
      "would    acknowledge for 60 min  hq/2003 Berlin/core-1/Ping     ann: new fan (silence s-1)",
      'would    create silence          server="hq", instance=~"a\\"b"  Paused in PRTG: Berlin/core-1 [prtg-exporter sync: paused hq/40 #0]',
      "not                              s-2                            the silence of bob could cover more than 200 sensors",
      "unknown                          branch                         the server could not be read",
    ].join("\n"),
  );
});

test("the table says that nothing would change", () => {
  expect(changeTable([], [])).toBe("PRTG and Alertmanager agree: nothing would change.");
});

test("the table does not say that both sides agree if a server could not be read", () => {
  expect(changeTable([], [], ["hq"])).toBe(
    ["         CHANGE  OF  BECAUSE", "unknown          hq  the server could not be read"].join("\n"),
  );
});

test("the table has no control characters of PRTG", () => {
  const path = "Berlin/\u001b[31mcore\n-1";
  expect(changeTable([{ ...ACKNOWLEDGE, path }], [])).not.toMatch(/\p{Cc}(?<!\n)|core\n/u);
});

describe("describeChange", () => {
  test.each<[Change, string]>([
    [ACKNOWLEDGE, "acknowledge for 60 min of hq/2003 Berlin/core-1/Ping: ann: new fan (silence s-1)"],
    [
      { ...ACKNOWLEDGE, seconds: 60 },
      "acknowledge for 1 min of hq/2003 Berlin/core-1/Ping: ann: new fan (silence s-1)",
    ],
    [SILENCE, `create silence of server="hq", instance=~"a\\"b": ${SILENCE.comment}`],
    [{ ...SILENCE, why: "extend" }, `extend silence of server="hq", instance=~"a\\"b": ${SILENCE.comment}`],
    [{ ...SILENCE, why: "replace" }, `replace silence of server="hq", instance=~"a\\"b": ${SILENCE.comment}`],
    [EXPIRE, "expire silence of 6c6c7a0e: it is over in PRTG"],
  ])("%#: %s", (change, expected) => {
    expect(describeChange(change)).toBe(expected);
  });
});
