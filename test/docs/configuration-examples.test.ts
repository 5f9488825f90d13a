import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadAll } from "js-yaml";
import { expect, test } from "vitest";
import { settingsJsonSchema } from "../../scripts/generate/settings-schema.ts";
import { ConfigDocument } from "../../src/config/document.ts";
import { validate } from "../../src/config/validation.ts";

const FOLDER = join(import.meta.dirname, "../../docs");
const SECTIONS = new Set(Object.keys(settingsJsonSchema().properties ?? {}));
const SERVER = 'servers: [{ name: hq, url: "https://prtg.example.com:1616", auth: { api_key_file: key } }]\n';

/** Sections are completed. */
const EXAMPLES = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".md"))
  .flatMap((name) =>
    [...readFileSync(join(FOLDER, name), "utf8").matchAll(/^```yaml\n(.*?)^```/gms)].map(
      ({ 1: text = "" }, at) => [`${name}, block ${at + 1}`, text] as const,
    ),
  )
  .filter(([, text]) => {
    const keys = Object.keys(loadAll(text)[0] ?? {});
    return keys.length > 0 && keys.every((key) => SECTIONS.has(key));
  })
  .map(([place, text]) => [place, completed(text)] as const);

function completed(text: string): string {
  const servers = /^servers(_from)?:/m.test(text) ? "" : SERVER;
  return text + servers + (/^sync:/m.test(text) && !/^state_dir:/m.test(text) ? "state_dir: state\n" : "");
}

test.each(EXAMPLES)("%s", (_, text) => {
  const document = new ConfigDocument(text, "example", {});
  expect(validate(document.value, document, true).problems).toEqual([]);
});

test("pages contain such blocks", () => {
  expect(EXAMPLES.map(([place]) => place.replace(/,.*/, ""))).toEqual(
    expect.arrayContaining(["tenants.md", "web-configuration.md", "otlp.md"]),
  );
});
