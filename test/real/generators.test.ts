import { NEWEST_RELEASE } from "prtg-simulator/src/release/release.ts";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { callWithClient, GENERATORS, generateClient, operationsOfClient } from "./support/generated-client.ts";
import { operationsOf, SPELLINGS, startGeneratorSite } from "./support/generator-site.ts";
import { describeWithPrograms } from "./support/programs.ts";

const LEAST_CALLS = 30;

describeWithPrograms(["python-generators"], "generated client", ({ "python-generators": python }) => {
  test.each(GENERATORS.flatMap((generator) => SPELLINGS.map((spelling) => ({ generator, spelling }))))(
    "of $generator has all operations of the spelling $spelling, and its calls work",
    async ({ generator, spelling }) => {
      const simulator = await startGeneratorSite(spelling, NEWEST_RELEASE);
      const generation = { generator, python, folder: temporaryFolder({}) };
      await generateClient(simulator, generation);
      expect(await operationsOfClient(generation)).toEqual(await operationsOf(spelling, NEWEST_RELEASE));
      await callWithClient(generation, simulator, spelling, "newest");
      const counts = simulator.requests.counts();
      expect(counts.filter(({ status = 500 }) => status >= 300)).toEqual([]);
      expect(counts.length).toBeGreaterThanOrEqual(LEAST_CALLS);
    },
  );
});
