import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { componentGuid, filesFragment } from "../../../scripts/package/installer-files.ts";

function makeTree(names: readonly string[]): string {
  const folder = mkdtempSync(path.join(tmpdir(), "prtg-exporter-installer-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of names) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), "");
  }
  return folder;
}

const components = (fragment: string) => [...fragment.matchAll(/<Component Id="(\w+)" Guid="([^"]+)"/g)];

test("each file has a component, in its folder and in the group", () => {
  const fragment = filesFragment(makeTree(["a.js", "dist/main.js", "dist/deep/a.js"]));
  expect(
    fragment
      .replaceAll(/"[cdf][0-9a-f]{32}"/g, '"id"')
      .replaceAll(/ (Id="id"|Guid="[^"]+"|KeyPath="yes"|Win64="yes")/g, ""),
  ).toContain(
    `    <DirectoryRef Id="ProgramFolder">
<Component><File Name="a.js" Source="a.js" /></Component>
<Directory Name="dist">
<Directory Name="deep">
<Component><File Name="a.js" Source="dist/deep/a.js" /></Component>
</Directory>
<Component><File Name="main.js" Source="dist/main.js" /></Component>
</Directory>
    </DirectoryRef>`,
  );
  const ids = components(fragment).map(([, id]) => id);
  expect(new Set(ids).size).toBe(3);
  expect([...fragment.matchAll(/<ComponentRef Id="(\w+)"/g)].map(([, id]) => id).sort()).toEqual(ids.sort());
});

test("a file keeps its identifiers when others come and go", () => {
  const [before] = components(filesFragment(makeTree(["dist/main.js"])));
  const after = components(filesFragment(makeTree(["a.js", "dist/a.js", "dist/main.js"]))).map(([whole]) => whole);
  expect(after).toContain(before?.[0]);
  // A release has this GUID: with another one, an upgrade could remove the file.
  expect(componentGuid("dist/main.js")).toBe("40D2AC74-BEF1-54CC-9BEA-8980E810B82E");
});

test("names are escaped for XML and for variables of wixl", () => {
  const fragment = filesFragment(makeTree(["a & $(b) 'c'.js"]));
  expect(fragment).toContain(`Name="a &amp; $$(b) 'c'.js"`);
});
