import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { load } from "js-yaml";
import { afterAll, beforeAll, expect, test } from "vitest";
import { UPGRADE_CODE, writeInstaller } from "../../scripts/package/installer.ts";
import { PACKAGE } from "../../scripts/package/winget.ts";
import { BUILD_LIMIT_MS, builtPackages, fileEnding, put, VERSION } from "./support/built-packages.ts";
import { msiColumn, msiTable } from "./support/msi-tables.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { runProgram } from "./support/run-program.ts";

const LATER = { version: "99.0.0", time: new Date("2030-01-01T00:00:00Z") };
/** Types of custom actions: a program whose path a property has, run later as SYSTEM, with or without its exit code. */
const CHECKED = String(50 + 0x400 + 0x800);
const ROLLBACK = String(50 + 0x400 + 0x100 + 0x800 + 0x40);
const UNCHECKED = String(50 + 0x400 + 0x800 + 0x40);

describeWithPrograms(["wixl", "msibuild", "msiinfo"], "installer for Windows", ({ msiinfo }) => {
  const scratch = mkdtempSync(path.join(tmpdir(), "prtg-exporter-msi-"));
  let msi: string;

  const table = (name: string) => msiTable(msiinfo, msi, name);
  const column = (name: string, key: string, value: string) => msiColumn(msiinfo, msi, name, key, value);

  /** Of a later version, with fewer and other files. */
  function writeLater(out: string): string {
    const tree = path.join(scratch, "tree");
    for (const name of ["a-new-one.js", "dist/main.js", "prtg-exporter.cmd"]) put(path.join(tree, name), name);
    mkdirSync(out);
    return writeInstaller({ ...LATER, work: scratch, out }, tree).file;
  }

  beforeAll(async () => {
    msi = fileEnding(await builtPackages(), ".msi");
  }, BUILD_LIMIT_MS);

  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  test("is of this version, for all users of a 64-bit Windows", async () => {
    expect(await column("Property", "Property", "Value")).toMatchObject({
      ProductName: "prtg-exporter",
      ProductVersion: VERSION,
      ProductCode: expect.stringMatching(/^\{[0-9A-F-]{36}\}$/),
      UpgradeCode: `{${UPGRADE_CODE}}`,
      ALLUSERS: "1",
    });
    const { stdout } = await runProgram(msiinfo, ["suminfo", msi], "");
    expect(stdout).toContain("Template: x64;1033\n");
    expect(stdout).toContain(`Subject: prtg-exporter ${VERSION}\n`);
  });

  test("removes older versions and the same, and refuses a downgrade", async () => {
    const upgrades = await table("Upgrade");
    // Attributes: 256 and 512 include minimum and maximum, 2 only detects.
    expect(upgrades).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          VersionMin: "0.0.0",
          VersionMax: VERSION,
          Attributes: "768",
          ActionProperty: "OLDER_VERSION",
        }),
        expect.objectContaining({
          VersionMin: VERSION,
          VersionMax: "",
          Attributes: "2",
          ActionProperty: "NEWER_VERSION",
        }),
      ]),
    );
    expect(upgrades.map(({ UpgradeCode }) => UpgradeCode)).toEqual([`{${UPGRADE_CODE}}`, `{${UPGRADE_CODE}}`]);
    const { SecureCustomProperties } = await column("Property", "Property", "Value");
    expect(SecureCustomProperties?.split(";")).toEqual(["NEWER_VERSION", "OLDER_VERSION"]);
    expect(await table("LaunchCondition")).toEqual([
      { Condition: "NOT NEWER_VERSION", Description: expect.stringContaining(`before you install ${VERSION}.`) },
    ]);
  });

  test("removes the old version in the transaction, and stops the exporter before it changes files", async () => {
    const sequence = await table("InstallExecuteSequence");
    const order = sequence.sort((a, b) => Number(a.Sequence) - Number(b.Sequence)).map(({ Action }) => Action);
    const before = ["FindRelatedProducts", "LaunchConditions", "FindSchtasks", "InstallInitialize"];
    const removal = ["RemoveExistingProducts", "RestartTask", "EndTask", "EndProcess", "DeleteTask", "RemoveFiles"];
    const installation = [
      "CreateFolders",
      "InstallFiles",
      "WriteEnvironmentStrings",
      "CreateTask",
      "KeepTask",
      "RunTask",
    ];
    const wanted = [...before, ...removal, ...installation, "InstallFinalize"];
    expect(order.filter((action) => wanted.includes(action ?? ""))).toEqual(wanted);
    expect(new Set(sequence.map(({ Sequence }) => Sequence)).size).toBe(sequence.length);
  });

  test("creates the task at installation, keeps it at an upgrade and deletes it at removal", async () => {
    expect(await column("InstallExecuteSequence", "Action", "Condition")).toMatchObject({
      RestartTask: "Installed",
      EndTask: "",
      EndProcess: "",
      DeleteTask: 'REMOVE="ALL" AND NOT UPGRADINGPRODUCTCODE',
      CreateTask: "NOT REMOVE AND NOT OLDER_VERSION",
      KeepTask: "NOT REMOVE AND OLDER_VERSION",
      RunTask: "NOT REMOVE",
    });
    expect(await column("CustomAction", "Action", "Type")).toMatchObject({
      FindSchtasks: "51",
      RestartTask: ROLLBACK,
      EndTask: UNCHECKED,
      EndProcess: UNCHECKED,
      DeleteTask: UNCHECKED,
      CreateTask: CHECKED,
      KeepTask: CHECKED,
      RunTask: UNCHECKED,
    });
    const targets = await column("CustomAction", "Action", "Target");
    expect(targets.CreateTask).toBe('/Create /F /TN prtg-exporter /XML "[ProgramFolder]prtg-exporter-task.xml"');
    // Windows Installer allows 255 characters.
    for (const target of Object.values(targets)) expect(target.length).toBeLessThan(256);
  });

  test("gives the data folder to administrators, SYSTEM and LOCAL SERVICE only, and leaves its files alone", async () => {
    expect(await table("MsiLockPermissionsEx")).toEqual([
      {
        MsiLockPermissionsEx: "Data",
        LockObject: "DataFolder",
        Table: "CreateFolder",
        // Protected from inheritance (P). FA is full access, 0x1301bf is to modify.
        SDDLText: "O:BAG:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1301bf;;;LS)",
        Condition: "",
      },
    ]);
    expect(await table("CreateFolder")).toContainEqual({ Directory_: "DataFolder", Component_: "Data" });
    expect(await column("Directory", "Directory", "Directory_Parent")).toMatchObject({
      DataFolder: "CommonAppDataFolder",
      ProgramFolder: "ProgramFiles64Folder",
    });
    expect((await table("File")).filter(({ Component_ }) => Component_ === "Data")).toEqual([]);
    const { stdout } = await runProgram(msiinfo, ["tables", msi], "");
    // Windows refuses a package with both.
    expect(stdout).not.toContain("LockPermissions\n");
    expect(await table("RemoveFile")).toEqual([]);
  });

  test("appends its folder to the PATH of the machine, and takes it back", async () => {
    expect(await table("Environment")).toEqual([
      { Environment: "Path", Name: "=-*PATH", Value: "[~];[ProgramFolder]", Component_: "Path" },
    ]);
  });

  test("the WinGet manifest has its checksum and product code", async () => {
    const text = readFileSync(path.join(path.dirname(msi), `${PACKAGE}.installer.yaml`), "utf8");
    const { ProductCode } = await column("Property", "Property", "Value");
    expect(load(text)).toMatchObject({
      PackageVersion: VERSION,
      ProductCode,
      Installers: [
        {
          InstallerUrl: expect.stringMatching(new RegExp(`/${path.basename(msi)}$`)),
          InstallerSha256: createHash("sha256").update(readFileSync(msi)).digest("hex").toUpperCase(),
        },
      ],
    });
  });

  test("the next version has the same components for the same files, and another product", async () => {
    const next = writeLater(path.join(scratch, "next"));
    const properties = await msiColumn(msiinfo, next, "Property", "Property", "Value");
    const ours = await column("Property", "Property", "Value");
    expect(properties).toMatchObject({ ProductVersion: LATER.version, UpgradeCode: ours.UpgradeCode });
    expect(properties.ProductCode).not.toBe(ours.ProductCode);
    const theirs = await msiColumn(msiinfo, next, "Component", "Component", "ComponentId");
    const components = await column("Component", "Component", "ComponentId");
    // Two of its files, the PATH and the data folder.
    const common = Object.keys(theirs).filter((name) => name in components);
    expect(common).toHaveLength(4);
    for (const name of common) expect(theirs[name]).toBe(components[name]);
    // 256: of 64 bits. Others would go to Program Files (x86).
    const attributes = await column("Component", "Component", "Attributes");
    expect(new Set(Object.values(attributes))).toEqual(new Set(["256"]));
    expect(new Set(Object.values(components)).size).toBe(Object.keys(components).length);
  });
});
