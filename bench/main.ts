/** `npm run bench [-- --series N] [-- --rounds N]`: what the claims about speed rest on, as ratios within one run. */
import { parseArgs } from "node:util";
import { benchMapping } from "./mapping.ts";
import { benchScrape } from "./scrape.ts";

const { values } = parseArgs({
  options: { series: { type: "string", default: "200000" }, rounds: { type: "string", default: "9" } },
});

await benchScrape(Number(values.series), Number(values.rounds));
await benchMapping(Number(values.series), Number(values.rounds));
