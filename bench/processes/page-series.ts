export interface PageSeries {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LABEL = /([A-Za-z_][A-Za-z0-9_]*)="((?:[^"\\]|\\.)*)"/g;
const UNESCAPED: Readonly<Record<string, string>> = { "\\n": "\n" };

/** The samples of a page in the Prometheus text format, without timestamps. */
export function readSeries(page: string): PageSeries[] {
  return page
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const end = line.lastIndexOf(" ");
      const [name = ""] = /^[^{ ]+/.exec(line) ?? [];
      const labels = line.slice(name.length, end).matchAll(LABEL);
      return {
        name,
        labels: Object.fromEntries([...labels].map(([, label = "", text = ""]) => [label, unescaped(text)])),
        value: Number(line.slice(end + 1)),
      };
    });
}

function unescaped(text: string): string {
  return text.replace(/\\./g, (pair) => UNESCAPED[pair] ?? pair.slice(1));
}
