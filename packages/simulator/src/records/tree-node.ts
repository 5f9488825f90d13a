import type { SimChannel, SimNode, SimSensor, SimState } from "../world/model.ts";
import { isChannel, isSensor, type SimObject } from "../world/objects.ts";
import type { Include } from "./include.ts";
import { renderMeasurement } from "./measurement.ts";
import type { Rendering } from "./rendering.ts";
import { channelSections, nodeSections, ownInheritance } from "./sections.ts";
import { renderSummary } from "./summary.ts";
import { flat } from "./values.ts";

/** Single objects, and items of lists that take `include`; live servers also send them as "info". */
export function renderTreeNode(object: SimObject, include: Include, rendering: Rendering): string {
  return isChannel(object) ? renderChannel(object, include, rendering) : renderNode(object, include, rendering);
}

function renderNode(node: SimNode, include: Include, rendering: Rendering): string {
  const { spelling, summaries, cache, world, now } = rendering;
  const text = cache.of(node);
  const state = world.state(node, now);
  const inheritance = include.inheritance ? ownInheritance((text.parent ?? text).reference) : "";
  const sections = include.sections.size === 0 ? "" : nodeSections(text, include, spelling, cache);
  const opening = `${text.head},"basic":{`;
  const status = isSensor(node) ? spelling.status(state.status) : spelling.nodeStatus(state.status);
  const basic = `${text.basic}${inheritance}},"status":${status}`;
  if (isSensor(node)) return `${opening}${basic}${sensorState(node, state, rendering)}${sections}}`;
  const active = `"active":${spelling.setting(state.status !== "pausedbyuser")},`;
  const summary = include.summary ? `,"sensor_status_summary":${renderSummary(summaries.of(node), spelling)}` : "";
  return `${opening}${active}${basic}${sections}${summary}}`;
}

/** What only sensors have in their default selection. */
function sensorState(sensor: SimSensor, state: SimState, rendering: Rendering): string {
  const { since, message } = state;
  const { up, down } = rendering.world.lastSeen(sensor, rendering.now);
  const time = (name: string, at: number | undefined) =>
    at === undefined ? "" : `,"${name}":${rendering.timestamp(at)}`;
  const said = `"message":${JSON.stringify(message)}`;
  return `${time("status_since", since)},${said}${time("lastup", up)}${time("lastdown", down)}`;
}

function renderChannel(channel: SimChannel, include: Include, rendering: Rendering): string {
  const text = rendering.cache.ofChannel(channel);
  const parent = text.sensor.reference;
  const measurement = renderMeasurement(text, rendering);
  if (include.key === "") return `${text.head}},"parent":${parent}${measurement}}`;
  if (text.sections?.key !== include.key) {
    const inheritance = include.inheritance ? ownInheritance(parent) : "";
    const json = flat(inheritance, "}", channelSections(text, include, rendering.spelling));
    text.sections = { key: include.key, json };
  }
  return `${text.head}${text.sections.json},"parent":${parent}${measurement}}`;
}
