/**
 * The `dots` name escaping of Prometheus: as a dot would become `_dot_`, an underscore of the name is doubled so that
 * it can be told apart. Rarely asked for, so it is done on the finished page.
 * @see https://prometheus.io/docs/instrumenting/escaping_schemes/
 */
export function escapeNamesWithDots(page: string): string {
  return page
    .split("\n")
    .map((line) => (line.startsWith("#") ? escapeComment(line) : escapeSample(line)))
    .join("\n");
}

function escapeComment(line: string): string {
  const match = /^(# (?:HELP|TYPE|UNIT) )(\S+)(.*)$/s.exec(line);
  return match === null ? line : `${match[1]}${double(match[2] ?? "")}${match[3]}`;
}

/** `name{label="value",...} number`: label values can hold anything but a bare quote, so they are stepped over whole. */
function escapeSample(line: string): string {
  return line.replace(
    /^[^{\s]+|([{,])([A-Za-z_][A-Za-z0-9_]*)(="(?:[^"\\]|\\.)*")/g,
    (whole, opening?: string, label?: string, value?: string) =>
      opening === undefined ? double(whole) : `${opening}${double(label ?? "")}${value}`,
  );
}

function double(name: string): string {
  return name.replaceAll("_", "__");
}
