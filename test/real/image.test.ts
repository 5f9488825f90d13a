import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { type DockerfilePlan, readDockerfile } from "./support/dockerfile-plan.ts";
import { describeWithPrograms } from "./support/programs.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const REVISION = "0123456789abcdef0123456789abcdef01234567";
const DIGEST = `sha256:${"ab".repeat(32)}`;

test("the Dockerfile names no parser image, which would be another image to pin", () => {
  expect(readFileSync(path.join(ROOT, "Dockerfile"), "utf8")).not.toMatch(/^#\s*syntax\s*=/im);
});

describeWithPrograms(["dockerfile-reader"], "image", ({ "dockerfile-reader": reader }) => {
  describe.each(["linux/amd64", "linux/arm64"])("read by BuildKit for %s", (platform) => {
    let plan: DockerfilePlan;

    beforeAll(async () => {
      plan = await readDockerfile({ reader, platform, buildArgs: { REVISION, VERSION: "1.2.3" } });
    });

    test("gives no warning", () => {
      expect(plan.warnings).toEqual([]);
    });

    test("runs commands only on the builder's platform, without emulation", () => {
      const commands = plan.steps.filter(({ exec }) => exec !== undefined);
      expect(commands).not.toEqual([]);
      expect(new Set(commands.map((step) => step.platform?.Architecture))).toEqual(new Set(["amd64"]));
    });

    test("uses the base and Node.js of its platform", () => {
      const [, architecture] = platform.split("/");
      const sources = plan.steps.filter((step) => step.platform?.Architecture === architecture);
      const images = sources.flatMap(({ source }) => (source === undefined ? [] : [source.identifier]));
      expect(images).toEqual(
        expect.arrayContaining([expect.stringContaining("/distroless/"), expect.stringMatching(/\/node:/)]),
      );
    });

    test("describes itself", () => {
      const { config, architecture } = plan.image;
      expect(`linux/${architecture}`).toBe(platform);
      expect(config.User).toBe("65532:65532");
      expect(config.ExposedPorts).toHaveProperty(["9705/tcp"]);
      expect(config.Labels).toMatchObject({
        "org.opencontainers.image.title": manifest.name,
        "org.opencontainers.image.licenses": manifest.license,
        "org.opencontainers.image.version": "1.2.3",
        "org.opencontainers.image.revision": REVISION,
      });
      expect(config.Env).toContain(`PRTG_EXPORTER_REVISION=${REVISION}`);
    });
  });

  test("uses its bases by digest if a build names one", async () => {
    const buildArgs = { NODE_IMAGE: `example.com/node:26@${DIGEST}`, BASE_IMAGE: `example.com/base@${DIGEST}` };
    const { steps } = await readDockerfile({ reader, buildArgs });
    const images = steps.flatMap(({ source }) => (source?.identifier.startsWith("docker-image:") ? [source] : []));
    expect(new Set(images.map(({ identifier }) => identifier))).toEqual(
      new Set(Object.values(buildArgs).map((name) => `docker-image://${name}`)),
    );
  });

  test("has the Node.js of contributors", async () => {
    const { steps } = await readDockerfile({ reader });
    const pinned = readFileSync(path.join(ROOT, ".nvmrc"), "utf8").trim();
    const nodes = steps.flatMap(({ source }) => (source?.identifier.includes("/node:") ? [source.identifier] : []));
    for (const identifier of nodes) expect(identifier).toContain(`/node:${pinned}-`);
    expect(nodes).not.toEqual([]);
  });

  test("contains only sources, contract, configuration and launcher", async () => {
    const { context } = await readDockerfile({ reader });
    const folders = context.filter((file) => file.includes("/")).map((file) => file.split("/")[0]);
    expect(new Set(folders)).toEqual(new Set(["bin", "config", "packages", "scripts", "src"]));
    const ofSimulator = context.filter((file) => file.startsWith("packages/")).map((file) => file.split("/")[2]);
    expect(new Set(ofSimulator)).toEqual(new Set(["api", "data", "scenarios", "src"]));
    expect(context.filter((file) => !file.includes("/"))).toEqual(
      expect.arrayContaining([".npmrc", "LICENSE", "NOTICE", "README.md", "package-lock.json", "package.json"]),
    );
    expect(context.filter((file) => !file.includes("/"))).toHaveLength(7);
  });
});
