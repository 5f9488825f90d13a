/** The tag `site:berlin` and the pattern `site:*` give `berlin`. */
export interface TagLabel {
  readonly label: string;
  readonly prefix: string;
  readonly suffix: string;
}

export interface LabelSettings {
  /** From `LABELS_TO_CHOOSE`. `undefined`: all. */
  readonly keep: ReadonlySet<string> | undefined;
  /** Keys: names in the metric table. */
  readonly rename: ReadonlyMap<string, string>;
  readonly fromTags: readonly TagLabel[];
}

export const WIDE_LABELS: LabelSettings = { keep: undefined, rename: new Map(), fromTags: [] };

/** Optional labels. Series are unique without them. */
export const LABELS_TO_CHOOSE = ["probe", "group", "device", "sensor", "channel", "unit", "path"] as const;

/** Of the first tag that matches, else empty. */
export function tagValue({ prefix, suffix }: TagLabel, tags: Iterable<string>): string {
  for (const tag of tags) {
    const isLongEnough = tag.length > prefix.length + suffix.length;
    if (isLongEnough && tag.startsWith(prefix) && tag.endsWith(suffix)) {
      return tag.slice(prefix.length, tag.length - suffix.length);
    }
  }
  return "";
}
