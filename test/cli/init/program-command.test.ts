import { expect, test } from "vitest";
import { programCommand } from "../../../src/cli/init/program-command.ts";

const CLONE = "file:///home/me/prtg-exporter/src/cli/init/program-command.ts";
const PACKAGE = "file:///usr/lib/prtg-exporter/dist/cli/init/program-command.js";

test.each([
  ["a clone by npm", CLONE, "/home/me/prtg-exporter", "start", "npm start --"],
  ["a clone by its path", CLONE, "/home/me", undefined, "node prtg-exporter/bin/prtg-exporter.js"],
  ["a package", PACKAGE, "/root", undefined, "prtg-exporter"],
  ["a package by npm of another project", PACKAGE, "/root", "start", "prtg-exporter"],
])("the command of %s", (_name, module, directory, npm_lifecycle_event, command) => {
  expect(programCommand({ npm_lifecycle_event }, directory, module)).toBe(command);
});
