import { describe, expect, it } from "vitest";
import type { RecordedRuns } from "../../../src/app/reports/sources.ts";
import { createDebugPages } from "../../../src/app/reports/status-pages.ts";
import { Redactor } from "../../../src/errors/redactor.ts";
import { debugText } from "../../../src/http/pages/status/debug-view.ts";
import { plainMapper } from "../../../src/mapping/channel-mapper.ts";
import { type MemoryPipeline, memoryPipeline } from "../../collectors/memory-pipeline.ts";
import type { Question } from "../../collectors/memory-server.ts";
import { smallServer } from "../../collectors/small-server.ts";
import { never } from "../../support/never-aborted.ts";

const SECRET = "planted-key-of-a-server";

function pageOf(subject: MemoryPipeline, runs: ReadonlyMap<string, () => readonly RecordedRuns[]>) {
  const { monitor, store, clock } = subject;
  const monitors = () =>
    new Map(Array.from(runs, ([name, each]) => [name, { isLeftOut: () => false, runs: each, view: monitor.view }]));
  const redactor = new Redactor();
  redactor.add(SECRET);
  const { runs: page } = createDebugPages(
    () => ({ store, mapper: plainMapper(), clock, monitors: monitors() }),
    redactor,
  );
  return async (query = "") => {
    const report = await page(new URLSearchParams(query));
    return { ...report, text: debugText(report) };
  };
}

async function polled(...failing: Question[]) {
  const subject = memoryPipeline(smallServer());
  const poll = () => subject.monitor.pollOnce(never);
  const page = pageOf(subject, new Map([["hq", () => subject.monitor.collectors.records]]));
  for (const kind of failing) subject.server.fail("API_TIMEOUT", kind);
  await poll();
  return { subject, poll, page };
}

describe("/debug/runs", () => {
  it("shows a server that a reload added", async () => {
    const subject = memoryPipeline(smallServer());
    const runs = new Map([["hq", () => subject.monitor.collectors.records]]);
    const page = pageOf(subject, runs);
    expect((await page("server=branch")).status).toBe(404);
    runs.set("branch", () => []);
    expect((await page("server=branch")).status).toBe(200);
  });

  it("shows the outcome of each collector's last run", async () => {
    const { page } = await polled("channels");
    const { status, text, json } = await page();
    expect(status).toBe(200);
    expect(text).toMatch(
      /^server hq: 5 collectors, times in UTC\n\nhealth, last run: complete after 0\.000 s, started /,
    );
    expect(text).toMatch(/\nchannels, last run: failed after .*\n(.*\n)*.*API_TIMEOUT/);
    expect(json).toMatchObject({
      server: "hq",
      runs: [
        { collector: "health", run: "last", outcome: "complete", error: null },
        { collector: "tree", outcome: "complete" },
        { collector: "status", outcome: "complete" },
        { collector: "channels", outcome: "failed", error: expect.stringContaining("API_TIMEOUT") },
        { collector: "limits" },
      ],
    });
  });

  it("keeps the last failed run after a success", async () => {
    const { subject, poll, page } = await polled("channels");
    subject.server.recover();
    await poll();
    const runs = (await page()).text.match(/^channels, .* run: \w+/gm);
    expect(runs).toEqual(["channels, last run: complete", "channels, last failed run: failed"]);
  });

  it("shows a run under way, and forgets it if it is aborted", async () => {
    const { subject, page } = await polled();
    const stopping = new AbortController();
    const asked = Promise.withResolvers<void>();
    subject.server.channels = (_options, signal) => {
      asked.resolve();
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    };
    const poll = subject.monitor.pollOnce(stopping.signal);
    await asked.promise;
    expect((await page()).text).toContain("channels, current run: running, started");
    stopping.abort();
    await poll;
    expect((await page()).text).not.toContain("current run");
  });

  it("lists many servers, with failed collectors first, in pages", async () => {
    const { subject } = await polled("channels");
    const { records } = subject.monitor.collectors;
    const sound = records.filter(({ error }) => error === undefined);
    const names = Array.from({ length: 120 }, (_, index) => `server ${index}`);
    const page = pageOf(subject, new Map(names.map((name) => [name, () => (name === "server 77" ? records : sound)])));
    const first = await page();
    expect(
      first.text
        .split("\n")
        .slice(0, 3)
        .map((line) => line.trim().split(/ {2,}/)),
    ).toEqual([
      ["runs of 120 servers: give ?server= with a name"],
      ["server", "collectors whose last run failed"],
      ["server 77", "channels"],
    ]);
    expect(first.text).toMatch(/and 70 more: &from=50\n$/);
    expect(first.sections[0]?.links?.[0]).toBe("?server=server+77");
    expect((await page("from=100")).json).toMatchObject({ servers: { length: 20 }, more: 0 });
    expect((await page("server=server+3")).json).toMatchObject({ server: "server 3" });
  });

  it("lists all failed collectors of a server, and none of others", async () => {
    const { subject } = await polled("channels", "limits");
    const { records } = subject.monitor.collectors;
    const sound = records.filter(({ error }) => error === undefined);
    const { sections, json } = await pageOf(
      subject,
      new Map([
        ["branch", () => sound],
        ["hq", () => records],
      ]),
    )();
    expect(sections[0]?.rows).toEqual([
      ["hq", "channels, limits"],
      ["branch", "none"],
    ]);
    expect(json).toMatchObject({ servers: [{ failed_collectors: ["channels", "limits"] }, { failed_collectors: [] }] });
  });

  it("answers 404 for an unknown server", async () => {
    const { page } = await polled();
    expect(await page("server=nowhere")).toMatchObject({ status: 404, text: "there is no server nowhere\n" });
  });

  it("redacts secrets that became known after the run", async () => {
    const { subject, page } = await polled();
    const [health] = subject.monitor.collectors.records;
    health?.lastRun?.lines.push(JSON.stringify({ level: "warn", time: "t", msg: `said ${SECRET}` }), `cut ${SECRET}`);
    const { text, json, sections } = await page();
    for (const shown of [text, JSON.stringify(json), JSON.stringify(sections)]) {
      expect(shown).toContain("said [redacted]");
      expect(shown).toContain("cut [redacted]");
      expect(shown).not.toContain(SECRET);
    }
  });
});
