import { requireObject } from "../../../auth/visibility.ts";
import { nodeReference } from "../../../records/references.ts";
import type { Rendering } from "../../../records/rendering.ts";
import type { SimNode } from "../../../world/model.ts";
import { mix } from "../../../world/noise.ts";
import type { Endpoint } from "../../endpoint.ts";
import { jsonReply } from "../../reply.ts";

export const PROBE_NETWORK_INFO: readonly Endpoint[] = [
  {
    operation: "getProbeNetworkInfo",
    access: "bearer",
    handle: ({ visible, params, rendering }) =>
      jsonReply(renderProbeNetworkInfo(requireObject(visible, "probe", params.id), rendering)),
  },
];

/** Where probes connect to in the product. */
const CORE_PORT = 23_560;

/** The product's own probe, which runs beside the core server. */
const LOCAL_PROBE = "1";

/** How a probe is connected, JSON. Not a field of it is shown anywhere: ours. A probe that is away has had its address. */
function renderProbeNetworkInfo(probe: SimNode, { world, now, spelling, visibility }: Rendering): string {
  const { status, since } = world.state(probe, now);
  const local = probe.id === LOCAL_PROBE;
  const salt = mix(world.seed, Number(probe.id));
  const members = [
    `"probe":${nodeReference(probe, visibility)}`,
    `"local":${local}`,
    `"connected":${status !== "disconnected"}`,
    `"status_since":${spelling.timestamp(since)}`,
    `"ip_address":"${local ? "127.0.0.1" : `192.0.2.${1 + (salt % 254)}`}"`,
    `"port":${CORE_PORT}`,
    `"encrypted":${!local}`,
  ];
  return `{${members.join(",")}}`;
}
