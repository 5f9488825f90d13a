import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("the unit of the packages lets no core dump have the keys", () => {
  const unit = readFileSync(new URL("../../deploy/packages/linux/prtg-exporter.service", import.meta.url), "utf8");
  expect(unit).toMatch(/^LimitCORE=0$/m);
});
