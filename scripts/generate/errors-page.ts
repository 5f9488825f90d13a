import { ERROR_CATALOGUE } from "../../src/errors/catalogue.ts";
import { code, pageHead, table } from "./markdown.ts";

const INTRODUCTION = `
Every failure that the exporter reports carries one of these codes: in its log (field \`code\`), in what \`check\` prints, and
in brackets at the end of the line with which a command gives up. The codes are stable; alert on them rather than on the
words. An error of the monitoring server carries its request ID, which leads to the entry in the logs of the application
server.
`;

export function errorsPage(): string {
  const rows = Object.entries(ERROR_CATALOGUE).map(([name, { meaning, remedy }]) => [code(name), meaning, remedy]);
  return [
    pageHead("Errors", "src/errors/catalogue.ts"),
    INTRODUCTION,
    "\n",
    table(["Code", "What happened", "What to do"], rows),
  ].join("");
}
