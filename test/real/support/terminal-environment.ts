/** Keeps `NODE_EXTRA_CA_CERTS`, which the network needs. */
const OF_THIS_RUN = /^(npm_|VITEST|NODE_(?!EXTRA_CA)|TEST|PRTG_)/i;

/** Like a terminal. `npm run` sets variables that another npm reads, and adds another Node.js to PATH. */
export function terminalEnvironment(): NodeJS.ProcessEnv & { readonly PATH: string } {
  const own = Object.entries(process.env).filter(([name]) => !OF_THIS_RUN.test(name));
  const paths = (process.env.PATH ?? "").split(":").filter((folder) => !folder.includes("node_modules"));
  return { ...Object.fromEntries(own), PATH: paths.join(":") };
}
