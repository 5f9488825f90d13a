/** Longest glob in characters. It bounds the time to match a glob and to search for near names. */
export const MAX_GLOB_LENGTH = 1000;

/** One character, or any number of them. `undefined` in `only`: any character. `segment`: no slash. */
export interface GlobPiece {
  readonly only: string | undefined;
  readonly segment: boolean;
  readonly many: boolean;
}

export interface GlobPattern {
  readonly glob: string;
  test(text: string): boolean;
}

/** `*` matches any characters, `{id}` one part of a path. */
export function globPattern(glob: string): GlobPattern {
  const pieces = piecesOf(glob);
  return { glob, test: (text) => matches(pieces, text) };
}

/** `*` is any text, `{id}` at least one character without a slash. */
export function piecesOf(glob: string): readonly GlobPiece[] {
  return glob.split(/(\*+|\{\w+\})/).flatMap((part): GlobPiece[] => {
    if (part.startsWith("*")) return [{ only: undefined, segment: false, many: true }];
    if (/^\{\w+\}$/.test(part)) {
      const piece = { only: undefined, segment: true };
      return [
        { ...piece, many: false },
        { ...piece, many: true },
      ];
    }
    return [...part].map((only) => ({ only, segment: false, many: false }));
  });
}

/** Follows all ways to match at once. Backtracking takes exponential time for globs such as `*a*a*a*b`. */
function matches(pieces: readonly GlobPiece[], text: string): boolean {
  // 1 at n: the first n pieces can match the text so far.
  let reached = new Uint8Array(pieces.length + 1);
  reached[0] = 1;
  // A piece of many characters also matches none.
  for (let at = 0; pieces[at]?.many === true; at++) reached[at + 1] = 1;
  for (const character of text) {
    const next = new Uint8Array(pieces.length + 1);
    for (let at = 0; at < pieces.length; at++) {
      const piece = pieces[at] as GlobPiece;
      if (reached[at] === 1 && accepts(piece, character)) next[piece.many ? at : at + 1] = 1;
      if (piece.many && next[at] === 1) next[at + 1] = 1;
    }
    if (!next.includes(1)) return false;
    reached = next;
  }
  return reached[pieces.length] === 1;
}

function accepts({ only, segment }: GlobPiece, character: string): boolean {
  return only === undefined ? !(segment && character === "/") : only === character;
}
