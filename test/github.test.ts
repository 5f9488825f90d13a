import { globSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { load } from "js-yaml";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ROOT } from "./docs/support/pages.ts";

const FOLDER = path.join(ROOT, ".github");
const yaml = (file: string) => load(readFileSync(path.join(FOLDER, file), "utf8"));

test("Dependabot updates each folder with a lock file", () => {
  const { updates } = z
    .object({
      updates: z.array(z.object({ "package-ecosystem": z.string(), directories: z.array(z.string()).default([]) })),
    })
    .parse(yaml("dependabot.yml"));
  const named = updates.find((update) => update["package-ecosystem"] === "npm")?.directories;
  const exclude = (name: string) => /(^|\/)(node_modules|\.git|fixtures)$/.test(name.replaceAll(path.sep, "/"));
  const locks = globSync("**/package-lock.json", { cwd: ROOT, exclude });
  expect(named).toEqual(
    locks.map((file) => path.posix.join("/", path.dirname(file).replaceAll(path.sep, "/"))).toSorted(),
  );
});

/** What GitHub requires of a form. It shows no form with a mistake. */
const form = z.strictObject({
  name: z.string().min(1),
  description: z.string().min(1),
  labels: z.array(z.string()),
  body: z.array(
    z.strictObject({
      type: z.enum(["input", "textarea"]),
      id: z.string().regex(/^[\w-]+$/),
      attributes: z.strictObject({
        label: z.string().min(1),
        description: z.exactOptional(z.string()),
        render: z.exactOptional(z.string()),
      }),
      validations: z.exactOptional(z.strictObject({ required: z.boolean() })),
    }),
  ),
});

describe("issue forms", () => {
  const forms = readdirSync(path.join(FOLDER, "ISSUE_TEMPLATE")).filter((name) => name !== "config.yml");

  test.each(forms)("%s has the fields of GitHub", (name) => {
    const { body } = form.parse(yaml(`ISSUE_TEMPLATE/${name}`));
    expect(body.some(({ validations }) => validations?.required)).toBe(true);
    for (const key of ["id", "label"] as const) {
      const values = body.map(({ id, attributes }) => (key === "id" ? id : attributes.label));
      expect(new Set(values).size).toBe(values.length);
    }
  });
});
