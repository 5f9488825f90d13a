import { expect, test } from "vitest";
import { withLaterModules } from "../../../scripts/build/later-modules.ts";

test("optional modules load once at their first use", () => {
  const code = [
    'let node_https = require("node:https");',
    'let node_fs = require("node:fs");',
    'const require_re2js = require("./re2js-abcdefgh.js");',
    'const require_store = require("./store-abcdefgh.js");',
  ].join("\n");
  const loaded: string[] = [];
  const require = (id: string) => {
    loaded.push(id);
    return { used: `of ${id}` };
  };
  const use = new Function("require", `${withLaterModules(code)}; return () => [node_https.used, require_re2js.used];`);
  const later = use(require);
  expect(loaded).toEqual(["node:fs", "./store-abcdefgh.js"]);
  expect(later()).toEqual(["of node:https", "of ./re2js-abcdefgh.js"]);
  expect(later()).toEqual(["of node:https", "of ./re2js-abcdefgh.js"]);
  expect(loaded).toEqual(["node:fs", "./store-abcdefgh.js", "node:https", "./re2js-abcdefgh.js"]);
});
