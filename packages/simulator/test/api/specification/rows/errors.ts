import { force, type Row } from "../row.ts";
import { ID } from "../world.ts";

export const ERRORS: readonly Row[] = [
  {
    operation: "listSensors",
    rule: "unknown error",
    fault: "error=500,code=UNKNOWN",
    path: "/experimental/sensors",
    answers: "500 UNKNOWN",
  },
  {
    operation: "listSensors",
    rule: "an unexpected internal error is no end of the service",
    before: [
      ({ simulator: { world } }) => {
        world.list = () => {
          throw new Error("unexpected");
        };
      },
    ],
    path: "/experimental/sensors",
    answers: "500 INTERNAL_ERROR",
  },
  {
    operation: "none",
    method: "GET",
    rule: "no such endpoint",
    path: "/nothing",
    answers: "404 NOT_FOUND",
  },
  {
    operation: "none",
    method: "POST",
    rule: "the reference form of creation paths is the singular",
    path: `/experimental/groups/${ID.group}/devices`,
    body: { basic: { name: "new", host: "10.9.9.9" } },
    answers: "404 NOT_FOUND",
  },
  {
    operation: "pauseSensor",
    rule: "15 KB are not too much",
    path: `/sensors/${ID.up}/pause`,
    body: JSON.stringify({ message: "" }).padEnd(15 * 1024),
    answers: 204,
  },
  {
    operation: "acknowledgeSensor",
    rule: "an API key with the access level ACKNOWLEDGE can acknowledge",
    before: [force(ID.up, "down")],
    bearer: "KEY-ACKNOWLEDGE",
    path: `/sensors/${ID.up}/acknowledge`,
    body: {},
    answers: 204,
  },
];
