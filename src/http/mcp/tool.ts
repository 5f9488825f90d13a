import type { z } from "zod";
import type { McpResult, McpTool } from "../../telemetry/metric-declarations.ts";
import type { StatusSource } from "../pages/status/source.ts";
import type { PageLinks } from "./page-links.ts";

/** The surroundings of a call, as the user of the request sees them. */
export interface ToolCall {
  readonly source: StatusSource;
  readonly links: PageLinks;
  /** Aborts if the client disconnects. */
  readonly signal: AbortSignal;
  /** Waits for a turn among the status pages. Rejects with `TooManyPages`. */
  readonly turn: <Result>(work: () => Promise<Result>) => Promise<Result>;
  readonly called: (tool: McpTool, result: McpResult) => void;
  /** Logs an error of the exporter. */
  readonly failed: (tool: McpTool, error: unknown) => void;
}

export interface ToolAnswer<Data> {
  /** A sentence for the model, without any text of a monitored system. */
  readonly summary: string;
  readonly data: Data;
}

interface ToolParts<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: McpTool;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly run: (args: z.output<Input>, call: ToolCall) => Promise<ToolAnswer<z.input<Output>>>;
}

export interface Tool extends Omit<ToolParts<z.ZodObject, z.ZodObject>, "run"> {
  /** @param args Checked by `input`. */
  readonly run: (args: object, call: ToolCall) => Promise<ToolAnswer<object>>;
}

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  parts: ToolParts<Input, Output>,
): Tool {
  return { ...parts, run: (args, call) => parts.run(args as z.output<Input>, call) };
}

/** A refusal with plain words, which the model can act on. */
export class ToolError extends Error {
  /** Texts of monitored systems. */
  readonly data: object | undefined;

  /** @param message Without any text of a monitored system. */
  constructor(message: string, data?: object) {
    super(message);
    this.data = data;
  }
}
