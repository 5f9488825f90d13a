import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** `LICENSE`, `license.md`, `LICENSE-MIT.txt`. */
const NAMES = /^(licen[cs]e|copying)(-[\w.]+)?(\.(md|txt))?$/i;

/** Of a package in node_modules. `undefined` if it brings no text. */
export function licenseText(folder: string): string | undefined {
  const name = readdirSync(folder)
    .toSorted()
    .find((file) => NAMES.test(file));
  return name === undefined ? undefined : readFileSync(path.join(folder, name), "utf8");
}

/** Replaces the GPL in a choice of licenses. */
export function withoutGpl(text: string, instead: string): string {
  return text.replace(/^ *GNU GENERAL PUBLIC LICENSE$[\s\S]*/m, instead);
}
