import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeInstaller } from "../../scripts/package/installer.ts";
import { BUILD_LIMIT_MS, builtPackages, fileEnding, put, VERSION } from "./support/built-packages.ts";
import { runInRoot } from "./support/debian-root.ts";
import { msiColumn } from "./support/msi-tables.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { runProgram } from "./support/run-program.ts";

const LIMIT_MS = 240_000;
const OLD_VERSION = "0.0.9";
const PROGRAM = '"wine/drive_c/Program Files/prtg-exporter"';
const DATA = "wine/drive_c/ProgramData/prtg-exporter";
const TASK = "wine/drive_c/windows/system32/tasks/prtg-exporter";
/** A shell sees only the last byte of Windows' ERROR_INSTALL_FAILURE. */
const INSTALL_FAILURE = 1603 % 256;
const CONFIG = `servers: [{ name: prtg, url: "https://prtg.example.com:1616", auth: { api_key_file: api-key.txt } }]`;

/** Wine ignores permissions and does not tell a product that its removal is part of an upgrade. */
describeWithPrograms(
  ["debian-tools", "wixl", "msibuild", "msiinfo", "msiextract"],
  "installer for Windows, under wine",
  ({ "debian-tools": tools, msiinfo, msiextract }) => {
    const scratch = mkdtempSync(path.join(tmpdir(), "prtg-exporter-installer-"));
    let artefacts: string;

    const inside = async (script: string) => {
      const binds = { [artefacts]: "/packages", [scratch]: "/scratch" };
      const env = "export WINEPREFIX=/scratch/wine WINEDEBUG=-all HOME=/scratch XDG_RUNTIME_DIR=/scratch";
      // The server writes the registry when it ends.
      const functions = `wine() { timeout 200 /usr/lib/wine/wine64 "$@" </dev/null; }
        settle() { /usr/lib/wine/wineserver64 --wait; }`;
      const whole = `set -e; ${env}; ${functions}; cd /scratch; ${script}`;
      const { code, stdout, stderr } = await runInRoot(tools, whole, binds, LIMIT_MS);
      expect({ script, code, stdout, stderr }).toMatchObject({ code: 0 });
      return stdout.trim();
    };
    const msiexec = async (...args: string[]) => {
      const words = args.map((arg) => `'${arg}'`).join(" ");
      return Number(await inside(`code=0; wine msiexec ${words} /qn >/dev/null 2>&1 || code=$?; settle; echo $code`));
    };
    /** Output of a command in a new terminal, which knows the PATH of the machine. */
    const cmd = (command: string) =>
      inside(`wine cmd /c '${command} > out.txt 2>&1' >/dev/null 2>&1; settle; cat out.txt`);
    const files = () => inside(`if [ -d ${PROGRAM} ]; then cd ${PROGRAM}; find . -type f | sort; fi`);
    const installedVersions = () =>
      inside("grep --text -A30 'CurrentVersion..Uninstall..{' wine/system.reg | sed -n 's/^\"DisplayVersion\"=//p'");
    const hasTask = async () => (await inside(`test -e ${TASK} && echo yes || echo no`)) === "yes";
    const machinePath = () => inside("sed -n 's/^\"PATH\"=//p' wine/system.reg");

    beforeAll(async () => {
      artefacts = await builtPackages();
      await inside(`unzip -q /packages/*-windows-amd64.zip; mv prtg-exporter-* zip
        wine wineboot --init >/dev/null 2>&1; wine winecfg -v win10 >/dev/null 2>&1; settle`);
      // An earlier release: with files that are gone, without most of the others.
      const tree = path.join(scratch, "old");
      put(path.join(tree, "dist/gone.js"), "");
      for (const name of ["prtg-exporter-task.cmd", "prtg-exporter-task.xml"]) {
        await runProgram("cp", [path.join(scratch, "zip", name), tree], "");
      }
      mkdirSync(path.join(scratch, "msi"));
      const out = path.join(scratch, "msi");
      writeInstaller({ version: OLD_VERSION, time: new Date("2026-01-01T00:00:00Z"), work: scratch, out }, tree);
    }, BUILD_LIMIT_MS);

    afterAll(() => rmSync(scratch, { recursive: true, force: true }));

    test("has the files of the zip", async () => {
      const extracted = ["--directory", path.join(scratch, "extracted")];
      const { code } = await runProgram(msiextract, [...extracted, fileEnding(artefacts, ".msi")], "");
      expect(code).toBe(0);
      expect(await inside("diff -r zip extracted/prtg-exporter")).toBe("");
    });

    test("installs program, PATH, data folder and task without questions", async () => {
      expect(await msiexec("/i", `Z:\\scratch\\msi\\prtg-exporter-${OLD_VERSION}-windows-x64.msi`)).toBe(0);
      expect(await files()).toBe("./dist/gone.js\n./prtg-exporter-task.cmd\n./prtg-exporter-task.xml");
      expect(await machinePath()).toContain(String.raw`C:\\Program Files\\prtg-exporter\\`);
      // Wine keeps only a part of the definition.
      const task = await inside(`cat ${TASK}`);
      expect(task).toContain("<Description>PRTG Network Monitor for Prometheus and OpenTelemetry</Description>");
      expect(task).toContain("<ExecutionTimeLimit>PT0S</ExecutionTimeLimit>");
      expect(await installedVersions()).toBe(`"${OLD_VERSION}"`);
      expect(await inside(`ls -A ${DATA}`)).toBe("");
    });

    test("the task ends well without a configuration, and says so in the log", async () => {
      await cmd("prtg-exporter-task.cmd");
      expect(await inside(`cat ${DATA}/prtg-exporter.log`)).toMatch(/^Create C:\\ProgramData\\.*prtg-exporter init/);
    });

    test("an upgrade replaces the program and keeps configuration and task", async () => {
      await inside(`cat > ${DATA}/prtg-exporter.yaml <<'END'\n${CONFIG}\nEND\necho key > ${DATA}/api-key.txt`);
      const name = path.basename(fileEnding(artefacts, ".msi"));
      expect(await msiexec("/i", `Z:\\packages\\${name}`)).toBe(0);
      expect(await inside(`diff -r zip ${PROGRAM}`)).toBe("");
      expect(await installedVersions()).toBe(`"${VERSION}"`);
      expect(await inside(`cat ${DATA}/prtg-exporter.yaml`)).toBe(CONFIG);
      expect(await hasTask()).toBe(true);
    });

    test("the command is in the PATH, and the task reads the configuration and turns the log", async () => {
      expect(await cmd("prtg-exporter --version")).toContain(VERSION);
      expect(await cmd("prtg-exporter-task.cmd --config.check")).toContain("the configuration is valid");
      expect(await inside(`cat ${DATA}/prtg-exporter.old.log`)).toMatch(/^Create /);
    });

    test("refuses a downgrade and changes nothing", async () => {
      const code = await msiexec("/i", `Z:\\scratch\\msi\\prtg-exporter-${OLD_VERSION}-windows-x64.msi`);
      expect(code).toBe(INSTALL_FAILURE);
      expect(await installedVersions()).toBe(`"${VERSION}"`);
      expect(await inside(`diff -r zip ${PROGRAM}`)).toBe("");
    });

    test("removal leaves only configuration, key and logs", async () => {
      const { ProductCode = "" } = await msiColumn(
        msiinfo,
        fileEnding(artefacts, ".msi"),
        "Property",
        "Property",
        "Value",
      );
      expect(await msiexec("/x", ProductCode)).toBe(0);
      expect(await files()).toBe("");
      expect(await inside(`test ! -e ${PROGRAM} && echo gone`)).toBe("gone");
      expect(await hasTask()).toBe(false);
      expect(await machinePath()).not.toContain("prtg-exporter");
      expect(await inside(`ls ${DATA}`)).toBe(
        "api-key.txt\nprtg-exporter.log\nprtg-exporter.old.log\nprtg-exporter.yaml",
      );
      expect(await inside(`cat ${DATA}/prtg-exporter.yaml`)).toBe(CONFIG);
    });
  },
);
