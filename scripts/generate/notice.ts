import { lockedPackages, manifest, ROOT } from "../package/build.ts";
import { licenseText, withoutGpl } from "../package/license-text.ts";

/** Also of the exporter: its text is in LICENSE. */
const OUR_LICENSE = "Apache-2.0";
const LINE = `${"-".repeat(78)}\n`;

const BRINGS_NODE = new Set(Object.keys(manifest.optionalDependencies));

/** Third-party software in the npm packages, archives, .deb, .rpm and the image, with its licenses. */
export function notice(): string {
  return [
    `prtg-exporter
Copyright 2026 The prtg-exporter authors

Licensed under the Apache License, Version 2.0. Its text is in the file LICENSE.

Packages of prtg-exporter contain the software below. \`npm run docs\` generates this file from package-lock.json.
`,
    runtimeNotice(),
    ...shippedModules().map(moduleNotice),
  ].join(LINE);
}

function runtimeNotice(): string {
  const versions = new Set(Object.values(manifest.optionalDependencies));
  return `Node.js ${[...versions].join(", ")}
In the archives, the .deb and .rpm packages and the image. The npm package prtg-exporter loads it as an optional dependency.

MIT and the licenses of the libraries in it. Their text is in the file LICENSE of Node.js: runtime/LICENSE in
archives and packages, /usr/local/LICENSE in the image.

The base image has licenses of its libraries in /usr/share/doc.
`;
}

interface Module {
  readonly name: string;
  readonly place: string;
  readonly version: string;
  readonly license: string;
}

function shippedModules(): Module[] {
  return Object.entries(lockedPackages()).flatMap(([place, { dev, link, version, license }]) => {
    if (!place.startsWith("node_modules/") || dev === true || link === true) return [];
    const name = place.split("node_modules/").at(-1) ?? place;
    if (BRINGS_NODE.has(name)) return [];
    if (version === undefined || license === undefined) throw new Error(`${place} has no version or license`);
    return [{ name, place, version, license }];
  });
}

function moduleNotice({ name, place, version, license }: Module): string {
  const head = `${name} ${version}\nLicense: ${license}\n`;
  if (license === OUR_LICENSE) return head;
  const text = licenseText(`${ROOT}${place}`);
  if (text === undefined) throw new Error(`${place} brings no text of its license`);
  const chosen = withoutGpl(text, "prtg-exporter does not use it under the GNU General Public License.\n");
  const lines = chosen.trim().split(/\r?\n/);
  return `${head}\n${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}
