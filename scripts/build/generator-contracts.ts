import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { openDocument } from "prtg-simulator/src/api/contract/document.ts";
import { contractForGenerators } from "prtg-simulator/src/api/contract/generators.ts";
import { RELEASE_NAMES, releaseOf } from "prtg-simulator/src/release/release.ts";

const SPELLINGS = ["live", "specification"] as const;

/** Writes `openapi-RELEASE-SPELLING.json` for each release and spelling. */
export async function writeGeneratorContracts(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const document = await openDocument();
  for (const release of RELEASE_NAMES) {
    for (const spelling of SPELLINGS) {
      const contract = contractForGenerators(document, releaseOf(release, spelling));
      writeFileSync(path.join(folder, `openapi-${release}-${spelling}.json`), `${JSON.stringify(contract, null, 1)}\n`);
    }
  }
}
