/** What npm and the test runner set for this process. `NODE_EXTRA_CA_CERTS` stays: it is about the network. */
const OF_THIS_RUN = /^(npm_|VITEST|NODE_(?!EXTRA_CA)|TEST|PRTG_)/i;

/**
 * The environment as a terminal has it. `npm run` sets variables that another npm would take for its configuration, and
 * puts `node_modules/.bin` on the PATH, where another Node.js is.
 */
export function terminalEnvironment(): NodeJS.ProcessEnv & { readonly PATH: string } {
  const own = Object.entries(process.env).filter(([name]) => !OF_THIS_RUN.test(name));
  const paths = (process.env.PATH ?? "").split(":").filter((folder) => !folder.includes("node_modules"));
  return { ...Object.fromEntries(own), PATH: paths.join(":") };
}
