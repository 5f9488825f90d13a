import { z } from "zod";
import { type JsonSchema, settingsSchema } from "../../src/config/schema.ts";

/** JSON Schema (draft 7) of the file, without environment references. */
export function settingsJsonSchema(): JsonSchema {
  return z.toJSONSchema(settingsSchema, {
    io: "input",
    target: "draft-7",
    // Zod applies examples to the output and drops them if it differs. Ours are for the input.
    override: ({ zodSchema, jsonSchema }) => {
      const examples = z.globalRegistry.get(zodSchema)?.examples;
      if (Array.isArray(examples)) jsonSchema.examples = examples;
    },
  });
}
