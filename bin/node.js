#!/usr/bin/env node
"use strict";
// node bin/node.js SCRIPT [ARGUMENT...]: runs a script of this repository, or a tool, on a Node.js that is new enough.
const { resolve } = require("path");
const { launch } = require("./launch.js");

const script = process.argv[2];
if (script === undefined) {
  process.stderr.write("usage: node bin/node.js SCRIPT [ARGUMENT...]\n");
  process.exitCode = 2;
} else {
  launch(resolve(script), process.argv.slice(3));
}
