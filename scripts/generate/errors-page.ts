import { ERROR_CATALOGUE } from "../../src/errors/catalogue.ts";
import { code, pageHead, table } from "./markdown.ts";

const INTRODUCTION = `
This page is the reference for error codes, [exit codes](#exit-codes) and [signals](#signals).

Every failure has one of these codes. You find it in the log (field \`code\`), in the output of \`check\`, and in brackets at the end of the
last line of a failed command. Codes are stable, so alert on codes instead of texts. Errors of PRTG also contain the request ID, which
leads to the entry in the log of PRTG's application server.
`;

const EXIT_CODES = `
## Exit codes

| Code | Meaning |
| --- | --- |
| 0 | Success. \`serve\`, \`demo\` and \`simulate\` stopped in order after SIGTERM or SIGINT. |
| 1 | Failure: an invalid configuration, a port in use, a finding of \`check\`, an incomplete poll of \`serve --once\`, values of \`backfill --push\` that the receiver rejected, a lost Lease (\`--leader-elect\`), or a fault of the exporter (last line of the log). |
| 2 | Unknown command or flag, or invalid value of a flag. |
| 130 | SIGINT (128 + 2) interrupted a command that ends by itself, or a second SIGINT arrived. |
| 141 | The reader closed the output, as \`head\` does (128 + 13). |
| 143 | SIGTERM (128 + 15): as 130. Also if the signal arrived while the program was loading. |

## Signals

| Signal | \`serve\`, \`demo\`, \`simulate\` | Other commands |
| --- | --- | --- |
| SIGTERM, SIGINT | stops in order | stops in order, 143 or 130 |
| a second one after 0.5 s or more | stops at once, 143 or 130 | stops at once, 143 or 130 |
| SIGHUP | \`serve\` [reloads its configuration](reload.md) | ends it |
| SIGUSR1 | nothing: the debugger stays closed, except on Windows or if \`NODE_OPTIONS\` opens it | opens the debugger on the loopback address |

To stop in order, the exporter stops polling, finishes open responses and delivers pending pushes for up to 5 seconds. Then it ends its PRTG sessions, also for up to 5 seconds. At last it writes watermarks, and returns the Lease with \`--leader-elect\`.

Allow 15 seconds. The defaults of \`terminationGracePeriodSeconds\` and \`TimeoutStopSec\` are longer, \`docker stop\` waits only 10. If a kill interrupts the exporter, it recovers at the next start: watermarks advance only after an acknowledgement, and sessions expire. A signal also ends a start that waits for a file.

**In a container, run it with an init.** The kernel drops signals for process 1 until the program handles them. This takes about 50 ms (2026-11-27, commit 99c6c97d), longer on a busy machine. A SIGTERM in that time is lost, and the container is killed after its grace period. Use \`docker run --init\`. The compose file sets \`init: true\`, and the chart sets \`shareProcessNamespace: true\`.
`;

export function errorsPage(): string {
  const rows = Object.entries(ERROR_CATALOGUE).map(([name, { meaning, remedy }]) => [code(name), meaning, remedy]);
  return [
    pageHead("Errors and exit codes", "src/errors/catalogue.ts"),
    INTRODUCTION,
    "\n",
    table(["Code", "What happened", "What to do"], rows),
    EXIT_CODES,
  ].join("");
}
