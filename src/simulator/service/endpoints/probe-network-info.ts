import { requireObject } from "../access.ts";
import { type Endpoint, object } from "../endpoint.ts";
import { renderProbeNetworkInfo } from "../records/probe-network-info.ts";

export const PROBE_NETWORK_INFO: readonly Endpoint[] = [
  {
    operation: "getProbeNetworkInfo",
    access: "bearer",
    handle: ({ visible, params, rendering }) =>
      object(renderProbeNetworkInfo(requireObject(visible, "probe", params.id), rendering)),
  },
];
