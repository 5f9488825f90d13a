import { createHash } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { type ServiceMode, startService } from "../../src/command/start.ts";

const CREDENTIALS = { apiKey: "key", username: "user", password: "password" };
const LISTS = ["probes", "groups", "devices", "sensors", "channels"];
const STARTED_AT = Date.UTC(2026, 2, 12, 8);
const WORLD = { seed: 1, spelling: "live", release: "26.3", fault: [], sensors: 400 } as const;

/** Worlds must not change unnoticed: other authors compare their own files with them. */
test.each([
  ["the default world", WORLD, {}, "489a0a2dbbc6e716"],
  ["another seed", { ...WORLD, seed: 7 }, {}, "c4d80ad5da79d3f8"],
  ["the spelling of the specification", { ...WORLD, spelling: "specification" }, {}, "afb1e2216e2e3afa"],
  ["an old release", { ...WORLD, release: "24.3" }, {}, "2cbdb679ad9fb827"],
  ["hostile names", WORLD, { hostileNames: true }, "c20638187e803c15"],
  ["a scenario", { ...WORLD, scenario: "flapping-link" }, {}, "f88400f4306d265d"],
] as const)("%s keeps its bytes", async (_, flags, mode: ServiceMode, hash) => {
  const address = { host: "127.0.0.1", port: 0 };
  const simulator = await startService(flags, address, CREDENTIALS, { ...mode, startAt: STARTED_AT, speed: 1 });
  onTestFinished(() => simulator.close());
  const digest = createHash("sha256");
  for (const minutes of [0, 20, 180]) {
    simulator.freezeAt(STARTED_AT + minutes * 60_000);
    for (const list of LISTS) {
      const url = `${simulator.url}/api/v2/experimental/${list}?limit=3000`;
      const response = await fetch(url, { headers: { Authorization: `Bearer ${CREDENTIALS.apiKey}` } });
      expect(response.status).toBe(200);
      // References name the address of the server.
      digest.update((await response.text()).replaceAll(simulator.url, ""));
    }
  }
  expect(digest.digest("hex").slice(0, 16)).toBe(hash);
});
