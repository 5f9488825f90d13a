import { load } from "js-yaml";
import { expect, test } from "vitest";
import { conclusion, type Written } from "../../../src/cli/init/conclusion.ts";

const WRITTEN: Written = {
  file: "prtg.yaml",
  written: ["/home/me/api-key", "prtg.yaml"],
  host: "monitoring",
  platform: "linux",
  isRoot: false,
};
const PACKAGED = { ...WRITTEN, file: "/etc/prtg-exporter/prtg.yaml", written: ["/etc/prtg-exporter/prtg.yaml"] };

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

test("gives the files of the packages to the user of the service", () => {
  expect(commandsOf({ ...PACKAGED, isRoot: true })).toEqual([
    "chown prtg-exporter /etc/prtg-exporter/prtg.yaml",
    "runuser -u prtg-exporter -- prtg-exporter check --config.file /etc/prtg-exporter/prtg.yaml",
    "systemctl enable --now prtg-exporter",
  ]);
  expect(commandsOf(PACKAGED)[0]).toBe("prtg-exporter check --config.file /etc/prtg-exporter/prtg.yaml");
});
