import { type RouteHandler, respondText } from "../server/responses.ts";

/** @param isReady The exporter has tried to read every server. */
export function healthRoutes(isReady: () => boolean): [string, RouteHandler][] {
  return [
    ["/-/healthy", (_request, response) => respondText(response, 200, "Healthy.\n")],
    [
      "/-/ready",
      (_request, response) =>
        isReady()
          ? respondText(response, 200, "Ready.\n")
          : respondText(response, 503, "The first poll has not finished yet.\n"),
    ],
  ];
}

/** Result of a reload. If it is refused, the previous configuration stays in force. */
export type ReloadResult =
  | { readonly kind: "applied" | "unchanged" }
  | { readonly kind: "refused"; readonly message: string };

/** `POST /-/reload`. `undefined` without `--web.enable-lifecycle`. */
export function reloadEndpoint(reload: (() => Promise<ReloadResult>) | undefined): RouteHandler {
  return async (_request, response) => {
    if (reload === undefined) {
      respondText(response, 403, "Reload over HTTP is disabled. Start with --web.enable-lifecycle, or send SIGHUP.\n");
      return;
    }
    const outcome = await reload();
    if (outcome.kind === "refused") {
      respondText(
        response,
        500,
        `The configuration was not reloaded. The previous one stays in use.\n${outcome.message}\n`,
      );
    } else {
      respondText(response, 200, outcome.kind === "applied" ? "Reloaded.\n" : "The configuration has not changed.\n");
    }
  };
}
