export type TemplatePart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "group"; readonly group: number | string; readonly written: string };

const GROUP = /\$(?:(\d{1,2})|<([^<>]*)>)/g;

/** `$1` and `$<name>` are groups, as in JavaScript replacements. Other dollars are literal. */
export function parseTemplate(template: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  let from = 0;
  const text = (until: number) => {
    if (until > from) parts.push({ kind: "text", text: template.slice(from, until) });
  };
  for (const match of template.matchAll(GROUP)) {
    const [written, number, name = ""] = match;
    text(match.index);
    parts.push({ kind: "group", group: number === undefined ? name : Number(number), written });
    from = match.index + written.length;
  }
  text(template.length);
  return parts;
}
