import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BUILD_LIMIT_MS, builtPackages, fileEnding, repackDeb, VERSION } from "./support/built-packages.ts";
import { copyRoot, removeRoot, runInRoot } from "./support/debian-root.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { runProgram } from "./support/run-program.ts";

const CONFIG = "/etc/prtg-exporter/prtg-exporter.yaml";
/** Answers dpkg's question as unattended upgrades do. */
const KEEP_MINE = "--force-confdef --force-confold";

describeWithPrograms(["debian-bare"], ".deb in a bare Debian", ({ "debian-bare": bare }) => {
  const scratch = mkdtempSync(path.join(tmpdir(), "prtg-exporter-deb-"));
  let root: string;

  /** Runs inside the root. Test files are in /packages. */
  async function inside(script: string): Promise<string> {
    const { code, stdout, stderr } = await runInRoot(root, `set -e; ${script}`, { [scratch]: "/packages" });
    expect({ script, code, stderr }).toMatchObject({ code: 0 });
    return stdout;
  }

  beforeAll(async () => {
    const deb = fileEnding(await builtPackages(), "amd64.deb");
    root = await copyRoot(bare);
    // An earlier release: another default configuration, without later files.
    const older = "echo '# as it was' > etc/prtg-exporter/prtg-exporter.yaml; rm -rf usr/lib/prtg-exporter/dist/http";
    await repackDeb(deb, path.join(scratch, "old.deb"), "0.0.9-1", older);
    await runProgram("cp", [deb, path.join(scratch, "new.deb")], "");
  }, BUILD_LIMIT_MS);

  afterAll(async () => {
    await removeRoot(root);
    rmSync(scratch, { recursive: true, force: true });
  });

  test("installs only its dependencies and creates its user", async () => {
    await inside("dpkg --install /packages/new.deb");
    expect(await inside("getent passwd prtg-exporter")).toMatch(
      /^prtg-exporter:x:\d{3}:\d{3}:.*:\/var\/lib\/prtg-exporter:\/usr\/sbin\/nologin$/m,
    );
    expect(await inside("prtg-exporter --version")).toContain(VERSION);
    const libraries = await inside("ldd /usr/lib/prtg-exporter/runtime/node");
    expect(libraries).not.toContain("not found");
    expect(await inside("find /usr/lib/prtg-exporter ! -user root -o -perm /022 ! -type l")).toBe("");
    const complete = `COMP_WORDS=(prtg-exporter serve --config.f); COMP_CWORD=2; _prtg_exporter; echo "\${COMPREPLY[@]}"`;
    await inside(
      `cat > /tmp/complete.bash <<'END'\n. /usr/share/bash-completion/completions/prtg-exporter\n${complete}\nEND`,
    );
    expect(await inside("bash /tmp/complete.bash; rm /tmp/complete.bash")).toBe("--config.file\n");
    await inside("grep -q 'alert: PrtgDeviceDown' /usr/share/doc/prtg-exporter/examples/prometheus/alert-rules.yml");
    await inside("test -s /usr/share/doc/prtg-exporter/docs/alerts.md");
    await inside("test -d /usr/share/doc/prtg-exporter/examples/grafana/dashboards");
    await inside("dpkg --purge prtg-exporter");
  });

  test("keeps the configuration on an upgrade, next to the new default", async () => {
    await inside("dpkg --install /packages/old.deb");
    await inside(`echo '# edited by me' > ${CONFIG}; echo 'ARGS="--log.format=text"' > /etc/default/prtg-exporter`);
    await inside(`dpkg ${KEEP_MINE} --install /packages/new.deb`);
    expect(await inside("dpkg-query --show --showformat='${Version} ${Status}' prtg-exporter")).toBe(
      `${VERSION}-1 install ok installed`,
    );
    expect(await inside(`cat ${CONFIG}`)).toBe("# edited by me\n");
    expect(await inside(`cat ${CONFIG}.dpkg-dist`)).toContain("https://prtg.example.com:1616");
    expect(await inside("cat /etc/default/prtg-exporter")).toBe('ARGS="--log.format=text"\n');
    expect(await inside("test -d /usr/lib/prtg-exporter/dist/http && prtg-exporter --version")).toContain(VERSION);
  });

  test("leaves configuration, key and state on removal", async () => {
    await inside("install -D /dev/null /var/lib/prtg-exporter/watermarks.json; echo key > /etc/prtg-exporter/api-key");
    await inside("dpkg --remove prtg-exporter");
    expect(await inside(`cat ${CONFIG}`)).toBe("# edited by me\n");
    expect(await inside("ls /etc/prtg-exporter/api-key /var/lib/prtg-exporter")).toContain("watermarks.json");
    expect(await inside("ls -d /usr/lib/prtg-exporter /usr/bin/prtg-exporter 2>/dev/null || true")).toBe("");
  });

  test("leaves nothing on a purge", async () => {
    await inside("dpkg --purge prtg-exporter");
    const left = await inside("find / -xdev -name '*prtg*' -not -path '/packages*' -not -path '/proc/*'");
    expect(left).toBe("");
    expect(await inside("getent passwd prtg-exporter || getent group prtg-exporter || echo none")).toBe("none\n");
  });
});

describeWithPrograms(["debian-tools"], ".deb", ({ "debian-tools": tools }) => {
  test("passes lintian, and all its overrides apply", async () => {
    const folder = await builtPackages();
    const command = "lintian --info --fail-on=error,warning --tag-display-limit=0 /packages/*amd64.deb";
    const { code, stdout } = await runInRoot(tools, command, { [folder]: "/packages" });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  });

  test.each(["prtg-exporter", "prtg-exporter-sync"])("has a unit %s that passes systemd-analyze", async (name) => {
    const folder = await builtPackages();
    const script = `set -e; dpkg-deb --extract /packages/*_amd64.deb /tmp/unit
      trap 'rm -rf /tmp/unit' EXIT
      cp -r /tmp/unit/usr/lib/systemd/system/${name}.service /run/
      sed -i 's|/usr/bin/prtg-exporter|/tmp/unit/usr/bin/prtg-exporter|' /run/${name}.service
      systemd-analyze verify --man=no /run/${name}.service`;
    const { code, stdout, stderr } = await runInRoot(tools, script, { [folder]: "/packages" });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "", stderr: "" });
  });
});
