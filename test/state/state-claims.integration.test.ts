import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { claimServers } from "../../src/state/state-claims.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

function claim(directory: string, servers: readonly string[]) {
  return claimServers({ directory, servers, clock: systemClock, waitMs: 0, onWait: () => {} });
}

/** Another process that claims servers and stays. */
async function startHolder(directory: string, servers: readonly string[]) {
  const from = (name: string) => JSON.stringify(fileURLToPath(new URL(`../../src/${name}`, import.meta.url)));
  const program = `
    import { systemClock as clock } from ${from("lib/clock.ts")};
    import { claimServers } from ${from("state/state-claims.ts")};
    const options = { directory: ${JSON.stringify(directory)}, servers: ${JSON.stringify(servers)} };
    await claimServers({ ...options, clock, waitMs: 0, onWait: () => {} });
    console.log("held");
    setInterval(() => {}, 1_000);
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [text] = await Promise.race([once(child.stdout, "data"), once(child, "exit")]);
  if (!String(text).includes("held")) throw new Error("it could not claim them");
  return {
    pid: child.pid,
    kill: async () => {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

test("a claim of another process fails with its owner, and a kill releases it", async () => {
  const folder = temporaryFolder({});
  const holder = await startHolder(folder, ["hq", "branch"]);
  await expect(claim(folder, ["other", "branch"])).rejects.toMatchObject({
    code: "STATE_DIR_BUSY",
    message: expect.stringMatching(
      new RegExp(`^state_dir .* is in use: process ${holder.pid} on .+, since 20.+Z, pushes branch$`),
    ),
  });
  // Like shards.
  const beside = await claim(folder, ["other"]);
  await holder.kill();
  const all = await claim(folder, ["hq", "branch"]);
  await all.release();
  await beside.release();
  expect(readdirSync(folder)).toEqual(["claims.lock"]);
});
