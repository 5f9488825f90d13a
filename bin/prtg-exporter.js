#!/usr/bin/env node
"use strict";
const { existsSync } = require("fs");
const { join } = require("path");
const { launchExporter } = require("./launch.js");

// A clone has the sources, which Node.js runs as they are; packages have what was compiled of them.
const source = join(__dirname, "../src/main.ts");
launchExporter(existsSync(source) ? source : join(__dirname, "../dist/main.js"), process.argv.slice(2));
