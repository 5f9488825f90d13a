import { z } from "zod";
import { duration } from "./fields.ts";

const FILES_EXPECTED =
  "the path of .yaml, .yml or .json files, with * in its last part only, such as servers.d/*.yaml, or a list of such paths";

/** Same patterns as Prometheus' file service discovery. */
const FILES = /^[^*]*(\*[^/\\]*)?\.(json|yml|yaml)$/;

const files = z.string({ error: FILES_EXPECTED }).regex(FILES, { error: FILES_EXPECTED }).meta({ title: "path" });

export const serversFromSchema = z
  .strictObject({
    files: z
      .union([files, z.array(files, { error: FILES_EXPECTED }).min(1, { error: FILES_EXPECTED })], {
        error: FILES_EXPECTED,
      })
      .meta({
        title: "path or list of paths",
        description:
          "Files, each with one entry of `servers` or a list of them. `*` stands for any text in the last part of a path. What relative paths in a file name counts from the folder of that file.",
        examples: ["servers.d/*.yaml"],
      }),
    refresh_interval: duration("1s", "24h").prefault("30s").meta({
      description:
        "How often to look whether files have come, gone or changed. With `--config.auto-reload-interval` they are looked at as often as all others.",
    }),
  })
  .transform((input) => ({
    files: Array.isArray(input.files) ? input.files : [input.files],
    refreshIntervalMs: input.refresh_interval,
  }));

export type ServersFromSettings = z.output<typeof serversFromSchema>;
