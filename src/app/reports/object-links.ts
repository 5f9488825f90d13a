import type { LinkTemplate, Placeholder } from "../../config/links-schema.ts";
import type { NodeReport } from "../../http/pages/status/report.ts";
import type { TreeNode } from "../../model/tree.ts";

type LinkedNode = Pick<TreeNode, "id" | "kind" | "name" | "path" | "probe" | "group" | "device" | "deviceId" | "host">;

/** The links of `web.links` that fit the object. A template without a value for a placeholder gives none. */
export function objectLinks(templates: readonly LinkTemplate[], server: string, node: LinkedNode): NodeReport["links"] {
  if (templates.length === 0) return [];
  const values = valuesOf(server, node);
  return templates.flatMap(({ name, on, parts }) => {
    if (!on.has(node.kind)) return [];
    const texts = parts.map((part) => (typeof part === "string" ? part : encoded(values[part.placeholder])));
    return texts.includes("") ? [] : [{ name, url: texts.join("") }];
  });
}

/** Empty without a value. Percent signs for lone surrogates would be an error. */
function encoded(value: string): string {
  return encodeURIComponent(value.toWellFormed());
}

function valuesOf(server: string, node: LinkedNode): Readonly<Record<Placeholder, string>> {
  const { id, kind, name, path, probe, group, device, deviceId, host = "" } = node;
  const own = (of: LinkedNode["kind"], above: string) => (kind === of ? name : above);
  return {
    ...{ server, id, kind, name, path, host },
    probe: own("probe", probe),
    group: own("group", group),
    device: own("device", device),
    device_id: kind === "device" ? id : deviceId,
    sensor: own("sensor", ""),
  };
}
