import { z } from "zod";
import { duration } from "./fields.ts";

const FILES_EXPECTED =
  "a path of .yaml, .yml or .json files such as servers.d/*.yaml (* only in the last part), or a list of such paths";

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
          "Files with one entry of `servers`, or a list of entries. `*` matches any text in the last part of a path. Relative paths in a file are relative to its directory.",
        examples: ["servers.d/*.yaml"],
      }),
    refresh_interval: duration("1s", "24h").prefault("30s").meta({
      description:
        "Interval of the check for added, removed and changed files. `--config.auto-reload-interval` replaces it.",
    }),
  })
  .transform((input) => ({
    files: Array.isArray(input.files) ? input.files : [input.files],
    refreshIntervalMs: input.refresh_interval,
  }));

export type ServersFromSettings = z.output<typeof serversFromSchema>;
