import type { ErrorCode } from "../errors/catalogue.ts";
import { ExporterError } from "../errors/exporter-error.ts";

/** What a failure to read a sensor is about. */
export type FailureKind =
  /** The server as a whole, for the time being: waiting helps. */
  | "away"
  /** This sensor: others can be read. */
  | "sensor"
  /** The sensor is not there any more. */
  | "gone"
  /** Maybe the sensor is gone, maybe the server has no time series at all. */
  | "missing"
  /** Only the user can mend it, or it is a fault of ours. */
  | "fatal";

const KINDS: Readonly<Partial<Record<ErrorCode, FailureKind>>> = {
  API_CONNECTION_FAILED: "away",
  API_UNAVAILABLE: "away",
  API_SUSPENDED: "away",
  API_RATE_LIMITED: "away",
  API_SERVER_ERROR: "sensor",
  API_TIMEOUT: "sensor",
  API_EXECUTION_TIMEOUT: "sensor",
  API_NOT_JSON: "sensor",
  API_RESPONSE_TOO_LARGE: "sensor",
  API_LIST_TOO_LARGE: "sensor",
  API_BAD_REQUEST: "sensor",
  API_FORBIDDEN: "sensor",
  API_NOT_FOUND: "gone",
  API_ENDPOINT_MISSING: "missing",
};

export function failureKind(error: unknown): FailureKind {
  return error instanceof ExporterError ? (KINDS[error.code] ?? "fatal") : "fatal";
}
