import { z } from "zod";
import { optional, text, wholeNumber } from "./fields.ts";

/** Without `include`: everything except `exclude`. */
export interface SelectRules {
  readonly include: readonly SelectRule[];
  readonly exclude: readonly SelectRule[];
}

/** Matches a probe, group, device or sensor with everything below it. */
export type SelectRule =
  /** Matches the label `path`, see `pathGlob`. */
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "id"; readonly id: string }
  /** A tag of the object itself. */
  | { readonly kind: "tag"; readonly tag: string }
  /** A filter of the API, which only the server can evaluate. */
  | { readonly kind: "filter"; readonly filter: string };

const MAX_RULES = 1_000;
const MAX_FILTER_LENGTH = 4_000;
const ID = "the id of a probe, group, device or sensor, such as 2001";
const ONE_KEY = "one of path, id, tag and filter";

const rule = z
  .strictObject({
    path: optional(
      text("a path such as Berlin/Switches"),
      "Objects by the label `path`. `*` matches any text and `?` one character within a name. `**` matches any text.",
      "Customer A",
      "*/Customer A",
      "Berlin/**/Switches",
    ),
    id: optional(
      z.union([z.string({ error: ID }).regex(/^[^\s.]{1,50}$/, { error: ID }), wholeNumber(1, 2 ** 31 - 1)], {
        error: ID,
      }),
      "The object with this id.",
      2001,
    ),
    tag: optional(text("a tag"), "Objects with this tag. Inherited tags do not count.", "customer-a"),
    filter: optional(
      text("a filter in the language of the API").max(MAX_FILTER_LENGTH, {
        error: `at most ${MAX_FILTER_LENGTH} characters`,
      }),
      "Objects that match this filter of the API. Each poll sends it for the lists of probes, groups, devices and sensors.",
      'basic.host = "10.0.0.1"',
    ),
  })
  .transform((input, context): SelectRule => {
    const { path, id, tag, filter } = input;
    const rules: SelectRule[] = [
      ...(path === undefined ? [] : [{ kind: "path", path } as const]),
      ...(id === undefined ? [] : [{ kind: "id", id: String(id) } as const]),
      ...(tag === undefined ? [] : [{ kind: "tag", tag } as const]),
      ...(filter === undefined ? [] : [{ kind: "filter", filter } as const]),
    ];
    const [only] = rules;
    if (only !== undefined && rules.length === 1) return only;
    context.addIssue({ code: "custom", message: ONE_KEY, input });
    return z.NEVER;
  });

export const selectSchema = z
  .strictObject({
    include: optional(
      z.array(rule).min(1, { error: "at least one entry" }).max(MAX_RULES),
      "Objects to monitor, with everything below them. Default: everything.",
    ),
    exclude: z
      .array(rule)
      .max(MAX_RULES)
      .prefault([])
      .meta({ description: "Objects not to monitor, with everything below them. Takes precedence over `include`." }),
  })
  .transform(({ include = [], exclude }): SelectRules => ({ include, exclude }));
