import { ApiError } from "./api-error.ts";
import type { ActionResult, ActionsApi } from "./monitoring-api.ts";
import type { Requester } from "./request/requester.ts";

const ACKNOWLEDGE = "/sensors/{id}/acknowledge";
const FORBIDDEN_REMEDY =
  "Give the API key the access level ACKNOWLEDGE, and its user the right to acknowledge alarms of these sensors.";

export function actionsOf(requester: Requester): ActionsApi {
  return {
    acknowledge: async (sensorId, { durationSeconds: duration, message }, signal) => {
      const path = ACKNOWLEDGE.replace("{id}", () => encodeURIComponent(sensorId));
      const body = JSON.stringify({ duration, message });
      try {
        await requester.post({ endpoint: ACKNOWLEDGE, path, body }, signal);
        return "done";
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const result = refusedResult(error);
        if (result === undefined) throw withRemedy(error);
        return result;
      }
    },
  };
}

/** A 404 without the code comes from another program, and 405 or 501 means that the server lacks the endpoint. */
function refusedResult({ httpStatus, serverCode }: ApiError): ActionResult | undefined {
  if (serverCode === "WRONG_NODE_STATUS") return "wrong status";
  return httpStatus === 404 && serverCode === "NOT_FOUND" ? "gone" : undefined;
}

/** The catalogue's remedy is about reading. A 403 without a code comes from another program and has its own remedy. */
function withRemedy(error: ApiError): ApiError {
  if (error.code !== "API_FORBIDDEN" || error.serverCode === undefined) return error;
  return new ApiError("API_FORBIDDEN", error.message, { ...error, remedy: FORBIDDEN_REMEDY });
}
