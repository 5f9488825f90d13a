import type { SimChannel, SimLimits } from "../world/model.ts";
import type { NodeJson } from "./node-json.ts";
import { channelHref, channelReference } from "./references.ts";
import type { Spelling } from "./spelling.ts";
import { flat } from "./values.ts";

/** What stays the same about a channel between two polls, as JSON; see NodeText. */
export class ChannelJson {
  readonly channel: SimChannel;
  readonly sensor: NodeJson;
  readonly statistics = new Statistics();
  /** The tree node from `{` to the last member of its section `basic`. */
  readonly head: string;
  /** Sections as last asked for, and by which `include`: the same client asks for the same again. */
  sections: { readonly key: string; readonly json: string } | undefined;
  readonly #name: string;
  readonly #spelling: Spelling;
  #info: string | undefined;

  constructor(channel: SimChannel, sensor: NodeJson, spelling: Spelling) {
    this.channel = channel;
    this.sensor = sensor;
    this.#name = channel.name;
    this.#spelling = spelling;
    const id = `${channel.sensor.id}.${channel.number}`;
    const name = JSON.stringify(channel.name);
    this.head = flat(
      `{"id":"${id}","name":${name},"href":"${channelHref(channel)}","kind":"channel","type":${spelling.type("channel")}`,
      `,"basic":{"name":${name},"displayunit":${JSON.stringify(channel.displayUnit)},"unittype":"${channel.unitType}"`,
    );
  }

  /** Whether the JSON is still up to date. It is never compared with a channel of another sensor. */
  isCurrent(channel: SimChannel): boolean {
    return this.channel === channel && this.#name === channel.name;
  }

  /** References from the root; the specification has no reference type for the channel itself. */
  get path(): string {
    const { name } = this.#spelling;
    return name === "live" ? `${this.sensor.path},${channelReference(this.channel, name)}` : this.sensor.path;
  }

  /** The info record of the deprecated lists, from `{` to its last constant member. */
  get info(): string {
    this.#info ??= this.#renderInfo();
    return this.#info;
  }

  #renderInfo(): string {
    const { channel } = this;
    const name = JSON.stringify(channel.name);
    const unit = `{"display_unit":${JSON.stringify(channel.displayUnit)},"type":"${channel.unitType}","decimal_digits":2,"custom":""}`;
    return flat(
      `{"id":"${channel.sensor.id}.${channel.number}","name":${name},"internal_name":${name},"unit":${unit},"path":[`,
      this.path,
      `],"limits":${limits(channel.limits)},"manual_color":""`,
    );
  }
}

function limits({ maxError, minError, maxWarning, minWarning }: SimLimits): string {
  return JSON.stringify({
    limit_max_error: maxError ?? null,
    limit_min_error: minError ?? null,
    limit_max_warning: maxWarning ?? null,
    limit_min_warning: minWarning ?? null,
    limit_error_msg: "",
    limit_warning_msg: "",
  });
}

/** Of the values sent so far: over which time live servers take them is not known. */
class Statistics {
  #minimum = Number.POSITIVE_INFINITY;
  #maximum = Number.NEGATIVE_INFINITY;
  #sum = 0;
  #count = 0;
  #json = "";

  /** Members of a measurement, JSON, with this value taken in. Written anew only when a bound moves, to keep pages cheap. */
  include(value: number): string {
    this.#sum += value;
    this.#count++;
    if (value < this.#minimum || value > this.#maximum) {
      this.#minimum = Math.min(this.#minimum, value);
      this.#maximum = Math.max(this.#maximum, value);
      const average = Math.min(this.#maximum, Math.max(this.#minimum, this.#sum / this.#count));
      this.#json = flat(`"minimum":${this.#minimum}`, `,"maximum":${this.#maximum}`, `,"average":${average}`);
    }
    return this.#json;
  }
}
