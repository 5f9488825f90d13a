#!/usr/bin/env node
"use strict";
const { existsSync } = require("fs");
const { join } = require("path");

// A clone has the sources, which Node.js runs as they are; the package has what was built of them, and the launcher with it.
const source = join(__dirname, "../src/main.ts");
const isClone = existsSync(source);
/** @type {typeof import("../../../bin/launch.js")} */
const { launch } = require(isClone ? "../../../bin/launch.js" : "../dist/launch.js");
launch(isClone ? source : join(__dirname, "../dist/main.js"), process.argv.slice(2));
