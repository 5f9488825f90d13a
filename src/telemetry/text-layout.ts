import { prettyFactory } from "pino-pretty";

/** Synchronous, so that the last line before an exit is not lost. */
export function textLayout(colour: boolean): (line: string) => string {
  const format = prettyFactory({
    colorize: colour,
    translateTime: "SYS:HH:MM:ss",
    singleLine: true,
    // pino has already serialized errors.
    errorLikeObjectKeys: [],
  });
  return (line) => format(line) ?? "";
}
