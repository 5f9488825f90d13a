import { pathGlob } from "../lib/glob.ts";
import type { TreeNode } from "../model/tree.ts";
import { globsOfParents } from "./rules.ts";
import type { Selection } from "./selection.ts";

/** Filters that together select a part of a list. */
export interface FilterSet {
  /** Not every server understands both. */
  readonly form: "descendants" | "parentid";
  readonly filters: readonly string[];
}

/** Servers and proxies refuse URLs of more than 8 KiB. */
const MAX_FILTER_LENGTH = 4_000;
/** With more filters the whole list is read. */
const MAX_FILTERS = 100;

/** Ways to request the selected sensors, without the configured filters. Empty if filters cannot express them. */
export function sensorFilters(selection: Selection): readonly FilterSet[] {
  const { judge, containers, sensors } = selection;
  // Filters cannot find sensors on invisible devices.
  if (judge.include.isEmpty && sensors.size > 0 && selection.hasOrphans) return [];
  const singly = [
    ...[...judge.include.tags].map((tag) => `basic.tags contains ${quoted(tag)}`),
    ...[...judge.include.ids].filter((id) => containers.node(id) === undefined).map((id) => `id = ${quoted(id)}`),
    ...parentsOfPaths(selection).map(childOf),
  ];
  const devices = [...containers.all].filter(({ kind, id }) => kind === "device" && containers.isSelected(id));
  return [
    ...filterSet("descendants", [...topsOf(selection).map(below), ...singly]),
    ...filterSet("parentid", [...devices.map(({ id }) => childOf(id)), ...singly]),
  ];
}

export function channelFilters(selection: Selection): readonly FilterSet[] {
  const { sensors } = selection;
  const single = selection.sensorsBelowOthers;
  return [
    ...filterSet("descendants", [...topsOf(selection).map(below), ...[...single].map(childOf)]),
    ...filterSet("parentid", [...sensors].map(childOf)),
  ];
}

/** Selected objects without a selected parent. */
function topsOf({ containers }: Selection): readonly string[] {
  return [...containers.all]
    .filter(({ id, parentId }) => containers.isSelected(id) && !containers.isSelected(parentId))
    .map(({ id }) => id);
}

/** Devices that are not selected, but whose sensors a path may select. */
function parentsOfPaths({ judge, containers }: Selection): readonly string[] {
  const tests = judge.include.paths.flatMap(globsOfParents).map(pathGlob);
  if (tests.length === 0) return [];
  const mayHave = ({ id, kind, path }: TreeNode) =>
    kind === "device" && !containers.isSelected(id) && tests.some((test) => test(path));
  return [...containers.all].filter(mayHave).map(({ id }) => id);
}

function below(id: string): string {
  return `descendants id = ${quoted(id)}`;
}

/** `parentid` is the direct parent. Ids are strings. */
function childOf(id: string): string {
  return `parentid = ${quoted(id)}`;
}

/** The specification has no escape for a quote. */
function quoted(text: string): string {
  return `"${text}"`;
}

/** Empty for too many filters, or an unsendable text. */
function filterSet(form: FilterSet["form"], terms: readonly string[]): readonly FilterSet[] {
  const filters: string[] = [];
  let filter = "";
  let length = 0;
  for (const term of terms) {
    if (!isSendable(term)) return [];
    const more = encodeURIComponent(` or ${term}`).length;
    if (filter !== "" && length + more <= MAX_FILTER_LENGTH) {
      filter += ` or ${term}`;
      length += more;
      continue;
    }
    if (filter !== "") filters.push(filter);
    if (filters.length >= MAX_FILTERS) return [];
    filter = term;
    length = more;
  }
  if (filter !== "") filters.push(filter);
  return [{ form, filters }];
}

/** The specification defines no quotes and backslashes in texts. */
function isSendable(term: string): boolean {
  const text = /"(?<text>.*)"$/s.exec(term)?.groups?.text ?? "";
  return !/["\\\p{Cc}]/u.test(text) && text.isWellFormed();
}
