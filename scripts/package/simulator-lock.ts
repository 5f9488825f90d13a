/** Run by npm before it packs prtg-simulator: writes the lock that the package contains. */
import { readFileSync, writeFileSync } from "node:fs";
import { lockedPackages, ROOT } from "./build.ts";
import { type Dependencies, neededBy, shrinkwrap } from "./manifests.ts";

const FOLDER = `${ROOT}packages/simulator/`;
const manifest = JSON.parse(readFileSync(`${FOLDER}package.json`, "utf8")) as Dependencies;
const locked = lockedPackages();
const { license, bin, engines, peerDependencies, peerDependenciesMeta } = { ...locked["packages/simulator"] };
const own = { license, bin, engines, peerDependencies, peerDependenciesMeta };
const lock = shrinkwrap(manifest, { "": own, ...neededBy(manifest, locked) });
writeFileSync(`${FOLDER}npm-shrinkwrap.json`, `${JSON.stringify(lock, null, 2)}\n`);
