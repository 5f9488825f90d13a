/* Characters of JSON as bytes of UTF-8. */

export const OPEN = "[".charCodeAt(0);
export const CLOSE = "]".charCodeAt(0);
export const OPEN_OBJECT = "{".charCodeAt(0);
export const CLOSE_OBJECT = "}".charCodeAt(0);
export const COMMA = ",".charCodeAt(0);
export const COLON = ":".charCodeAt(0);
export const QUOTE = '"'.charCodeAt(0);
export const BACKSLASH = "\\".charCodeAt(0);
