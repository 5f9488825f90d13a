import { force, type Row, row } from "../row.ts";
import { ID } from "../world.ts";

export const ERRORS: readonly Row[] = [
  row("listSensors", "unknown error", "/experimental/sensors", "500 UNKNOWN", { fault: "error=500,code=UNKNOWN" }),
  row(
    "listSensors",
    "an unexpected internal error is no end of the service",
    "/experimental/sensors",
    "500 INTERNAL_ERROR",
    {
      before: [
        ({ simulator: { world } }) => {
          world.list = () => {
            throw new Error("unexpected");
          };
        },
      ],
    },
  ),
  row("none", "no such endpoint", "/nothing", "404 NOT_FOUND", { method: "GET" }),
  row(
    "none",
    "the reference form of creation paths is the singular",
    `/experimental/groups/${ID.group}/devices`,
    "404 NOT_FOUND",
    { method: "POST", body: { basic: { name: "new", host: "10.9.9.9" } } },
  ),
  row("pauseSensor", "15 KB are not too much", `/sensors/${ID.up}/pause`, 204, {
    body: JSON.stringify({ message: "" }).padEnd(15 * 1024),
  }),
  row(
    "acknowledgeSensor",
    "an API key with the access level ACKNOWLEDGE can acknowledge",
    `/sensors/${ID.up}/acknowledge`,
    204,
    { before: [force(ID.up, "down")], bearer: "KEY-ACKNOWLEDGE", body: {} },
  ),
];
