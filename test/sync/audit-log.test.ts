import { expect, test } from "vitest";
import { Redactor } from "../../src/errors/redactor.ts";
import { AuditLog } from "../../src/sync/audit-log.ts";
import type { Change } from "../../src/sync/decide.ts";

const CHANGE: Change = { kind: "expire", key: "acknowledged hq/1", id: "s-1", why: "it is over in PRTG" };

function logged(fault?: Error) {
  const lines: string[] = [];
  const output = {
    write: async (given: readonly string[]) => {
      lines.push(...given);
      return { written: given.length, ...(fault && { written: 0, fault }) };
    },
  };
  const redactor = new Redactor();
  const clock = { now: () => Date.UTC(2026, 0, 15, 12) };
  return { lines, redactor, audit: new AuditLog(output, clock, "host-7", redactor) };
}

test("writes one line before a change and one after it, with the same number", async () => {
  const { audit, lines } = logged();
  await audit.planned(CHANGE);
  await audit.ended(CHANGE, "done");
  await audit.planned({ ...CHANGE, why: "it is there twice\nand more" });
  expect(lines).toEqual([
    '{"time":"2026-01-15T12:00:00.000Z","change":"host-7-1","result":"planned","kind":"expire","key":"acknowledged hq/1","id":"s-1","why":"it is over in PRTG"}\n',
    '{"time":"2026-01-15T12:00:00.000Z","change":"host-7-1","result":"done","kind":"expire","key":"acknowledged hq/1","id":"s-1","why":"it is over in PRTG"}\n',
    '{"time":"2026-01-15T12:00:00.000Z","change":"host-7-2","result":"planned","kind":"expire","key":"acknowledged hq/1","id":"s-1","why":"it is there twice\\nand more"}\n',
  ]);
});

test("adds the id of a created silence to its second line, at the place of the key", async () => {
  const { audit, lines } = logged();
  const silence: Change = {
    ...{ kind: "silence", key: "acknowledged hq/1", why: "new", id: undefined, matchers: [], startsAt: 0, endsAt: 1 },
    ...{ createdBy: "PRTG hq", comment: "" },
  };
  await audit.planned(silence);
  await audit.ended(silence, "done", "s-2");
  const [planned = {}, done = {}] = lines.map((line) => JSON.parse(line));
  expect("id" in planned).toBe(false);
  expect(done.id).toBe("s-2");
  expect(Object.keys(done).slice(0, 7)).toEqual(["time", "change", "result", "kind", "key", "why", "id"]);
});

test("rejects if a line cannot be written", async () => {
  const cause = new Error("ENOSPC");
  const { audit } = logged(cause);
  const expected = { code: "SYNC_AUDIT_UNWRITABLE", cause };
  await expect(audit.planned(CHANGE)).rejects.toMatchObject(expected);
  await expect(audit.ended(CHANGE, "done")).rejects.toMatchObject(expected);
});

test("contains no secret, even if a user or a server repeats it", async () => {
  const { audit, lines, redactor } = logged();
  redactor.add("secret-of-prtg");
  await audit.planned({ ...CHANGE, why: "key secret-of-prtg" });
  await audit.ended(CHANGE, "HTTP 403: secret-of-prtg has no right");
  expect(lines.join("")).not.toContain("secret-of-prtg");
  expect(lines.map((line) => JSON.parse(line).kind)).toEqual(["expire", "expire"]);
});
