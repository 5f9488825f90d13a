import { requireObject } from "../access.ts";
import { type Endpoint, jsonReply } from "../endpoint.ts";
import { renderProbeNetworkInfo } from "../records/probe-network-info.ts";

export const PROBE_NETWORK_INFO: readonly Endpoint[] = [
  {
    operation: "getProbeNetworkInfo",
    access: "bearer",
    handle: ({ visible, params, rendering }) =>
      jsonReply(renderProbeNetworkInfo(requireObject(visible, "probe", params.id), rendering)),
  },
];
