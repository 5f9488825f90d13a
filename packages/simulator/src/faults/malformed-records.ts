import type { RenderItem } from "../api/reply.ts";

/** Ways to break the specification, in turn. Some leave a record usable (an id as a number), some do not. */
const MALFORMATIONS: readonly ((record: Record<string, unknown>) => unknown)[] = [
  (record) => ({ ...record, id: Number(record.id) }),
  (record) => ({ ...record, name: null }),
  (record) => ({ ...record, status: "SOMETHING_NEW" }),
  (record) => ({
    ...record,
    basic: "none",
    last_measurement: { timestamp: "yesterday", display_value: "n/a", value: {} },
  }),
  ({ parent: _, path: __, ...record }) => record,
  ({ id: _, ...record }) => record,
  (record) => ({ ...record, id: "", parent: { id: null, name: 7 }, last_measurement: [] }),
  (record) => [record.id, record.name],
  () => null,
  (record) => String(record.name),
];

/** A list item with one malformation. JSON to JSON. */
export function malformed(item: string, turn: number): string {
  const way = MALFORMATIONS[Math.floor(turn) % MALFORMATIONS.length];
  return way === undefined ? item : JSON.stringify(way(JSON.parse(item) as Record<string, unknown>));
}

/** The first record of a page has a name of so many characters. JSON to JSON. */
export function withLongName(render: RenderItem, characters: number): RenderItem {
  const rename = (item: string) =>
    JSON.stringify({ ...(JSON.parse(item) as Record<string, unknown>), name: "x".repeat(characters) });
  return (index) => (index === 0 ? rename(render(index)) : render(index));
}

/** The second record of a page has the id and the parent of the first. JSON to JSON. */
export function withTwinIds(render: RenderItem): RenderItem {
  return (index) => {
    if (index !== 1) return render(index);
    const { id, parent } = JSON.parse(render(0)) as Record<string, unknown>;
    return JSON.stringify({ ...(JSON.parse(render(1)) as Record<string, unknown>), id, parent });
  };
}

/** Above every id that a simulated world gives. */
const FIRST_NEW_ID = 1_000_000_000;

/** Records past the end of a list of `total`, where it begins anew, are other objects. Channels stay with their sensor. */
export function withNewIds(render: RenderItem, offset: number, total: number): RenderItem {
  return (index) => {
    if (offset + index < total) return render(index);
    const record = JSON.parse(render(index)) as { readonly id: string };
    const id = `${record.id.replace(/[^.]*$/, "")}${FIRST_NEW_ID + offset + index}`;
    return JSON.stringify({ ...record, id });
  };
}

const TWO_DECIMALS = { maximumFractionDigits: 2 };
/** Numbers as each language writes them. */
const NUMBER_FORMATS = {
  en: new Intl.NumberFormat("en-US", TWO_DECIMALS),
  de: new Intl.NumberFormat("de-DE", TWO_DECIMALS),
};
type ValueLanguage = keyof typeof NUMBER_FORMATS;

/** In live servers they are texts already. */
const LIMITS = /("limit_?(?:max|min)_?(?:error|warning)":)"?(-?[0-9][0-9.eE+-]*)"?/g;

/**
 * The value of a list item is a text. JSON to JSON. With a language it is in the channel's own unit, as that language writes numbers, to
 * two decimals; without one the unit is always `%`, and `odd` is nothing that can be read.
 */
export function valueAsText(item: string, language: ValueLanguage | "odd" | undefined): string {
  const values = /("display_value":)(-?[0-9][0-9.eE+-]*)/g;
  if (language === undefined) return item.replace(values, '$1"$2 %"');
  if (language === "odd") return item.replace(values, '$1"about $2"');
  const { basic, unit } = JSON.parse(item) as Record<"basic" | "unit", Readonly<Record<string, string>> | undefined>;
  const suffix = basic?.displayunit ?? unit?.display_unit ?? "";
  const format = NUMBER_FORMATS[language];
  const written = (digits: string) => JSON.stringify(`${format.format(Number(digits))} ${suffix}`.trimEnd());
  const asText = (_: string, name: string, digits: string) => `${name}${written(digits)}`;
  return item.replace(values, asText).replace(LIMITS, asText);
}
