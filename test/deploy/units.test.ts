import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

test.each(["deploy/packages/linux/prtg-exporter.service", "docs/operations.md"])(
  "the unit in %s lets no core dump have the keys",
  (path) => {
    expect(read(path)).toMatch(/^LimitCORE=0$/m);
  },
);
