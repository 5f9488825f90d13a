import { expect, test } from "vitest";
import { withLaterBuiltins } from "../../../scripts/build/later-builtins.ts";

test("modules of Node.js that a start does not need are loaded when something of them is used", () => {
  const code = 'let node_https = require("node:https");\nlet node_fs = require("node:fs");\n';
  const changed = withLaterBuiltins(code);
  expect(changed).toContain('let node_fs = require("node:fs");\n');
  expect(changed).not.toContain('require("node:https")');
  const createServer = new Function("require", `${changed}; return node_https.createServer;`);
  expect(createServer(() => undefined)).toBe(process.getBuiltinModule("node:https").createServer);
});
