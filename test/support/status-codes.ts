/** The specification's status tokens in order, deliberately repeated here. */
export const TOKENS =
  "none unknown collecting up warning down disconnected pausedbyuser pausedbydependency pausedbyschedule unusual pausedbylicense pauseduntil acknowledged partialdown".split(
    " ",
  );

export function parseStatusCode(token: string): number {
  const code = TOKENS.indexOf(token);
  if (code < 0) throw new Error(`no status ${token}`);
  return code;
}
