import { type ListEndpoint, objectPath } from "./endpoints.ts";
import type { ApiClientOptions } from "./options.ts";
import { isRefusal, RefusedParameters } from "./paging/refused-parameters.ts";
import type { ApiAnswer } from "./request/messages.ts";
import type { Requester } from "./request/requester.ts";

/** Reads single objects, with as much of what is asked for as the server takes. */
export class ObjectReader {
  readonly #requester: Requester;
  readonly #refused: RefusedParameters;

  constructor({ clock, log }: Pick<ApiClientOptions, "clock" | "log">, requester: Requester) {
    this.#requester = requester;
    this.#refused = new RefusedParameters(clock, log);
  }

  /** @throws ApiError, among them API_NOT_FOUND where the object is not there, or the endpoint */
  async read(wanted: ListEndpoint, signal: AbortSignal): Promise<ApiAnswer> {
    const asked = this.#refused.without(wanted);
    let taken = asked;
    let answer: ApiAnswer;
    try {
      answer = await this.#get(asked, signal);
    } catch (error) {
      if (!isRefusal(error) || asked.optional.length === 0) throw error;
      taken = await this.#refused.findAccepted(asked, error, (object) => this.#get(object, signal));
      answer = await this.#get(taken, signal);
    }
    this.#refused.succeeded(taken);
    return answer;
  }

  /** Asks again for what the server refused. */
  forgetRefusals(): void {
    this.#refused.forget();
  }

  #get(object: ListEndpoint, signal: AbortSignal): Promise<ApiAnswer> {
    return this.#requester.get({ endpoint: object.endpoint, path: objectPath(object) }, signal);
  }
}
