import { NEWEST_RELEASE, RELEASE_NAMES } from "prtg-simulator/src/release/release.ts";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { callWithClient, GENERATORS, generateClient, operationsOfClient } from "./support/generated-client.ts";
import { operationsOf, SPELLINGS, startGeneratorSite } from "./support/generator-site.ts";
import { describeWithPrograms } from "./support/programs.ts";

const OLDER = RELEASE_NAMES.filter((name) => name !== NEWEST_RELEASE);
const CASES = GENERATORS.flatMap((generator) =>
  OLDER.flatMap((release) => SPELLINGS.map((spelling) => ({ generator, release, spelling }))),
);

describeWithPrograms(["python-generators"], "generated client of an older release", (programs) => {
  test.each(CASES)(
    "of $generator has all operations of $release $spelling, and its calls work",
    async ({ generator, release, spelling }) => {
      const simulator = await startGeneratorSite(spelling, release);
      const generation = { generator, python: programs["python-generators"], folder: temporaryFolder({}) };
      await generateClient(simulator, generation);
      expect(await operationsOfClient(generation)).toEqual(await operationsOf(spelling, release));
      await callWithClient(generation, simulator, spelling, "older");
      expect(simulator.requests.counts().filter(({ status = 500 }) => status >= 300)).toEqual([]);
    },
  );
});
