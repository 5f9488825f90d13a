/** npm run build [-- FOLDER]: bundles src to dist or FOLDER. --simulator: packages/simulator to its own dist. */
import { cpSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type Plugin, rolldown } from "rolldown";
import { LATER_PIECES, laterModules } from "./build/later-modules.ts";
import { withoutUnusedParts } from "./build/unused-parts.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SOURCES = path.join(ROOT, "src");
const SIMULATOR = path.join(ROOT, "packages/simulator");
/** They find a recent Node.js. */
const LAUNCHER = ["bin/launch.js", "bin/find-node.js", "bin/node-settings.js"];
/** Read on request. */
const ASSETS = "http/pages/status/assets";
/** A thread, started by path. */
const WORKER = "http/auth/bcrypt-worker";

/** Keeps each module's `import.meta.url`, because all chunks share a folder. */
const ownPlaces = (sources: string): Plugin => ({
  name: "own-places",
  transform: {
    filter: { id: /\.ts$/, code: "import.meta.url" },
    handler(code, id) {
      const file = path.relative(sources, id).replaceAll(path.sep, "/").replace(/\.ts$/, ".js");
      // Keeps lines for source maps.
      return {
        code: code.replaceAll("import.meta.url", `new URL(${JSON.stringify(file)}, import.meta.url).href`),
        map: null,
      };
    },
  },
});

/** A single non-ASCII character makes V8 keep the source with two bytes a character. */
const plainText: Plugin = {
  name: "plain-text",
  renderChunk(code) {
    // After a backslash, the escape would become text.
    const escaped = /(?<!\\)(?:\\\\)*\\[\u0080-\uffff]/.exec(code);
    if (escaped !== null) throw new Error(`a character behind a backslash: ${escaped[0]}`);
    return {
      code: code.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
      map: null,
    };
  },
};

async function buildExporter(folder: string): Promise<void> {
  const input = { main: "src/main.ts", [WORKER]: `src/${WORKER}.ts` };
  await bundleTo(folder, SOURCES, input, [withoutUnusedParts(), laterModules]);
  cpSync(path.join(SOURCES, ASSETS), path.join(folder, ASSETS), { recursive: true });
}

async function buildSimulator(): Promise<void> {
  const folder = path.join(SIMULATOR, "dist");
  const sources = path.join(SIMULATOR, "src");
  const input = { main: "packages/simulator/src/main.ts", library: "packages/simulator/src/library.ts" };
  await bundleTo(folder, sources, input, [], "allow-extension");
  cpSync(path.join(sources, "library-types.ts"), path.join(folder, "library.d.ts"));
  for (const name of LAUNCHER) cpSync(path.join(ROOT, name), path.join(folder, path.basename(name)));
  // npm packs no files of other folders.
  for (const name of ["LICENSE", "NOTICE"]) cpSync(path.join(ROOT, name), path.join(SIMULATOR, name));
  // The image has no package prtg-simulator, and builds only the exporter.
  const { writeGeneratorContracts } = await import("./build/generator-contracts.ts");
  await writeGeneratorContracts(path.join(folder, "contract"));
}

async function bundleTo(
  folder: string,
  sources: string,
  input: Readonly<Record<string, string>>,
  plugins: readonly Plugin[],
  preserveEntrySignatures: "allow-extension" | false = false,
): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const bundle = await rolldown({
    cwd: ROOT,
    platform: "node",
    input,
    preserveEntrySignatures,
    // Comments name paths: symlinks would make bytes depend on the folder.
    // Without a link in node_modules, so that modules keep their places.
    resolve: { symlinks: false, alias: { "prtg-simulator": SIMULATOR } },
    plugins: [...plugins, ownPlaces(sources), plainText],
  });
  // CommonJS: an ES module that imports node:http makes Node.js load fetch and WebSocket, which takes longer than our code.
  await bundle.write({
    dir: folder,
    format: "cjs",
    // After an upgrade, a running process finds its own chunks or none.
    chunkFileNames: "[name]-[hash].js",
    codeSplitting: { includeDependenciesRecursively: false, groups: LATER_PIECES },
    comments: false,
    // For stack traces in bug reports.
    minify: false,
  });
  await bundle.close();
  writeFileSync(path.join(folder, "package.json"), '{ "type": "commonjs" }\n');
}

const [target = path.join(ROOT, "dist")] = process.argv.slice(2);
await (target === "--simulator" ? buildSimulator() : buildExporter(path.resolve(target)));
