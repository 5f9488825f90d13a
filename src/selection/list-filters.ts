import { pathGlob } from "../lib/glob.ts";
import type { TreeNode } from "../model/tree.ts";
import { globsOfParents } from "./rules.ts";
import type { Selection } from "./selection.ts";

/** Filters whose answers together are the selected part of a list. */
export interface FilterSet {
  /** Not every server understands each. */
  readonly form: "descendants" | "parentid";
  readonly filters: readonly string[];
}

/** Servers and proxies refuse addresses of more than 8 KiB. */
const MAX_FILTER_LENGTH = 4_000;
/** Beyond, the whole list is read. */
const MAX_FILTERS = 100;

/**
 * Ways to ask for the selected sensors, but for those of the configuration's filters; none where some cannot be asked
 * for.
 */
export function sensorFilters(selection: Selection): readonly FilterSet[] {
  const { judge, containers, sensors } = selection;
  // Rules cannot ask for sensors whose device the user may not see.
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

/** Selected objects that nothing selected is above. */
function topsOf({ containers }: Selection): readonly string[] {
  return [...containers.all]
    .filter(({ id, parentId }) => containers.isSelected(id) && !containers.isSelected(parentId))
    .map(({ id }) => id);
}

/** Not selected, but a path may select their sensors. */
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

/** `parentid` is the direct parent, and ids are texts. */
function childOf(id: string): string {
  return `parentid = ${quoted(id)}`;
}

/** The specification has no escape for a quote. */
function quoted(text: string): string {
  return `"${text}"`;
}

/** None for too many filters, or a text that no filter can hold. */
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

/** The specification says nothing of quotes and backslashes in texts. */
function isSendable(term: string): boolean {
  const text = /"(?<text>.*)"$/s.exec(term)?.groups?.text ?? "";
  return !/["\\\p{Cc}]/u.test(text) && text.isWellFormed();
}
