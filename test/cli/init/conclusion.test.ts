import { load } from "js-yaml";
import { expect, test } from "vitest";
import { conclusion, programCommand, type Written } from "../../../src/cli/init/conclusion.ts";

const WRITTEN: Written = {
  file: "prtg.yaml",
  written: ["/home/me/api-key", "prtg.yaml"],
  keyFile: undefined,
  program: "prtg-exporter",
  host: "monitoring",
  platform: "linux",
  isRoot: false,
};
const SERVICE_FILE = "/etc/prtg-exporter/prtg-exporter.yaml";
const PACKAGED = { ...WRITTEN, file: SERVICE_FILE, written: [SERVICE_FILE] };

function commandsOf(written: Written): readonly string[] {
  const [, commands = ""] = conclusion(written).split("Next:\n");
  return commands.split("\n").map((line) => line.trim());
}

test("names the files and prints a scrape job for this machine", () => {
  const text = conclusion(WRITTEN);
  expect(text).toContain("Wrote /home/me/api-key and prtg.yaml, readable only for your user.");
  const [, job = ""] = /(scrape_configs:.*)\n\nNext:/s.exec(text) ?? [];
  expect(load(job)).toEqual({
    scrape_configs: [{ job_name: "prtg", scrape_interval: "30s", static_configs: [{ targets: ["monitoring:9705"] }] }],
  });
});

test("claims no rights on Windows", () => {
  expect(conclusion({ ...WRITTEN, platform: "win32" })).toContain("prtg.yaml.\n");
});

test("ends with check and serve", () => {
  const commands = ["prtg-exporter check --config.file prtg.yaml", "prtg-exporter serve --config.file prtg.yaml"];
  expect(commandsOf(WRITTEN)).toEqual(commands);
  expect(commandsOf({ ...WRITTEN, isRoot: true })).toEqual(commands);
});

test("prints the commands of a clone", () => {
  expect(commandsOf({ ...WRITTEN, program: "npm start --" })).toEqual([
    "npm start -- check --config.file prtg.yaml",
    "npm start -- serve --config.file prtg.yaml",
  ]);
});

test("names an existing key file that the user of the service must read", () => {
  const keyFile = "/root/key";
  expect(conclusion({ ...PACKAGED, isRoot: true, keyFile })).toContain(
    "user prtg-exporter, which must read /root/key.",
  );
  expect(conclusion({ ...WRITTEN, isRoot: true, keyFile })).not.toContain(keyFile);
});

test("gives the file of the service to the user of the service", () => {
  expect(commandsOf({ ...PACKAGED, isRoot: true })).toEqual([
    `chown prtg-exporter ${SERVICE_FILE}`,
    `runuser -u prtg-exporter -- prtg-exporter check --config.file ${SERVICE_FILE}`,
    "systemctl enable --now prtg-exporter",
  ]);
  expect(commandsOf(PACKAGED)[0]).toBe(`prtg-exporter check --config.file ${SERVICE_FILE}`);
});

test("does not start the service with a file that it does not read", () => {
  const file = "/etc/prtg-exporter/prtg.yaml";
  expect(commandsOf({ ...PACKAGED, file, isRoot: true })).toEqual([
    `prtg-exporter check --config.file ${file}`,
    `prtg-exporter serve --config.file ${file}`,
  ]);
});

test("quotes paths with spaces", () => {
  const file = String.raw`C:\Program Files\prtg exporter\prtg.yaml`;
  expect(commandsOf({ ...WRITTEN, platform: "win32", file })[0]).toBe(`prtg-exporter check --config.file "${file}"`);
  expect(commandsOf({ ...WRITTEN, file: String.raw`C:\prtg.yaml` })[0]).toMatch(/file C:\\prtg\.yaml$/);
});

const CLONE = "file:///home/me/prtg-exporter/src/cli/init/conclusion.ts";
const PACKAGE = "file:///usr/lib/prtg-exporter/dist/cli/init/program-command.js";

test.each([
  ["a clone by npm", CLONE, "/home/me/prtg-exporter", "start", "npm start --"],
  ["a clone by its path", CLONE, "/home/me", undefined, "node prtg-exporter/bin/prtg-exporter.js"],
  ["a package", PACKAGE, "/root", undefined, "prtg-exporter"],
  ["a package by npm of another project", PACKAGE, "/root", "start", "prtg-exporter"],
])("the command of %s", (_name, module, directory, npm_lifecycle_event, command) => {
  expect(programCommand({ npm_lifecycle_event }, directory, module)).toBe(command);
});
