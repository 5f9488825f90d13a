import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { writeGeneratorContracts } from "../../../scripts/build/generator-contracts.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

test("the package of the simulator has a document for each release and spelling", async () => {
  const folder = path.join(temporaryFolder({}), "contract");
  await writeGeneratorContracts(folder);
  expect(readdirSync(folder)).toEqual(
    ["24.3", "25.1", "25.4", "26.3"].flatMap((release) => [
      `openapi-${release}-live.json`,
      `openapi-${release}-specification.json`,
    ]),
  );
  const typesOf = (spelling: string) => {
    const text = readFileSync(path.join(folder, `openapi-26.3-${spelling}.json`), "utf8");
    return (JSON.parse(text) as { components: { schemas: { ProbeNode: { properties: { type: object } } } } }).components
      .schemas.ProbeNode.properties.type;
  };
  expect([typesOf("live"), typesOf("specification")]).toMatchObject([{ enum: ["PROBE"] }, { enum: ["probe"] }]);
});
