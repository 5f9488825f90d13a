import { mapEntry } from "../../lib/map-entry.ts";
import type { NodeChange } from "../../model/change-log.ts";
import { AROUND_MS, type LoggedOutage } from "../../model/outage-log.ts";
import { OUTAGE_PROBLEMS, type OutageProblem, outageKey } from "../../model/outages.ts";

/** `during`: changes of its sensors between begin and end. */
export const OUTAGE_PARTS = ["begin", "during", "end"] as const;
export type OutagePart = (typeof OUTAGE_PARTS)[number];

export interface PartOfOutage {
  readonly outage: LoggedOutage;
  readonly part: OutagePart;
}

type FindOutage = (
  change: Pick<NodeChange, "at" | "what" | "kind">,
  above: readonly { readonly id: string }[],
) => PartOfOutage | undefined;

const PROBLEMS_OF: Readonly<Partial<Record<NodeChange["what"], readonly OutageProblem[]>>> = {
  down: ["down"],
  unknown: ["unknown"],
  acknowledged: ["down"],
  recovered: OUTAGE_PROBLEMS,
};

/** Finds the outage of a sensor's change: of the highest object with one, the newest at that time. */
export function outageFinder(outages: readonly LoggedOutage[]): FindOutage {
  const byKey = new Map<string, LoggedOutage[]>();
  for (const outage of outages) mapEntry(byKey, outageKey(outage.problem, outage.object.id), () => []).push(outage);
  return ({ at, what, kind }, above) => {
    const problems = PROBLEMS_OF[what];
    if (byKey.size === 0 || kind !== "sensor" || problems === undefined) return undefined;
    for (const { id } of above) {
      const found = problems
        .flatMap((problem) => byKey.get(outageKey(problem, id)) ?? [])
        .filter((outage) => outage.from <= at && at <= lastAt(outage))
        .reduce<LoggedOutage | undefined>(
          (newest, each) => (newest && newest.from > each.from ? newest : each),
          undefined,
        );
      if (found !== undefined) return { outage: found, part: partOf(found, at, what) };
    }
    return undefined;
  };
}

/** Stragglers recover after the end of an outage. */
function lastAt({ endedAt, lastSeenAt }: LoggedOutage): number {
  if (endedAt === undefined) return Number.POSITIVE_INFINITY;
  return lastSeenAt === undefined ? endedAt : endedAt + AROUND_MS;
}

function partOf(outage: LoggedOutage, at: number, what: NodeChange["what"]): OutagePart {
  const { problem, foundAt, lastSeenAt } = outage;
  if (what === problem && foundAt !== undefined && at <= foundAt + AROUND_MS) return "begin";
  return what === "recovered" && lastSeenAt !== undefined && at >= lastSeenAt - AROUND_MS ? "end" : "during";
}

/** Begins and ends that are news, even if the log has no change of their sensors. @param after Milliseconds since the epoch. */
export function newsOf(outages: readonly LoggedOutage[], after: number): readonly PartOfOutage[] {
  const news: PartOfOutage[] = [];
  for (const outage of outages) {
    const { foundAt, lastSeenAt, endedAt } = outage;
    if (foundAt !== undefined && foundAt >= after) news.push({ outage, part: "begin" });
    if (lastSeenAt !== undefined && endedAt !== undefined && endedAt >= after) news.push({ outage, part: "end" });
  }
  return news;
}
