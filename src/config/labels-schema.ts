import { z } from "zod";
import { LABELS_TO_CHOOSE, type LabelSettings, type TagLabel } from "../mapping/label-settings.ts";
import { TREE_FAMILIES } from "../mapping/metric-table.ts";
import { inCode, text } from "./fields.ts";

/* Labels of sensors and channels. Ids always stay, so that series are unique and can be joined with the infos. */

const KEPT = `wide, ids, or a list of ${LABELS_TO_CHOOSE.join(", ")}`;

const keep = z
  .union([z.enum(["wide", "ids"]), z.array(z.enum(LABELS_TO_CHOOSE))], { error: KEPT })
  .transform((input): LabelSettings["keep"] => {
    if (input === "wide") return undefined;
    return new Set(input === "ids" ? [] : input);
  });

/** Series with chosen labels also have these. A new metric without chosen labels takes no name from configurations. */
const TAKEN: ReadonlySet<string> = new Set([
  ...Object.values(TREE_FAMILIES)
    .map(({ labels }): readonly string[] => labels)
    .filter((labels) => ["sensor_id", ...LABELS_TO_CHOOSE].some((name) => labels.includes(name)))
    .flat(),
  ...["job", "instance", "le", "quantile"],
]);

const NAME = "an unused label name of letters, digits and _, not beginning with a digit or __";

function labelName() {
  return z
    .string({ error: NAME })
    .regex(/^(?!__)[a-zA-Z_][a-zA-Z0-9_]{0,199}$/, { error: NAME })
    .refine((name) => !TAKEN.has(name), { error: NAME })
    .meta({ title: "label name" });
}

const rename = z
  .partialRecord(z.enum(LABELS_TO_CHOOSE), labelName())
  .transform((input): ReadonlyMap<string, string> => new Map(Object.entries(input)));

const TAG = "a pattern for tags with one *, such as site:*";

const tagLabel = z
  .strictObject({
    tag: text(TAG)
      .regex(/^[^*]*\*[^*]*$/, { error: TAG })
      .meta({
        description: "Pattern of the tags. The part that matches `*` becomes the value of the label.",
        examples: ["site:*"],
      }),
    label: labelName().meta({ description: "Name of the label.", examples: ["site"] }),
  })
  .transform(({ tag, label }): TagLabel => {
    const [prefix = "", suffix = ""] = tag.split("*");
    return { label, prefix, suffix };
  });

export const labelsSchema = z
  .strictObject({
    keep: keep.prefault("wide").meta({
      description:
        "Labels of series about sensors and channels. `wide`: all. `ids`: only `sensor_id` and `channel_id`. A list: the ids and these labels. `prtg_sensor_info` and `prtg_channel_info` have the omitted labels.",
      examples: ["wide", "ids", ["device", "sensor", "channel", "unit"]],
    }),
    rename: rename.prefault({}).meta({
      description: "New names of labels, in all series.",
      examples: [{ device: "host_name" }],
    }),
    from_tags: z.array(tagLabel).max(20).prefault([]).meta({
      description:
        "Labels with a part of a tag as value. If the sensor has no matching tag, the exporter uses the tags of the objects above it. Empty without a match.",
    }),
  })
  .superRefine(refuseSameNames, { when: ({ issues }) => issues.length === 0 })
  .transform((input): LabelSettings => inCode(input));

function refuseSameNames(
  input: { readonly rename: ReadonlyMap<string, string>; readonly from_tags: readonly TagLabel[] },
  context: z.RefinementCtx,
): void {
  const { rename: renamed, from_tags } = input;
  const seen = new Set<string>(renamed.values());
  if (seen.size < renamed.size) {
    context.addIssue({ code: "custom", message: "different names", path: ["rename"], input: "" });
  }
  for (const [index, { label }] of from_tags.entries()) {
    if (seen.has(label)) {
      const message = "a name that no other label has";
      context.addIssue({ code: "custom", message, path: ["from_tags", index, "label"], input: label });
    }
    seen.add(label);
  }
}
