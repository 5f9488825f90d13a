import { chmodSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ALICE } from "../../http/web-config/cases.ts";
import { CREDENTIALS, simulateServer } from "../../support/simulated-server.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { runInProcess } from "../support/command-in-process.ts";

interface Row {
  readonly server: string;
  readonly subject: string;
  readonly status: string;
  readonly text: string;
}

/** Runs `check` with these servers. `FOLDER` stands for the folder of the configuration. */
async function check(
  servers: Readonly<Record<string, string>>,
  { sections = "", flags = [] }: { readonly sections?: string; readonly flags?: readonly string[] } = {},
) {
  const list = Object.entries(servers).map(
    ([name, url]) =>
      `{ name: ${name}, url: "${url}", auth: { api_key: "\${KEY}" }, limits: { requests_per_second: 1000 } }`,
  );
  const folder = temporaryFolder({ "web.yaml": `basic_auth_users: { alice: ${ALICE} }\n`, "state/note": "" });
  chmodSync(join(folder, "state"), 0o755);
  const withFolder = (text: string) => text.replaceAll("FOLDER", folder);
  const files = temporaryFolder({ "prtg.yaml": withFolder(`servers: [${list.join(", ")}]\n${sections}`) });
  const config = join(files, "prtg.yaml");
  const args = ["check", "--config.file", config, ...flags.map(withFolder)];
  const { code, stdout, stderr } = await runInProcess(args, { KEY: CREDENTIALS.readApiKey });
  const lines = stdout.trimEnd().split("\n");
  const rows = lines.flatMap((line): Row[] => {
    const [, server = "", subject = "", status = "", text = ""] =
      /^(\S+) +(\S.*?) +(ok|warning|FAILED|skipped) +(.*)$/.exec(line) ?? [];
    return status === "" ? [] : [{ server, subject, status, text }];
  });
  return { code, stderr, lines, rows, folder, config };
}

/** Depends on the load of the machine. */
const isSpeed = ({ subject }: Row) => subject === "speed";

describe("check", () => {
  test("prints a row for each subject of each server, in order, and the conclusion", async () => {
    const [one, two] = await Promise.all([simulateServer(), simulateServer()]);
    const { code, stderr, lines, rows, config } = await check({ hq: one.url, branch: two.url });
    expect([code, stderr]).toEqual([0, ""]);
    expect(lines[0]).toBe(`${config}: the configuration is valid`);
    expect(lines.at(-1)).toMatch(/^ok: everything that serve needs works/);
    expect(lines).toHaveLength(rows.length + 2);
    const subjects = rows.filter(({ server }) => server === "hq").map(({ subject }) => subject);
    expect(subjects.slice(0, 2)).toEqual(["connection", "login"]);
    expect(subjects).toEqual(
      expect.arrayContaining(["sensors", "channels", "limits", "time series", "clock", "speed"]),
    );
    expect(rows.map(({ server, subject }) => [server, subject])).toEqual(
      ["hq", "branch"].flatMap((server) => subjects.map((subject) => [server, subject])),
    );
    expect(rows.filter((row) => row.status !== "ok" && !isSpeed(row))).toEqual([]);
  });

  test("exits with 1 and skips the rest if a server refuses", async () => {
    const { url } = await simulateServer({ faults: ["error=403@/experimental/channels", "error=403@/channels"] });
    const { code, rows, lines } = await check({ hq: url });
    expect(code).toBe(1);
    expect(rows.filter(({ status }) => status === "FAILED")).toEqual([
      {
        server: "hq",
        subject: "channels",
        status: "FAILED",
        text: expect.stringMatching(/HTTP 403.* -> .*read access/),
      },
    ]);
    expect(lines.at(-1)).toBe("FAILED: hq (channels)");
  });

  test("warns of a rule that matches no channel, in the column of servers", async () => {
    const { url } = await simulateServer();
    const sections = "mapping: { rules: [{ match: { kind: pnig }, drop: true }] }\n";
    const { code, rows, lines } = await check({ hq: url }, { sections });
    expect(code).toBe(0);
    expect(rows).toContainEqual(expect.objectContaining({ server: "hq", subject: "rules", status: "ok" }));
    expect(rows.at(-1)).toEqual({
      ...{ server: "mapping", subject: "rules", status: "warning" },
      text: expect.stringMatching(/^rules\[0\] of .*"pnig".* -> Correct the rule in mapping, or remove it\.$/),
    });
    expect(lines.at(-1)).toBe("ok: everything that serve needs works, with the warnings above");
  });

  test("checks the rules of presets alone against no channels", async () => {
    const { url } = await simulateServer();
    const { rows } = await check({ hq: url }, { sections: "mapping: { presets: [ping] }\n" });
    expect(rows.filter(({ subject }) => subject === "rules")).toEqual([]);
  });

  test("confirms the web configuration and names its users", async () => {
    const { url } = await simulateServer();
    const sections = "web: { users: { alice: { servers: [hq] } } }\n";
    const flags = ["--web.config.file", "FOLDER/web.yaml"];
    const { code, lines, folder } = await check({ hq: url }, { sections, flags });
    expect(code).toBe(0);
    expect(lines[1]).toBe(`${join(folder, "web.yaml")}: the web configuration is valid`);
    expect(lines[2]).toContain("alice");
    const without = await check({ hq: url }, { sections });
    expect(without).toMatchObject({ code: 1, lines: [""] });
    expect(without.stderr).toContain("web.users.alice: expected a user of basic_auth_users");
  });

  test("warns of a state directory that is open to others, and leaves it as it is", async () => {
    const { url } = await simulateServer();
    const { code, lines, folder } = await check({ hq: url }, { sections: "state_dir: FOLDER/state\n" });
    const state = join(folder, "state");
    expect(code).toBe(0);
    expect(lines[1]).toMatch(
      /^warning: state_dir .*\/state is open to every user of the system \(mode 0755\): set mode 0700/,
    );
    expect(statSync(state).mode & 0o777).toBe(0o755);
  });

  test("writes a report without names before the conclusion", async () => {
    const { url } = await simulateServer();
    const { code, lines, folder } = await check({ hq: url }, { flags: ["--report", "FOLDER/report.json"] });
    const file = join(folder, "report.json");
    expect(code).toBe(0);
    expect(lines.at(-2)).toBe(`${file}: report for a bug report, without names, addresses and values`);
    expect(readFileSync(file, "utf8")).not.toContain(url);
  });

  test("compares values of channels with the server", async () => {
    const simulator = await simulateServer();
    simulator.freezeAt(Date.now());
    const { code, rows } = await check({ hq: simulator.url }, { flags: ["--compare", "5", "--compare.seed", "1"] });
    expect(code).toBe(0);
    expect(rows.filter(({ subject }) => subject === "agreement").map(({ status }) => status)).toEqual(["ok"]);
  });
});
