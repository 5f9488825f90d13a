import type { ConfigProblem } from "./config-error.ts";
import { type KeyPath, type Origin, UNRESOLVED, valueAt } from "./origin.ts";

/** Secrets in the file instead of references. */
export function literalSecrets(root: unknown, origin: Origin): ConfigProblem[] {
  const list = valueAt(root, ["servers"]);
  const servers = Array.isArray(list) ? list.map((_, index) => ["servers", index]) : [];
  return [
    ...literalCredentials(servers, root, origin),
    ...literalsAt([["otlp", "proxy_auth", "password"], ...syncSecrets(root)], root, origin),
    ...literalHeaders(
      ["otlp", "headers"],
      "such a reference, otlp.header_files or OTEL_EXPORTER_OTLP_HEADERS",
      root,
      origin,
    ),
    ...literalHeaders(["sync", "alertmanager", "headers"], "such a reference", root, origin),
  ];
}

export function literalCredentials(servers: readonly KeyPath[], root: unknown, origin: Origin): ConfigProblem[] {
  const keys = [
    ["auth", "api_key"],
    ["auth", "password"],
    ["proxy_auth", "password"],
  ];
  return literalsAt(
    servers.flatMap((server) => keys.map((key) => [...server, ...key])),
    root,
    origin,
  );
}

function syncSecrets(root: unknown): KeyPath[] {
  const servers = valueAt(root, ["sync", "servers"]);
  const names = typeof servers === "object" && servers !== null ? Object.keys(servers) : [];
  const alertmanager = ["sync", "alertmanager"];
  return [
    [...alertmanager, "password"],
    [...alertmanager, "bearer_token"],
    [...alertmanager, "proxy_auth", "password"],
    ...names.flatMap((name) => ["api_key", "password"].map((key) => ["sync", "servers", name, key])),
  ];
}

function literalsAt(paths: readonly KeyPath[], root: unknown, origin: Origin): ConfigProblem[] {
  return paths.flatMap((path): ConfigProblem[] => {
    const value = valueAt(root, path);
    if (value === undefined || value === null || value === UNRESOLVED || origin.reference(path)?.wholly) return [];
    const key = String(path.at(-1));
    const text =
      `expected a reference to an environment variable such as \${PRTG_${key.toUpperCase()}}, found something else ` +
      `(not shown). This file must not contain secrets: use such a reference or ${key}_file`;
    return [{ code: "CONFIG_INVALID", ...origin.place(path, "value"), text }];
  });
}

const SECRET_HEADER = /^((proxy-)?authorization|cookie)$|api-?key|token|secret|password/i;

function literalHeaders(at: KeyPath, remedy: string, root: unknown, origin: Origin): ConfigProblem[] {
  const headers = valueAt(root, at);
  if (typeof headers !== "object" || headers === null || Array.isArray(headers)) return [];
  return Object.entries(headers).flatMap(([name, value]): ConfigProblem[] => {
    const path = [...at, name];
    // `Bearer ${TOKEN}` also counts as a reference.
    if (!SECRET_HEADER.test(name) || value === UNRESOLVED || origin.reference(path) !== undefined) return [];
    const text =
      `expected a reference to an environment variable such as Bearer \${OTLP_TOKEN}, found something else ` +
      `(not shown). This file must not contain secrets: use ${remedy}`;
    return [{ code: "CONFIG_INVALID", ...origin.place(path, "value"), text }];
  });
}
