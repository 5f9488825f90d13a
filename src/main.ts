#!/usr/bin/env node
import { runProgram } from "./commands/program.ts";

process.exitCode = await runProgram(process.argv.slice(2));
