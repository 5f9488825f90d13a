import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { freePort } from "../../support/free-port.ts";
import { CREDENTIALS, simulateServer } from "../../support/simulated-server.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { runInProcess } from "../support/command-in-process.ts";

const HOUR = 3_600_000;

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

function linesOf(stderr: string): Line[] {
  return stderr.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
}

function prepare(servers: Readonly<Record<string, string>>, sections = "") {
  const list = Object.entries(servers).map(
    ([name, url]) =>
      `{ name: ${name}, url: "${url}", auth: { api_key: "\${KEY}" }, limits: { requests_per_second: 1000 } }`,
  );
  const folder = temporaryFolder({ "config.yaml": `servers: [${list.join(", ")}]\n${sections}` });
  const output = join(folder, "out");
  const start = (...args: string[]) =>
    runInProcess(["backfill", "--config.file", join(folder, "config.yaml"), "--output", output, ...args], {
      KEY: CREDENTIALS.apiKey,
    });
  return { folder, output, start };
}

/** Midnight (UTC) would split it over two files. */
function hourOfOneDay(): string[] {
  const [earliest, latest] = [Date.now() - 20 * HOUR, Date.now() - 19 * HOUR];
  const midnight = Math.floor(latest / (24 * HOUR)) * 24 * HOUR;
  const from = Math.max(earliest, midnight > latest - HOUR ? midnight : earliest);
  return ["--from", new Date(from).toISOString(), "--to", new Date(from + HOUR).toISOString()];
}

// Several runs: seconds of work on a busy machine.
describe("backfill on the command line", { timeout: 240_000 }, () => {
  test("writes files and shows the next command, then adds later data", async () => {
    const { url } = await simulateServer();
    const { output, start } = prepare({ hq: url });
    const labels = ["--label", "job=prtg", "--label", "instance=a b"];
    const first = await start("--from", "2d", "--to", "1d", "--resolution", "short", ...labels);
    expect(first.code, first.stderr).toBe(0);
    expect(linesOf(first.stderr).filter(({ level }) => level !== "info")).toEqual([]);
    expect(linesOf(first.stderr)[0]).toMatchObject({
      requests: expect.any(Number),
      free: expect.stringMatching(/ [MGT]B$/),
    });
    expect(linesOf(first.stderr)[1]).toMatchObject({ msg: "reading sensors", done: 0, total: 30 });
    expect(first.stdout).toMatch(/^wrote \d+ samples of up to 90 series into [12] files in /);
    const command = 'promtool tsdb create-blocks-from --max-block-duration=24h openmetrics --quiet "$file" DATA_FOLDER';
    expect(first.stdout).toContain(`\n  for file in ${output}/*.om; do ${command} || break; done\n`);
    const before = readdirSync(output);

    const second = await start(...hourOfOneDay(), "--resolution", "short", ...labels);
    expect(second.code, second.stderr).toBe(0);
    const [added = "", ...others] = readdirSync(output).filter((name) => !before.includes(name));
    expect(others).toEqual([]);
    expect(second.stdout).toContain(`\n  for file in ${output}/${added}; do promtool `);
  });

  test("writes the configured series and reports its settings", async () => {
    const { url } = await simulateServer();
    const range = ["--from", "5h", "--resolution", "short"];
    const labels = ["--label", "job=prtg", "--label", "instance=a", "--label", "device=b"];
    const { output, start } = prepare(
      { hq: url },
      "labels: { keep: [path], rename: { path: place } }\nmapping: { presets: [ping, base-units], keep_original: false }",
    );
    const taken = await start(...range, ...labels, "--label", "place=Berlin");
    expect(taken.code).toBe(1);
    expect(taken.stderr).toContain(
      "--label place: prtg_channel_value already has a label with that name [BACKFILL_LABEL",
    );
    const { code, stderr } = await start(...range, ...labels);
    expect(code, stderr).toBe(0);
    // One may hold only some minutes.
    const names = readdirSync(output).filter((each) => each.endsWith(".om"));
    const text = names.map((each) => readFileSync(join(output, each), "utf8")).join("");
    const families = text.matchAll(/^(prtg_\w+)\{(.*?)\} /gm);
    const namesOf = new Map([...families].map(([, family = "", list = ""]) => [family, list.match(/\w+(?==")/g)]));
    expect(namesOf.get("prtg_ping_seconds")).toEqual([
      ...["server", "sensor_id", "channel_id", "place"],
      ...["device", "instance", "job"],
    ]);
    expect(namesOf.size).toBeGreaterThan(3);

    const journal = JSON.parse(readFileSync(join(output, "journal.json"), "utf8"));
    expect(journal.finished[0].parameters.configured).toEqual({
      labels: expect.stringMatching(/^[\da-f]{16}$/),
      mapping: expect.stringMatching(/^[\da-f]{16}$/),
    });
  });

  test("reports if history does not match scraped series", async () => {
    const { url } = await simulateServer();
    const { code, stderr } = await prepare({ hq: url }).start("--from", "4h", "--label", "job=prtg", "--path", "*/*/x");
    expect(code).toBe(1);
    expect(linesOf(stderr).map(({ msg }) => msg)).toContain(
      "without --label instance=..., the history does not continue in the scraped series",
    );
    expect(stderr).toContain("[BACKFILL_NOTHING_SELECTED] Compare --path");
  });

  test("requires --server if the configuration has several", async () => {
    const { url } = await simulateServer();
    const { start } = prepare({ hq: url, branch: `http://127.0.0.1:${await freePort()}` });
    const unclear = await start("--from", "1d");
    expect(unclear).toMatchObject({ code: 1, stdout: "" });
    expect(unclear.stderr).toBe(
      "prtg-exporter: there are several servers: hq, branch [BACKFILL_SERVER_UNKNOWN] Set --server to the name of a configured server.\n",
    );
    const unknown = await start("--from", "1d", "--server", "HQ");
    expect(unknown.stderr).toContain("there is no server HQ, only hq, branch [BACKFILL_SERVER_UNKNOWN]");
    const away = await start("--from", "1d", "--server", "branch");
    expect(away).toMatchObject({ code: 1, stdout: "" });
    expect(away.stderr).toContain("[API_CONNECTION_FAILED]");
    expect(await start("--from", "4h", "--server", "hq")).toMatchObject({ code: 0 });
  });

  test.each<[string, string[]]>([
    ["required option '--from <time>' not specified", []],
    ["Give a time such as 2026-03-01T00:00:00Z", ["--from", "yesterday"]],
    ["Give a time such as 2026-03-01T00:00:00Z", ["--from", "1d", "--to", "tomorrow"]],
    ["The label job is given twice.", ["--from", "1d", "--label", "job=a", "--label", "job=b"]],
    ["Allowed choices are auto, live, short, medium, long", ["--from", "1d", "--resolution", "1h"]],
  ])("rejects wrong flags: %s", async (text, args) => {
    const { code, stderr } = await prepare({ hq: "http://127.0.0.1:1" }).start(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(text);
  });
});
