export interface LandingPageLink {
  readonly path: string;
  readonly text: string;
  readonly description: string;
}

export interface LandingPageContent {
  readonly version: string;
  /** Names of the monitoring servers. */
  readonly servers: readonly string[];
  readonly links: readonly LandingPageLink[];
}

/** The page at `/`: what this is and where to go; plain HTML, no script. */
export function renderLandingPage(content: LandingPageContent): string {
  const links = content.links.map(
    ({ path, text, description }) =>
      `<li><a href="${escapeHtml(path)}">${escapeHtml(text)}</a> ${escapeHtml(description)}</li>`,
  );
  const servers = content.servers.map((server) => `<li>${escapeHtml(server)}</li>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>prtg-exporter</title>
<style>
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem; }
</style>
</head>
<body>
<h1>prtg-exporter</h1>
<p>Version ${escapeHtml(content.version)}. PRTG Network Monitor for Prometheus.</p>
<ul>
${links.join("\n")}
</ul>
<h2>Servers</h2>
<ul>
${servers.join("\n")}
</ul>
</body>
</html>
`;
}

const HTML_ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Names come from the monitored world and can hold anything. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => HTML_ESCAPES[character] ?? character);
}
