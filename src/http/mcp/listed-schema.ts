import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import type { z } from "zod";

/** The schema with its JSON Schema made once, because a list of the tools asks for all of them: 20 ms on a busy machine. */
export function listedOnce(schema: z.ZodObject): StandardSchemaWithJSON<object> {
  const standard = schema["~standard"] as StandardSchemaWithJSON<object>["~standard"];
  const { input, output } = standard.jsonSchema;
  return { "~standard": { ...standard, jsonSchema: { input: once(input), output: once(output) } } };
}

type Converter = StandardSchemaWithJSON["~standard"]["jsonSchema"]["input"];

/** The SDK always asks for the same target. */
function once(convert: Converter): Converter {
  let made: Record<string, unknown> | undefined;
  return (options) => {
    made ??= convert(options);
    return made;
  };
}
