import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import lock from "../../package-lock.json" with { type: "json" };

const ROOT = new URL("../../", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, ROOT), "utf8");
const [ours = "", runtime = "", ...modules] = read("NOTICE").split(/^-{78}\n/m);

interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly optional?: boolean;
}
const packages: Readonly<Record<string, LockedPackage>> = lock.packages;
const shipped = Object.entries(packages).filter(
  ([place, { dev, link, optional }]) => place.startsWith("node_modules/") && !dev && !link && !optional,
);

/** Another license needs a decision: may these packages contain it, and what does it ask for? */
const LICENSES = ["Apache-2.0", "BSD-3-Clause", "ISC", "MIT", "PSF-2.0", "(BSD-3-Clause OR GPL-2.0)"];

/** Of a package, not of a file or of Node.js. */
const IMPORT = /(?:^(?:import|export|\}) .*?from |^import |import\()"((?:@[\w-]+\/)?[a-z][\w-]*)(?:\/[^"]*)?"/gm;

describe("NOTICE", () => {
  test("names each package that npm installs with the exporter, and no other", () => {
    const named = modules.map((text) => text.split("\n", 1)[0]);
    const locked = shipped.map(([place, { version }]) => `${place.split("node_modules/").at(-1)} ${version}`);
    expect(locked.length).toBeGreaterThan(Object.keys(manifest.dependencies).length);
    expect(named.toSorted()).toEqual(locked.toSorted());
  });

  test("covers each package that the bundle contains, because sources import no others", () => {
    const imported = globSync("{src,packages/*/src}/**/*.ts", { cwd: ROOT }).flatMap((file) =>
      [...read(file).matchAll(IMPORT)].map(([, name = ""]) => name),
    );
    expect(imported).toContain("zod");
    // The bundle contains the simulator, whose license is ours.
    for (const name of new Set(imported).difference(new Set(["prtg-simulator"]))) {
      expect(Object.keys(manifest.dependencies)).toContain(name);
    }
  });

  test("has the copyright and the text of each license but our own", () => {
    const others = modules.filter((text) => !text.includes("\nLicense: Apache-2.0\n"));
    expect(others.length).toBeGreaterThan(0);
    for (const text of others) {
      expect(text).toMatch(/copyright/i);
      expect(text).toMatch(/permission|redistribution|permitted/i);
    }
    expect(ours).toContain("Apache License, Version 2.0");
    expect(read("LICENSE")).toContain("Apache License");
  });

  test("has only licenses that allow to ship the software", () => {
    for (const [place, { license }] of shipped) expect(LICENSES, place).toContain(license);
  });

  test("names the shipped version of Node.js", () => {
    for (const version of Object.values(manifest.optionalDependencies)) {
      expect(runtime).toContain(`Node.js ${version}\n`);
    }
  });
});

describe("LICENSE and NOTICE", () => {
  test("are in the npm package, and so in archives and packages", () => {
    expect(manifest.files).toEqual(expect.arrayContaining(["LICENSE", "NOTICE"]));
  });

  test("are in the image, with the license of Node.js", () => {
    const dockerfile = read("Dockerfile");
    expect(dockerfile).toMatch(/^COPY .*\bLICENSE NOTICE\b.* \.\/$/m);
    expect(dockerfile).toContain("COPY --from=node /usr/local/LICENSE /usr/local/LICENSE\n");
  });
});
