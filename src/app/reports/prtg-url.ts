import type { TreeNode } from "../../model/tree.ts";

/** Pages of the PRTG web interface. The dashboards link to the same ones (dashboards/src/links.ts). */
const PAGES: Readonly<Record<TreeNode["kind"], string>> = {
  sensor: "sensor.htm",
  device: "device.htm",
  group: "group.htm",
  probe: "probenode.htm",
};

/** @param webUrl `servers[].web_url`. */
export function prtgUrl(webUrl: string | undefined, { kind, id }: Pick<TreeNode, "kind" | "id">): string | null {
  return webUrl === undefined ? null : `${webUrl}/${PAGES[kind]}?${new URLSearchParams({ id })}`;
}
