import { capacity } from "./capacity.ts";
import { device } from "./device.ts";
import { explorer } from "./explorer.ts";
import { exporterHealth } from "./exporter-health.ts";
import { overview } from "./overview.ts";
import { serviceLevel } from "./service-level.ts";

/** Prints all dashboards, by the name of their file. */
process.stdout.write(
  JSON.stringify({
    "prtg-overview.json": overview,
    "prtg-device.json": device,
    "prtg-explorer.json": explorer,
    "prtg-exporter-health.json": exporterHealth,
    "prtg-sla.json": serviceLevel,
    "prtg-capacity.json": capacity,
  }),
);
