import { APPLICATION_KINDS } from "./kinds/applications.ts";
import { FACILITY_KINDS } from "./kinds/facilities.ts";
import { NETWORK_KINDS } from "./kinds/network.ts";
import { PRODUCT_KINDS } from "./kinds/product.ts";
import { SERVER_KINDS } from "./kinds/servers.ts";
import { SERVICE_KINDS } from "./kinds/services.ts";
import type { SensorKind } from "./sensor-kind.ts";

const KINDS: readonly SensorKind[] = [
  ...Object.values(NETWORK_KINDS),
  ...Object.values(SERVER_KINDS),
  ...Object.values(SERVICE_KINDS),
  ...Object.values(APPLICATION_KINDS),
  ...Object.values(FACILITY_KINDS),
  ...Object.values(PRODUCT_KINDS),
];

/** All kinds of sensors of the world, by type; of several with one type the first. */
export const SENSOR_KINDS: ReadonlyMap<string, SensorKind> = new Map(
  KINDS.toReversed().map((kind) => [kind.type, kind]),
);

/** What a sensor is that is added without a kind. */
export const DEFAULT_SENSOR_KIND: SensorKind = NETWORK_KINDS.pingV2;
