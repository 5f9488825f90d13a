import { z } from "zod";
import { text } from "./fields.ts";

const SERVER_NAMES = "a list of names of servers that is not empty";

const user = z.strictObject({
  servers: z.array(text("the name of a server"), { error: SERVER_NAMES }).min(1, { error: SERVER_NAMES }),
});

export interface WebUser {
  /** Names of servers. A server need not exist. */
  readonly servers: readonly string[];
}

export const webSchema = z
  .strictObject({
    users: z
      .record(z.string(), user)
      .prefault({})
      .meta({
        title: "map of maps with `servers`, a list of texts",
        description:
          "Users of `--web.config.file` who may only have the metrics of these servers, by name. Users that are not in here may have everything. docs/tenants.md explains it.",
        examples: [{ acme: { servers: ["acme", "acme-branch"] } }],
      }),
  })
  .transform(({ users }) => ({ users: new Map<string, WebUser>(Object.entries(users)) }));
