import { type Html, html } from "./html.ts";
import { nameOf } from "./layout.ts";
import { webAddress } from "./links.ts";
import type { NodeSummary } from "./report.ts";

/** Opens the object in the PRTG web interface, in a new tab. `undefined` without a safe URL. */
export function prtgLink({ name, prtg_url }: NodeSummary, text = "PRTG"): Html | undefined {
  const url = prtg_url === null ? undefined : webAddress(prtg_url);
  if (url === undefined) return undefined;
  return html`<a class="prtg" href="${url}" target="_blank" rel="noreferrer">${text}<span class="hidden">: ${nameOf(name)}</span></a>`;
}
