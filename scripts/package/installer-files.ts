import { statSync } from "node:fs";
import path from "node:path";
import { sha256Of } from "./digest.ts";
import { listTree } from "./trees.ts";
import { uuidOf } from "./uuid.ts";

/**
 * Fragment of WiX with all files of the tree, below the directory `ProgramFolder` and in the component group `Program`. Run wixl
 * in the tree. Identifiers depend only on the path of a file: Windows recognises a component of other versions by its GUID.
 */
export function filesFragment(tree: string): string {
  const names = listTree(tree).map((name) => name.replaceAll(path.sep, "/"));
  const files = names.filter((name) => statSync(path.join(tree, name)).isFile());
  return `<?xml version="1.0" encoding="utf-8"?>
<Wix xmlns="http://schemas.microsoft.com/wix/2006/wi">
  <Fragment>
    <DirectoryRef Id="ProgramFolder">
${directory(nest(files), "")}    </DirectoryRef>
    <ComponentGroup Id="Program">
${files.map((name) => `      <ComponentRef Id="${identifier("c", name)}" />\n`).join("")}    </ComponentGroup>
  </Fragment>
</Wix>
`;
}

/** GUID of the component of a file, as Windows writes GUIDs. */
export const componentGuid = (name: string) => uuidOf(`prtg-exporter component ${name}`).toUpperCase();

type Folder = Map<string, Folder | undefined>;

/** A file has the value `undefined`. */
function nest(files: readonly string[]): Folder {
  const root: Folder = new Map();
  for (const name of files) {
    const parts = name.split("/");
    const file = parts.pop() ?? "";
    let folder = root;
    for (const part of parts) {
      const next = folder.get(part) ?? new Map();
      folder.set(part, next);
      folder = next;
    }
    folder.set(file, undefined);
  }
  return root;
}

function directory(folder: Folder, parent: string): string {
  return [...folder]
    .map(([base, content]) => {
      const name = `${parent}${base}`;
      if (content === undefined) return component(name);
      const head = `<Directory Id="${identifier("d", name)}" Name="${escapeXml(base)}">`;
      return `${head}\n${directory(content, `${name}/`)}</Directory>\n`;
    })
    .join("");
}

function component(name: string): string {
  const names = `Name="${escapeXml(path.posix.basename(name))}" Source="${escapeXml(name)}"`;
  const file = `<File Id="${identifier("f", name)}" ${names} KeyPath="yes" />`;
  return `<Component Id="${identifier("c", name)}" Guid="${componentGuid(name)}" Win64="yes">${file}</Component>\n`;
}

/** Windows Installer allows 72 characters, without slashes. */
function identifier(kind: string, name: string): string {
  return `${kind}${sha256Of(name).slice(0, 32)}`;
}

function escapeXml(text: string): string {
  // wixl expands $(...) in attributes.
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll("$", "$$$$");
}
