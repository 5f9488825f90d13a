import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tryFileLock } from "../../src/lib/durable-file.ts";
import { HistoryServer, NOW } from "./history-server.ts";
import { emptyFolder, filesOf, run, TickingClock, type Wanted } from "./running.ts";

const server = () => new HistoryServer({ sensors: ["9", "10"], channels: 1 });

/** Interrupts after one of two sensors. */
async function interrupted(wanted: Wanted = {}): Promise<string> {
  const output = emptyFolder();
  const controller = new AbortController();
  const api = server();
  api.asks = (id) => id === "10" && controller.abort(new Error("stopped"));
  const outcome = await run({ api, output, concurrency: 1, signal: controller.signal }, wanted);
  expect(outcome).toEqual({ kind: "interrupted", done: 1, sensors: 2 });
  return output;
}

function expectUnlocked(output: string): void {
  const lock = tryFileLock(join(output, ".lock"));
  expect(lock).toBeDefined();
  lock?.release();
}

describe("time range", () => {
  test.each([
    [{ from: "1d", to: "2d" }, "is not before --to"],
    [{ from: "3h" }, "is not before --to"],
    [{ from: "1d", to: "2026-03-12T17:42:31Z" }, "--to (2026-03-12T17:42:31Z) lies in the future"],
    [{ from: "500d", to: "400d" }, "the server keeps no data from 2024-10-28T17:42:30Z"],
    [{ from: "10d", to: "9d", resolution: "live" }, "(--resolution live)"],
  ] as const)("%j fails", async (wanted, text) => {
    const output = emptyFolder();
    const refused = run({ api: server(), output }, wanted);
    await expect(refused).rejects.toThrow(text);
    await expect(refused).rejects.toMatchObject({ code: "BACKFILL_RANGE_INVALID" });
    expect(existsSync(join(output, "journal.json"))).toBe(false);
    expectUnlocked(output);
  });
});

test("a filter without matches fails", async () => {
  const refused = run({ api: server(), output: emptyFolder() }, { paths: ["Ping"] });
  await expect(refused).rejects.toMatchObject({
    code: "BACKFILL_NOTHING_SELECTED",
    message: "none of the 2 visible sensors is selected",
  });
});

test("lists that change constantly fail after three attempts", async () => {
  const api = server();
  api.incomplete.add("device");
  await expect(run({ api, output: emptyFolder() })).rejects.toMatchObject({ code: "BACKFILL_LIST_MOVED" });
  expect(api.timesAsked("device")).toBe(3);
});

test("a server without a list of groups works without groups", async () => {
  const api = server();
  api.fail("API_ENDPOINT_MISSING", "group");
  expect(await run({ api, output: emptyFolder() })).toMatchObject({ kind: "finished" });
  api.fail("API_ENDPOINT_MISSING", "sensor");
  await expect(run({ api, output: emptyFolder() })).rejects.toMatchObject({ code: "API_ENDPOINT_MISSING" });
});

describe("folder with finished history", () => {
  const history = { from: "2026-03-08T13:00:00Z", to: "2026-03-10T13:00:00Z" };

  test.each([
    [{ from: "2026-03-10T12:59:59Z", to: "2026-03-11T00:00:00Z" }],
    [{ from: "2026-03-01T00:00:00Z", to: "2026-03-08T13:00:01Z" }],
    [{ from: "2026-03-01T00:00:00Z", to: "2026-03-12T00:00:00Z" }],
    [{ from: "2026-03-09T00:00:00Z", to: "2026-03-09T01:00:00Z" }],
    [history],
  ])("rejects %j", async (wanted) => {
    const output = emptyFolder();
    await run({ api: server(), output }, history);
    const files = filesOf(output);
    await expect(run({ api: server(), output }, { ...wanted, kinds: ["ping"] })).rejects.toMatchObject({
      code: "BACKFILL_OVERLAP",
      message: `${output} already has the history from 2026-03-08T13:00:00Z to 2026-03-10T13:00:00Z, finished at 2026-03-12T17:42:30Z`,
    });
    expect(filesOf(output)).toEqual(files);
  });

  test("accepts earlier and later ranges, also on the same days", async () => {
    const output = emptyFolder();
    await run({ api: server(), output }, history);
    const later = await run({ api: server(), output }, { from: history.to, to: "2026-03-11T12:00:00Z" });
    const earlier = await run({ api: server(), output }, { from: "2026-03-08T00:00:00Z", to: history.from });
    expect(later).toMatchObject({ shared: true, run: { files: ["2026-03-10T130000Z.om", "2026-03-11.om"] } });
    expect(earlier).toMatchObject({ shared: true, run: { files: ["2026-03-08.om"] } });
    const together = [...filesOf(output).values()].flatMap((text) =>
      text.split("\n").filter((line) => !/^#|^$/.test(line)),
    );
    const whole = emptyFolder();
    await run({ api: server(), output: whole }, { from: "2026-03-08T00:00:00Z", to: "2026-03-11T12:00:00Z" });
    const atOnce = [...filesOf(whole).values()].flatMap((text) =>
      text.split("\n").filter((line) => !/^#|^$/.test(line)),
    );
    expect(together.sort()).toEqual(atOnce.sort());
  });

  test("fails without a known journal", async () => {
    const output = emptyFolder();
    writeFileSync(join(output, "2026-03-09.om"), "somebody's");
    await expect(run({ api: server(), output }, history)).rejects.toMatchObject({
      code: "BACKFILL_OVERLAP",
      message: `${output}/2026-03-09.om already exists, and no backfill into that directory wrote it`,
    });
    expect(readFileSync(join(output, "2026-03-09.om"), "utf8")).toBe("somebody's");
  });
});

describe("folder with an unfinished run", () => {
  test("rejects other parameters and names them", async () => {
    const output = await interrupted();
    const clock = new TickingClock();
    const refused = run({ api: server(), output, clock }, { from: "11d", labels: ["job=prtg"] });
    await expect(refused).rejects.toMatchObject({
      code: "BACKFILL_OTHER_PARAMETERS",
      message: `${output} has an unfinished backfill with other parameters: --from was 10d and is 11d; --label was not given and is job=prtg`,
    });
    expect(await run({ api: server(), output })).toMatchObject({ kind: "finished" });
  });

  test("keeps its time range and names days later", async () => {
    const output = await interrupted();
    const api = server();
    api.change("10", { name: "renamed" });
    api.remove("9");
    const clock = new TickingClock();
    clock.wall += 60 * 60_000;
    expect(await run({ api, output, clock })).toMatchObject({ run: { startedAt: NOW, from: NOW - 10 * 86_400_000 } });
    const text = [...filesOf(output).values()].join("");
    expect(text).toContain('sensor="Ping 9"');
    expect(text).toContain('sensor="Ping 10"');
    expect(text).not.toContain("renamed");
  });

  test("continues if a part has more data than the journal", async () => {
    const whole = emptyFolder();
    await run({ api: server(), output: whole });
    const output = await interrupted();
    appendFileSync(join(output, "unfinished/2026-03-10.part"), "[1,[0,17733312");
    writeFileSync(join(output, "unfinished/2026-03-01.part"), "[0]\n");
    writeFileSync(join(output, "journal.json.new"), "{");
    expect(await run({ api: server(), output })).toMatchObject({ kind: "finished" });
    expect(filesOf(output)).toEqual(filesOf(whole));
  });

  test.each<[string, (output: string) => void]>([
    [
      "a part is shorter than the journal says",
      (output) => truncateSync(join(output, "unfinished/2026-03-10.part"), 9),
    ],
    ["a part is gone", (output) => rmSync(join(output, "unfinished/2026-03-10.part"))],
    ["the plan is gone", (output) => rmSync(join(output, "unfinished/plan.ndjson"))],
    ["the plan is torn", (output) => truncateSync(join(output, "unfinished/plan.ndjson"), 100)],
    ["the journal is torn", (output) => truncateSync(join(output, "journal.json"), 100)],
    [
      "the journal is of an unknown version",
      (output) => writeFileSync(join(output, "journal.json"), '{"format":"prtg-exporter backfill 0"}'),
    ],
  ])("fails when %s", async (_, damage) => {
    const output = await interrupted();
    damage(output);
    await expect(run({ api: server(), output })).rejects.toMatchObject({ code: "BACKFILL_DAMAGED" });
    expectUnlocked(output);
  });

  test("completes although a crash left an unknown file", async () => {
    const whole = emptyFolder();
    await run({ api: server(), output: whole });
    const output = await interrupted();
    writeFileSync(join(output, "2026-03-10.om"), "# TYPE");
    expect(await run({ api: server(), output })).toMatchObject({ kind: "finished" });
    expect(filesOf(output)).toEqual(filesOf(whole));
  });
});

test("the next run removes the rests of a crash at the end", async () => {
  const output = emptyFolder();
  await run({ api: server(), output }, { from: "5d", to: "4d" });
  mkdirSync(join(output, "unfinished"));
  writeFileSync(join(output, "unfinished/2026-03-10.part"), "[0,[0,1,1]]\n");
  await run({ api: server(), output }, { from: "4d", to: "3d" });
  expect(existsSync(join(output, "unfinished"))).toBe(false);
});

test("a folder in use fails until its owner releases it", async () => {
  const output = emptyFolder();
  const owner = tryFileLock(join(output, ".lock"));
  await expect(run({ api: server(), output })).rejects.toMatchObject({
    code: "BACKFILL_BUSY",
    message: `another process is writing to ${output}`,
  });
  owner?.release();
  expect(await run({ api: server(), output })).toMatchObject({ kind: "finished" });
});

test("an invalid folder fails", async () => {
  const file = join(emptyFolder(), "file");
  writeFileSync(file, "");
  const refused = run({ api: server(), output: join(file, "folder") });
  await expect(refused).rejects.toMatchObject({ code: "BACKFILL_OUTPUT_UNUSABLE" });
});
