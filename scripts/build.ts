/** npm run build [-- FOLDER]: bundles src with its dependencies to dist or FOLDER; with --simulator, packages/simulator to its own dist. */
import { cpSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type Plugin, rolldown } from "rolldown";
import { LATER_PIECES, laterModules } from "./build/later-modules.ts";
import { withoutUnusedParts } from "./build/unused-parts.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SOURCES = path.join(ROOT, "src");
const SIMULATOR = path.join(ROOT, "packages/simulator");
/** Finds a Node.js that is new enough. */
const LAUNCHER = ["bin/launch.js", "bin/find-node.js", "bin/node-settings.js"];
/** Read when they are asked for. */
const ASSETS = "http/pages/status/assets";
/** Started by its path, in a thread of its own. */
const WORKER = "http/auth/bcrypt-worker";

/** Gives each module its own `import.meta.url`, as the pieces of the bundle are all at the top of the folder. */
const ownPlaces = (sources: string): Plugin => ({
  name: "own-places",
  transform: {
    filter: { id: /\.ts$/, code: "import.meta.url" },
    handler(code, id) {
      const file = path.relative(sources, id).replaceAll(path.sep, "/").replace(/\.ts$/, ".js");
      // In one line as before, so that positions in maps hold but for columns behind it.
      return {
        code: code.replaceAll("import.meta.url", `new URL(${JSON.stringify(file)}, import.meta.url).href`),
        map: null,
      };
    },
  },
});

/** Escapes all characters beyond ASCII: one of them makes V8 keep the whole source with two bytes a character. */
const plainText: Plugin = {
  name: "plain-text",
  renderChunk(code) {
    // Behind a backslash the escape would become text.
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
  await bundleTo(folder, path.join(SIMULATOR, "src"), { main: "packages/simulator/src/main.ts" }, []);
  for (const name of [...LAUNCHER, "LICENSE"]) cpSync(path.join(ROOT, name), path.join(folder, path.basename(name)));
}

async function bundleTo(
  folder: string,
  sources: string,
  input: Readonly<Record<string, string>>,
  plugins: readonly Plugin[],
): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const bundle = await rolldown({
    cwd: ROOT,
    platform: "node",
    input,
    // Nothing imports from the entries.
    preserveEntrySignatures: false,
    // The same bytes wherever packages are installed: comments name modules by their path.
    resolve: { symlinks: false },
    plugins: [...plugins, ownPlaces(sources), plainText],
  });
  // CommonJS: an ES module that imports node:http has Node.js load its own fetch and WebSocket, which takes longer than all of ours.
  await bundle.write({
    dir: folder,
    format: "cjs",
    // A process that runs on while another version is installed over it finds its pieces, or none: never those of the other one.
    chunkFileNames: "[name]-[hash].js",
    codeSplitting: { includeDependenciesRecursively: false, groups: LATER_PIECES },
    comments: false,
    // Names and lines stay, so that a stack trace in a report can be read.
    minify: false,
  });
  await bundle.close();
  writeFileSync(path.join(folder, "package.json"), '{ "type": "commonjs" }\n');
}

const [target = path.join(ROOT, "dist")] = process.argv.slice(2);
await (target === "--simulator" ? buildSimulator() : buildExporter(path.resolve(target)));
