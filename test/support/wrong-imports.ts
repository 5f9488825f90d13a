import path from "node:path";
import type { Allowed } from "./allowed-imports.ts";

/** `import ... from`, `export ... from`, `import "file"` and `import("file")`, of types too. */
const IMPORT = /(?:\bfrom |\bimport |\bimport\()\s*"([^"]+)"/g;
const SIMULATOR = /^(?:packages\/simulator\/|prtg-simulator\/)(?:src\/)?/;

/** `prtg/paging/pages.ts` for a file of src/, `simulator/...` for one of the simulator, `../...` for any other. */
function placeOf(file: string): string {
  if (SIMULATOR.test(file)) return file.replace(SIMULATOR, "simulator/");
  return file.startsWith("src/") ? file.slice("src/".length) : `../${file}`;
}

/** Undefined for a library. */
function targetOf(file: string, specifier: string): string | undefined {
  if (specifier.startsWith(".")) return placeOf(path.posix.join(path.posix.dirname(file), specifier));
  return SIMULATOR.test(specifier) ? placeOf(specifier) : undefined;
}

/** Imports of `source` that the table does not allow. @param file its path, relative to the repository */
export function wrongImports(file: string, source: string, table: Readonly<Record<string, Allowed>>): string[] {
  const longestFirst = Object.keys(table).toSorted((one, other) => other.length - one.length);
  const folderOf = (place: string) => longestFirst.find((folder) => place.startsWith(`${folder}/`));
  const own = folderOf(placeOf(file)) ?? "";
  const allowed = table[own] ?? [];
  return [...source.matchAll(IMPORT)].flatMap(([, specifier = ""]) => {
    const target = targetOf(file, specifier);
    if (target === undefined) return [];
    const folder = folderOf(target);
    if (folder === own) return [];
    const isAllowed =
      "but" in allowed
        ? folder !== undefined && !allowed.but.some((other) => target.startsWith(`${other}/`))
        : allowed.some((other) => other === folder || other === target);
    return isAllowed ? [] : [`${file} imports ${target}`];
  });
}
