import { z } from "zod";
import { text } from "./fields.ts";

/* Changes on the monitored servers. `otlp.events` pushes the same events. */

/** Replaces a path. */
export const STANDARD_OUTPUT = "-";

export const eventsSchema = z
  .strictObject({
    file: text("the path of a file, or - for standard output")
      .optional()
      .meta({
        title: "path",
        description:
          "File to which events are appended as JSON, one object a line; `-` is standard output. Opened anew when it was renamed or removed.",
        examples: ["/var/log/prtg-exporter/events.jsonl"],
      }),
    structure: z.boolean().prefault(false).meta({
      description: "Tell of objects that were added, removed, renamed or moved, too.",
    }),
  })
  .transform((input) => ({ file: input.file, structure: input.structure }));
