import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ROOT } from "../../../scripts/package/build.ts";

const read = (name: string) => readFileSync(`${ROOT}deploy/packages/${name}`, "utf8");
const xml = read("windows/prtg-exporter-task.xml");
const script = read("windows/prtg-exporter-task.ps1");

/** The installer registers the XML, users of the zip run the script. */
test.each([
  ["account", "<UserId>S-1-5-19</UserId>", "$LocalService = 'S-1-5-19'"],
  ["rights", "<RunLevel>LeastPrivilege</RunLevel>", "-RunLevel Limited"],
  ["trigger", "<BootTrigger>", "-AtStartup"],
  ["time limit", "<ExecutionTimeLimit>PT0S</ExecutionTimeLimit>", "-ExecutionTimeLimit ([TimeSpan]::Zero)"],
  ["number of restarts", "<Count>999</Count>", "-RestartCount 999"],
  ["interval of restarts", "<Interval>PT1M</Interval>", "-RestartInterval (New-TimeSpan -Minutes 1)"],
  ["second start", "<MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>", "-MultipleInstances IgnoreNew"],
  ["start on batteries", "<DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>", "-AllowStartIfOnBatteries"],
  ["run on batteries", "<StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>", "-DontStopIfGoingOnBatteries"],
  ["missed start", "<StartWhenAvailable>true</StartWhenAvailable>", "-StartWhenAvailable"],
  ["priority", "<Priority>4</Priority>", "-Priority 4"],
])("installer and script agree about the %s", (_, element, parameter) => {
  expect(xml).toContain(element);
  expect(script).toContain(parameter);
});

test("installer and script start the exporter with the same flags and logs", () => {
  const flags = /serve --config\.file \S+ (--\S+ \w+)/;
  const [, expected] = flags.exec(script) ?? [];
  expect(expected).toBe("--config.auto-reload-interval 30s");
  const launcher = read("windows/prtg-exporter-task.cmd");
  expect(flags.exec(launcher)?.[1]).toBe(expected);
  for (const name of ["prtg-exporter.yaml", "prtg-exporter.log", "prtg-exporter.old.log"]) {
    expect(script).toContain(name);
    expect(launcher).toContain(name);
  }
});

test("installer and script give the data folder the same owner and rights", () => {
  const [, sddl = ""] = /'(O:BA[^']+)'/.exec(read("msi/tables.sql")) ?? [];
  // LOCAL SERVICE may modify, SYSTEM and administrators have full access. Nothing is inherited.
  expect(sddl).toBe("O:BAG:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1301bf;;;LS)");
  expect(script).toContain(`$Rights = '${sddl}'`);
});

test("the script sets owner and rights of an existing data folder before it uses its files", () => {
  const [protect, create, check] = [
    "if ($isNew -or $folder -eq $DataFolder) {",
    "New-Configuration $Config }",
    "serve '--config.check'",
  ].map((text) => script.indexOf(text));
  expect(protect).toBeGreaterThan(0);
  expect(create).toBeGreaterThan(protect ?? 0);
  expect(check).toBeGreaterThan(create ?? 0);
  const [, body = ""] = /function Protect-Folder[^{]+\{(.*?)\n\}/s.exec(script) ?? [];
  const order = ["ReparsePoint", "/setowner", "SetSecurityDescriptorSddlForm", "Set-Acl", "Get-ChildItem", "/reset"];
  const places = order.map((text) => body.indexOf(text));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places[0]).toBeGreaterThan(0);
});
