import { test } from "vitest";
import { startScrapedExporter } from "./support/scraped-exporter.ts";
test.each(["live", "specification"] as const)("x %s", async (spelling) => {
  const e = await startScrapedExporter({ simulator: { spelling } });
  console.log(await e.poll(), await e.poll());
  const page = await e.fetchPage();
  const counts: Record<string, number> = {};
  for (const l of page.split("\n")) { const m = /^[a-z_A-Z0-9]+/.exec(l); if (m) counts[m[0]] = (counts[m[0]] ?? 0) + 1; }
  console.log(counts);
  console.log(page.split("\n").filter(l => /^prtg_(objects|sensors|up|server_info)\b/.test(l)).join("\n"));
  console.log(page.split("\n").filter(l => /^prtg_node_sensors\b/.test(l)).slice(0, 20).join("\n"));
  await e.close();
});
