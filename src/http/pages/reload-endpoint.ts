import { type RouteHandler, respondText } from "../server/web-server.ts";

/** What became of a request to read the configuration again; `refused`: the one that ran before still does. */
export type Reloaded =
  | { readonly kind: "applied" | "unchanged" }
  | { readonly kind: "refused"; readonly message: string };

/** `POST /-/reload`; `reload` is undefined where nobody asked for it with `--web.enable-lifecycle`. */
export function reloadEndpoint(reload: (() => Promise<Reloaded>) | undefined): RouteHandler {
  return async (_request, response) => {
    if (reload === undefined) {
      respondText(response, 403, "Reloading over HTTP is off: start with --web.enable-lifecycle, or send SIGHUP.\n");
      return;
    }
    const outcome = await reload();
    if (outcome.kind === "refused") {
      respondText(
        response,
        500,
        `The configuration was not reloaded; the one before still runs.\n${outcome.message}\n`,
      );
    } else {
      respondText(response, 200, outcome.kind === "applied" ? "Reloaded.\n" : "Nothing has changed.\n");
    }
  };
}
