import { defineConfig } from "vitest/config";
import { UNIT } from "../vitest.config.ts";

/** Judge files instead of running src/, so that mutated files fail them all at once, or none. */
const ABOUT_FILES = ["test/{bench,bin,docs,scripts}/**", "test/tiers.test.ts", "packages/**"];

/** The unit tests alone, because StrykerJS cannot choose a project of a configuration. */
export default defineConfig({ test: { ...UNIT, exclude: [...UNIT.exclude, ...ABOUT_FILES], retry: 0 } });
