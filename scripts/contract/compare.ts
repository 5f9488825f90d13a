import type { Contract, Promised, Section } from "./contract.ts";

export interface Change {
  /** `widened`: more values are allowed than before. `deprecated`: nothing else changed. */
  readonly kind: "removed" | "changed" | "widened" | "deprecated" | "added";
  readonly section: string;
  readonly name: string;
  readonly before: Promised | undefined;
  readonly after: Promised | undefined;
}

/** All differences, stable and experimental, by section and name. */
export function changesBetween(before: Contract, after: Contract): Change[] {
  const sections = (of: Contract) =>
    Object.entries(of).filter((entry): entry is [string, Section] => entry[0] !== "version");
  const [old, next] = [new Map(sections(before)), new Map(sections(after))];
  return [...new Set([...old.keys(), ...next.keys()])].flatMap((section) =>
    changesOf(section, old.get(section) ?? {}, next.get(section) ?? {}),
  );
}

function changesOf(section: string, before: Section, after: Section): Change[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const pair = { section, name, before: before[name], after: after[name] };
    const kind = kindOf(pair.before, pair.after);
    return kind === undefined ? [] : [{ kind, ...pair }];
  });
}

function kindOf(before: Promised | undefined, after: Promised | undefined): Change["kind"] | undefined {
  if (before === undefined) return "added";
  if (after === undefined) return "removed";
  const changed = factsChanged(before, after);
  if (changed.length === 0) return undefined;
  if (changed.every((fact) => fact === "deprecated")) return "deprecated";
  return changed.every((fact) => fact === "deprecated" || isWidened(before[fact], after[fact])) ? "widened" : "changed";
}

function factsChanged(before: Promised, after: Promised): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (fact) => JSON.stringify(before[fact]) !== JSON.stringify(after[fact]),
  );
}

/** Alternatives of a type or flag: every old one still works. */
function isWidened(before: unknown, after: unknown): boolean {
  const [old, next] = [alternatives(before), alternatives(after)];
  return old.length > 1 && old.every((each) => next.includes(each));
}

function alternatives(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === "string" ? value.replace(/^list of /, "").split(" or ") : [];
}

/**
 * Why a release is not allowed, one line per change. Removing or changing something STABLE needs a higher major version.
 * A release after 1.0.0 has to deprecate metrics, keys and flags before another one removes them. The notes have to name
 * each such break, each deprecation and each addition.
 * @param notes The part of the change log about the release.
 */
export function violations(before: Contract, after: Contract, notes: string): string[] {
  const mayBreak = majorOf(after) > majorOf(before) || majorOf(after) === 0;
  return changesBetween(before, after).flatMap((change) => {
    const { kind, section, name } = change;
    const breaks = (kind === "removed" || kind === "changed") && change.before?.stability === "STABLE";
    const what = `${section}: ${name} was ${kind}${detailOf(change)}`;
    if (breaks && !mayBreak) return [`${what}. It is STABLE: raise the major version, or keep it.`];
    if (breaks && kind === "removed" && majorOf(before) > 0 && CAN_BE_DEPRECATED.has(section)) {
      if (change.before?.deprecated === undefined)
        return [`${what}. Deprecate it in a release before: docs/stability.md.`];
    }
    if (!breaks && kind !== "added" && kind !== "deprecated") return [];
    return isNamed(name, notes, breaks) ? [] : [`${what}. CHANGELOG.md does not name it.`];
  });
}

const CAN_BE_DEPRECATED: ReadonlySet<string> = new Set(["metrics", "configuration", "commands"]);

function detailOf({ before, after }: Change): string {
  if (before === undefined || after === undefined) return "";
  const facts = factsChanged(before, after).map(
    (fact) => `${fact} from ${JSON.stringify(before[fact])} to ${JSON.stringify(after[fact])}`,
  );
  return ` (${facts.join(", ")})`;
}

/**
 * Breaks need the whole name. Additions also count as named by a part (`proxy_auth` or `otlp` for `otlp.proxy_auth.username`), or by
 * the start of a name (`prtg_exporter_events_*`).
 */
function isNamed(name: string, notes: string, breaks: boolean): boolean {
  if (breaks) return occurs(name, notes);
  const parts = name.replaceAll("[]", "").split(/(?=[. ])/);
  const runs = parts.flatMap((_, from) =>
    parts.slice(from).map((_, count) => parts.slice(from, from + count + 1).join("")),
  );
  const starts = [...notes.matchAll(/`([\w.]{3,})\*`/g)].map(([, start = ""]) => start);
  return starts.some((start) => name.startsWith(start)) || runs.some((run) => occurs(run.replace(/^[. ]/, ""), notes));
}

function occurs(name: string, notes: string): boolean {
  return new RegExp(`(?<![\\w.])${RegExp.escape(name)}(?!\\.?\\w)`).test(notes);
}

function majorOf({ version }: Contract): number {
  return Number.parseInt(version, 10);
}
