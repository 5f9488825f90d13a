import { prettyFactory } from "pino-pretty";

/** One line for people. Synchronous, so that the last line before an exit is not lost. */
export function textLayout(colour: boolean): (line: string) => string {
  const format = prettyFactory({
    colorize: colour,
    translateTime: "SYS:HH:MM:ss",
    singleLine: true,
    // An error has become text by now, and stays in the line.
    errorLikeObjectKeys: [],
  });
  return (line) => format(line) ?? "";
}
