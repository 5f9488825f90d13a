import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Simulator, startSimulator } from "prtg-simulator/src/simulator.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { CREDENTIALS } from "../support/simulated-server.ts";
import { BUILD_LIMIT_MS, builtPackages, fileEnding, repackDeb } from "./support/built-packages.ts";
import { copyRoot, removeRoot, runInRoot } from "./support/debian-root.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { runProgram } from "./support/run-program.ts";
import { bootRoot, type SystemdContainer } from "./support/systemd-container.ts";

const UNIT = "prtg-exporter.service";
const SYNC_UNIT = "prtg-exporter-sync.service";
/** systemd's place for credentials from /etc/credstore. */
const KEY = '{ api_key_file: "${CREDENTIALS_DIRECTORY}/prtg-api-key" }';
const WAIT = { timeout: 120_000, interval: 250 };
/** 10 is unprotected. The rest is network and V8's writable code memory. */
const MAX_EXPOSURE = 1.5;

describeWithPrograms(
  ["debian-systemd", "systemd-nspawn"],
  "service in a Debian with systemd",
  ({ "debian-systemd": bare, "systemd-nspawn": nspawn }) => {
    const scratch = mkdtempSync(path.join(tmpdir(), "prtg-exporter-systemd-"));
    let root: string;
    let simulator: Simulator;
    let machine: SystemdContainer;

    const inside = async (script: string) => {
      const { code, stdout, stderr } = await machine.run(`set -e; ${script}`);
      expect({ script, code, stderr }).toMatchObject({ code: 0 });
      return stdout.trim();
    };
    const configure = (text: string) => inside(`cat > /etc/prtg-exporter/prtg-exporter.yaml <<'END'\n${text}\nEND`);
    const property = (name: string, unit = UNIT) => inside(`systemctl show --value --property=${name} ${unit}`);
    const journal = (unit = UNIT) => inside(`journalctl --output=cat --unit=${unit}`);
    const page = async () => {
      const urls = [...(await journal()).matchAll(/serving metrics on (http:[^"]+)"/g)];
      return (await fetch(urls.at(-1)?.[1] ?? "")).text();
    };

    beforeAll(async () => {
      const world = createWorld({
        seed: 1,
        size: { probes: 1, groups: 3, devices: 8, sensors: 30, channels: 90 },
        startedAt: Date.now(),
      });
      simulator = await startSimulator({ world, clock: systemClock, spelling: "live", credentials: CREDENTIALS });
      const deb = fileEnding(await builtPackages(), "amd64.deb");
      await repackDeb(deb, path.join(scratch, "new.deb"), "99.0.0-1");
      root = await copyRoot(bare);
      await runProgram("cp", [deb, path.join(scratch, "now.deb")], "");
      const prepare = `set -e
        mkdir -p /root/packages /etc/credstore; cp /packages/*.deb /root/packages/
        dpkg --install /root/packages/now.deb
        echo '${CREDENTIALS.apiKey}' > /etc/credstore/prtg-api-key; chmod 600 /etc/credstore/prtg-api-key
        echo 'ARGS="--web.listen-address=127.0.0.1:0"' > /etc/default/prtg-exporter`;
      const { code, stderr } = await runInRoot(root, prepare, { [scratch]: "/packages" });
      expect({ code, stderr }).toMatchObject({ code: 0 });
      machine = await bootRoot(nspawn, root);
    }, BUILD_LIMIT_MS);

    afterAll(async () => {
      await machine?.stop();
      await simulator?.close();
      await removeRoot(root);
      rmSync(scratch, { recursive: true, force: true });
    });

    test.each([UNIT, SYNC_UNIT])("%s waits for its configuration: neither enabled nor started", async (unit) => {
      expect(await property("UnitFileState", unit)).toBe("disabled");
      expect(await property("ActiveState", unit)).toBe("inactive");
    });

    test("rejects a wrong configuration with a message", async () => {
      await configure("servers: [{ url: nonsense }]");
      const { code } = await machine.run(`systemctl start ${UNIT}`);
      expect(code).not.toBe(0);
      expect(await journal()).toContain("servers[0].url");
      await inside(`systemctl stop ${UNIT}`);
    });

    test("starts during an outage of the monitoring server and reports it", async () => {
      await configure(`servers: [{ name: hq, url: "http://127.0.0.1:1", auth: ${KEY} }]`);
      await inside(`systemctl start ${UNIT}`);
      await vi.waitFor(async () => expect(await page()).toContain('prtg_up{server="hq"} 0'), WAIT);
      await inside(`systemctl stop ${UNIT}`);
    });

    test("reads its key from systemd and serves the whole page", async () => {
      await configure(`servers: [{ name: hq, url: "${simulator.url}", auth: ${KEY} }]
state_dir: /var/lib/prtg-exporter`);
      await inside(`systemctl enable --now ${UNIT}`);
      await vi.waitFor(async () => expect(await page()).toContain('prtg_up{server="hq"} 1'), WAIT);
      expect(await inside(`stat --format=%U /proc/"$(systemctl show --value --property=MainPID ${UNIT})"`)).toBe(
        "prtg-exporter",
      );
      expect(await inside("stat --format='%a %U' /var/lib/prtg-exporter")).toBe("700 prtg-exporter");
      const variables = await inside(`cat /proc/"$(systemctl show --value --property=MainPID ${UNIT})"/environ`);
      expect(variables).toContain("NODE_OPTIONS=--max-semi-space-size=4 --disable-sigusr1");
    });

    test("reloads its configuration", async () => {
      await inside(`systemctl reload ${UNIT}`);
      await vi.waitFor(async () => expect(await journal()).toContain("the configuration has not changed"), WAIT);
    });

    test("runs in a sandbox", async () => {
      const report = await inside(`systemd-analyze security --no-pager ${UNIT}`);
      const [, exposure] = /exposure level for \S+ (\d+\.\d+)/.exec(report) ?? [];
      expect(Number(exposure)).toBeLessThanOrEqual(MAX_EXPOSURE);
    });

    test("runs sync beside it, with its own user, key and state, in a sandbox", async () => {
      await inside(`echo '${CREDENTIALS.apiKey}' > /etc/credstore/prtg-acknowledge-key
        chmod 600 /etc/credstore/prtg-acknowledge-key
        echo 'ARGS="--web.listen-address=127.0.0.1:0"' > /etc/default/prtg-exporter-sync`);
      await configure(`servers: [{ name: hq, url: "${simulator.url}", auth: ${KEY} }]
state_dir: /var/lib/prtg-exporter
sync:
  alertmanager: { url: "http://127.0.0.1:1" }
  servers: { hq: { api_key_file: "\${CREDENTIALS_DIRECTORY}/prtg-acknowledge-key" } }`);
      await inside(`systemctl start ${SYNC_UNIT}`);
      await vi.waitFor(async () => expect(await journal(SYNC_UNIT)).toContain("ECONNREFUSED"), WAIT);
      const pid = await property("MainPID", SYNC_UNIT);
      // A user that exists only while the service runs (`DynamicUser`). Without nss-systemd, it has no name.
      const user = Number(await inside(`stat --format=%u /proc/${pid}`));
      expect(user).toBeGreaterThanOrEqual(61_184);
      expect(user).toBeLessThanOrEqual(65_519);
      const report = await inside(`systemd-analyze security --no-pager ${SYNC_UNIT}`);
      const [, exposure] = /exposure level for \S+ (\d+\.\d+)/.exec(report) ?? [];
      expect(Number(exposure)).toBeLessThanOrEqual(MAX_EXPOSURE);
      await inside(`systemctl stop ${SYNC_UNIT}`);
      await configure(`servers: [{ name: hq, url: "${simulator.url}", auth: ${KEY} }]
state_dir: /var/lib/prtg-exporter`);
    });

    test("restarts on an upgrade", async () => {
      const before = await property("MainPID");
      await inside("dpkg --install /root/packages/new.deb");
      expect(await property("ActiveState")).toBe("active");
      expect(await property("MainPID")).not.toBe(before);
      await vi.waitFor(async () => expect(await page()).toContain('prtg_up{server="hq"} 1'), WAIT);
    });

    test("stops cleanly", async () => {
      await inside(`systemctl stop ${UNIT}`);
      expect(await property("Result")).toBe("success");
      expect((await journal()).match(/"msg":"stopped"/g)?.length).toBeGreaterThanOrEqual(3);
    });

    test("stops on a removal and disappears on a purge", async () => {
      await inside(`systemctl start ${UNIT}; dpkg --remove prtg-exporter`);
      expect(await property("ActiveState")).toBe("inactive");
      await inside("dpkg --purge prtg-exporter; systemctl daemon-reload");
      expect(await property("LoadState")).toBe("not-found");
      expect(
        await inside(
          "find /etc/systemd /var/lib/prtg-exporter /var/lib/private /var/cache -name '*prtg*' 2>/dev/null || true",
        ),
      ).toBe("");
    });
  },
);
