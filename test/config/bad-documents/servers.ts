import type { BadDocument } from "./bad-document.ts";

export const SERVERS: readonly BadDocument[] = [
  { title: "empty file", text: "", code: "CONFIG_NO_SERVER", problems: [["1:1", "no server is configured"]] },
  {
    title: "nothing but comments",
    text: "# servers:\n",
    code: "CONFIG_NO_SERVER",
    problems: [["1:1", "no server is configured"]],
  },
  {
    title: "no servers",
    text: "metrics: {}\n",
    code: "CONFIG_NO_SERVER",
    problems: [["1:1", "servers: no server is configured"]],
  },
  {
    title: "empty list of servers",
    text: "metrics: {}\nservers: []\n",
    code: "CONFIG_NO_SERVER",
    problems: [["2:10", "no server is configured"]],
  },
  {
    title: "servers that are null",
    text: "metrics: {}\nservers:\n",
    problems: [["2:1", "servers: expected a list, found nothing"]],
  },
];
