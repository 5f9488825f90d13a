import { readFileSync } from "node:fs";

const PAGES = [
  "README.md",
  "docs/getting-started.md",
  "docs/deployment.md",
  "docs/simulator.md",
  "docs/simulator-in-tests.md",
  "deploy/helm/prtg-exporter/README.md",
  "packages/simulator/README.md",
];

/** Commands that load or verify what a release published. */
const OF_A_RELEASE = new RegExp(
  [
    "docker (run|pull) .*ghcr\\.io/",
    "helm \\w+ .*oci://",
    "(npm install --global|npx) \\S",
    "(apt|dnf) install \\S*prtg-",
    "(Start-Process -Wait )?msiexec .*/i ",
    "winget install ",
    "cosign ",
    "gh attestation ",
    "sha256sum ",
  ]
    .map((start) => `^${start}`)
    .join("|"),
);

export type InstallKind = "image" | "chart" | "npm" | "npx" | "deb" | "checksums";

const REHEARSED: readonly (readonly [RegExp, InstallKind])[] = [
  [/^docker run .*\/prtg-exporter:\S+( demo)?$/, "image"],
  [/^helm install /, "chart"],
  [/^npm install --global prtg-exporter$/, "npm"],
  [/^npx prtg-simulator$/, "npx"],
  [/^apt install /, "deb"],
  [/^sha256sum --check /, "checksums"],
];

const NOT_REHEARSED: readonly (readonly [RegExp, string])[] = [
  [/^(docker|helm) pull /, "loads the same image and chart as the commands that are rehearsed"],
  [/^helm upgrade /, "needs a cluster: npm run test:cluster upgrades the chart"],
  [/^dnf install /, "needs Red Hat: test/real/packages-foreign.nightly.test.ts installs with rpm"],
  [/msiexec /, "needs Windows: test/real/installer-wine.nightly.test.ts installs with Wine"],
  [/^winget /, "needs Windows: test/scripts/package/winget.test.ts checks the manifests"],
  [/^docker run .* simulate /, "test/containers/image.test.ts runs it with the same image"],
  [/^npx prtg-simulator --/, "the same package without the flag is rehearsed"],
  [/^cosign verify /, "there is no signature without the identity of GitHub"],
  [/^gh attestation verify /, "there is no attestation without the identity of GitHub"],
];

export interface PageCommand {
  readonly file: string;
  readonly command: string;
  readonly kind: InstallKind | undefined;
  /** Why it is not rehearsed. */
  readonly reason: string | undefined;
}

/** Install commands as the pages print them. @throws Error for one that is neither rehearsed nor left out for a reason */
export function pageCommands(root: URL): PageCommand[] {
  return PAGES.flatMap((file) =>
    commandsIn(readFileSync(new URL(file, root), "utf8")).map((command) => ({ file, ...classify(file, command) })),
  );
}

function classify(file: string, command: string): Omit<PageCommand, "file"> {
  const of = <T>(list: readonly (readonly [RegExp, T])[]) => list.find(([pattern]) => pattern.test(command))?.[1];
  const kind = of(REHEARSED);
  const reason = of(NOT_REHEARSED);
  if (kind === undefined && reason === undefined) {
    throw new Error(`${file} has a command that is not rehearsed (scripts/rehearsal/page-commands.ts): ${command}`);
  }
  return { command, kind, reason };
}

/** In code blocks and in sentences. A comment can hold a second one: `apt ... # or: dnf ...`. */
export function commandsIn(page: string): string[] {
  const blocks = [...page.matchAll(/^```\w*\n(.*?)^```$/gms)].map(([, text = ""]) => text);
  const sentences = page.replaceAll(/^```.*?^```$/gms, "");
  const inline = [...sentences.matchAll(/`([^`\n]+)`/g)].map(([, text = ""]) => text);
  const lines = blocks.flatMap((text) => text.replaceAll(/\s*\\\n\s*/g, " ").split("\n"));
  const commands = [...lines, ...inline].flatMap((line) => line.split(/\s+#\s+(?:or: )?/)).map((each) => each.trim());
  return [...new Set(commands.filter((command) => OF_A_RELEASE.test(command)))];
}

/** The minimal `my-values.yaml` of the chart's page. */
export function minimalValues(root: URL): string {
  const page = readFileSync(new URL("deploy/helm/prtg-exporter/README.md", root), "utf8");
  const [, values] = /^The minimal `my-values\.yaml`:\n\n```yaml\n(.*?)^```$/ms.exec(page) ?? [];
  if (values === undefined) throw new Error("the page of the chart has no minimal my-values.yaml");
  return values;
}
