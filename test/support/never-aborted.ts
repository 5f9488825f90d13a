/** Signal that never aborts, for calls that need one. */
export const never = new AbortController().signal;
