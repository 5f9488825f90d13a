/** A label whose value is a part of a tag: the tag `site:berlin` under the pattern `site:*` gives `berlin`. */
export interface TagLabel {
  readonly label: string;
  /** What comes before the `*` of the pattern, and after it. */
  readonly prefix: string;
  readonly suffix: string;
}

/** Which labels series about sensors and channels have. */
export interface LabelSettings {
  /** Labels kept beside the ids, from `LABELS_TO_CHOOSE`; undefined: all of them. */
  readonly keep: ReadonlySet<string> | undefined;
  /** Other names, by the name in the metric table. */
  readonly rename: ReadonlyMap<string, string>;
  readonly fromTags: readonly TagLabel[];
}

export const WIDE_LABELS: LabelSettings = { keep: undefined, rename: new Map(), fromTags: [] };

/** The labels that can be left out: without them every series is still unique. */
export const LABELS_TO_CHOOSE = ["probe", "group", "device", "sensor", "channel", "unit", "path"] as const;

/** The part of the first tag that the pattern fits, a sensor's own tags first; empty where none does. */
export function tagValue({ prefix, suffix }: TagLabel, tags: Iterable<string>): string {
  for (const tag of tags) {
    const isLongEnough = tag.length > prefix.length + suffix.length;
    if (isLongEnough && tag.startsWith(prefix) && tag.endsWith(suffix)) {
      return tag.slice(prefix.length, tag.length - suffix.length);
    }
  }
  return "";
}
