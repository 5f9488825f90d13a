import { defineConfig } from "vitest/config";
import whole from "../vitest.config.ts";

const [unit] = whole.test?.projects ?? [];
if (typeof unit !== "object" || !("test" in unit)) throw new Error("vitest.config.ts has no unit project");

/** The unit tests alone, because StrykerJS cannot choose a project of a configuration. */
export default defineConfig({ test: { ...unit.test, retry: 0 } });
