/** An image, a chart or a package of a version in a page. */
export const NAMED_VERSION = /(prtg-exporter(?:[:@_-]v?|.*--version ))(\d+\.\d+\.\d+(?:-[a-z]+\.\d+)?)/g;

export interface Edit {
  readonly file: string;
  readonly change: (text: string) => string;
}

export interface Release {
  readonly version: string;
  /** `2026-11-28` */
  readonly date: string;
  readonly chartVersion: string;
}

const CHART_FOLDER = "deploy/helm/prtg-exporter";
export const CHART_FILE = `${CHART_FOLDER}/Chart.yaml`;
const CHART_VERSION = /^version: (\d+)\.(\d+)\.(\d+)$/m;

/** A new version of the exporter is a patch of the chart, because its templates stay. @throws Error */
export function nextChartVersion(chart: string): string {
  const [, major, minor, patch] = CHART_VERSION.exec(chart) ?? [];
  if (patch === undefined) throw new Error(`${CHART_FILE}: expected a line "version: 1.2.3"`);
  return `${major}.${minor}.${Number(patch) + 1}`;
}

/** What a release changes besides the files that npm or `npm run docs` writes. */
export function editsFor({ version, date, chartVersion }: Release): Edit[] {
  return [
    { file: "packages/simulator/package.json", change: once(/(?<=^ {2}"version": ").*(?=",$)/m, version) },
    {
      file: "package-lock.json",
      change: once(/(?<=^ {4}"packages\/simulator": \{\n(?: {6}.*\n)*? {6}"version": ").*(?=",$)/m, version),
    },
    {
      file: CHART_FILE,
      change: (text) => once(CHART_VERSION, `version: ${chartVersion}`)(once(/(?<=^appVersion: ).*$/m, version)(text)),
    },
    {
      file: `${CHART_FOLDER}/unittests/workload_test.yaml`,
      change: once(/(?<=helm\.sh\/chart: prtg-exporter-).*$/m, chartVersion),
    },
    { file: "CHANGELOG.md", change: once(/(?<=^## Unreleased\n)/m, `\n## ${version} - ${date}\n`) },
    ...["README.md", "docs/deployment.md"].map((file) => ({
      file,
      change: (text: string) => text.replaceAll(NAMED_VERSION, (_, name: string) => `${name}${version}`),
    })),
  ];
}

/** @throws Error if the text has no such place */
function once(place: RegExp, by: string): (text: string) => string {
  return (text) => {
    if (!place.test(text)) throw new Error(`a release expects ${place}`);
    return text.replace(place, () => by);
  };
}
