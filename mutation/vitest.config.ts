import { defineConfig } from "vitest/config";
import { UNIT } from "../vitest.config.ts";

/** The unit tests alone, because StrykerJS cannot choose a project of a configuration. */
export default defineConfig({ test: { ...UNIT, retry: 0 } });
