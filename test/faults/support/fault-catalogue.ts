/** Simulator grammar. */
export interface FaultKind {
  readonly name: string;
  /** Without glob and share. */
  readonly text: string;
  readonly listsOnly?: true;
  /** Second fault, such as small pages. */
  readonly beside?: string;
}

/** `timeoutMs` ends slow answers. */
export function faultKinds(timeoutMs: number): readonly FaultKind[] {
  const slow = `${Math.round(timeoutMs * 1.5)}ms`;
  return [
    { name: "400", text: "error=400" },
    { name: "401 (expired key)", text: "error=401" },
    { name: "403", text: "error=403" },
    { name: "500", text: "error=500" },
    { name: "500 without body", text: "error=500,body=none" },
    { name: "502", text: "error=502" },
    { name: "503", text: "error=503" },
    { name: "503 without body", text: "error=503,body=none" },
    { name: "503 LICENSE_INACTIVE", text: "error=503,code=LICENSE_INACTIVE" },
    { name: "504", text: "error=504" },
    { name: "408 EXECUTION_TIMEOUT", text: "error=408" },
    { name: "EXECUTION_TIMEOUT of large pages", text: "execution-timeout=1500", listsOnly: true },
    { name: "429 with Retry-After", text: "error=429,retry-after=2s" },
    { name: "429 with Wait-For", text: "error=429,wait-for=2s" },
    { name: "429", text: "error=429" },
    { name: "hang", text: "hang" },
    { name: "slow answer", text: `latency=${slow}` },
    { name: "slow drip", text: "drip=64B" },
    { name: "endless body", text: "endless=4MB" },
    { name: "truncated JSON", text: "truncate=0.6" },
    { name: "HTML", text: "html" },
    { name: "wrong content type", text: "content-type=application/xml" },
    { name: "redirect", text: "redirect" },
    { name: "404", text: "missing" },
    { name: "501", text: "missing=501" },
    { name: "connection closed", text: "cut=start" },
    { name: "connection cut in the body", text: "cut" },
    { name: "connection reset", text: "cut=reset" },
    {
      name: "pages that shift (deletion)",
      text: "moving-list=delete",
      listsOnly: true,
      beside: "execution-timeout=800",
    },
    {
      name: "pages that shift (insertion)",
      text: "moving-list=insert",
      listsOnly: true,
      beside: "execution-timeout=800",
    },
    {
      name: "pages that shift (reorder)",
      text: "moving-list=reorder",
      listsOnly: true,
      beside: "execution-timeout=800",
    },
    { name: "wrong total", text: "wrong-total=3", listsOnly: true },
    { name: "odd records", text: "odd-records=5", listsOnly: true },
    { name: "clock ahead", text: "skew=+2h" },
    { name: "clock behind", text: "skew=-2h" },
    { name: "Date header ahead", text: "date=+3h" },
    { name: "Date header behind", text: "date=-3h" },
    { name: "tree of 50 levels", text: "parents=chain", listsOnly: true },
    { name: "cycles of parents", text: "parents=cycle", listsOnly: true },
    { name: "parents of themselves", text: "parents=self", listsOnly: true },
    { name: "lost parents", text: "parents=lost", listsOnly: true },
    { name: "ids that change kind", text: "swapped-kinds", listsOnly: true },
  ];
}

/** Without ids, a client may miss objects. */
export function losesRecords({ text }: FaultKind): boolean {
  return text.startsWith("odd-records");
}

export interface FaultyEndpoint {
  readonly glob: string;
  readonly isList: boolean;
}

/** Globs match each endpoint and its fallback. */
export const ENDPOINTS: readonly FaultyEndpoint[] = [
  { glob: "/health", isList: false },
  { glob: "/version", isList: false },
  { glob: "/session", isList: false },
  { glob: "/sensor-status-summary", isList: false },
  { glob: "/objects/count", isList: false },
  { glob: "*/sensors", isList: true },
  { glob: "*/devices", isList: true },
  { glob: "*/groups", isList: true },
  { glob: "*/probes", isList: true },
  { glob: "*/channels", isList: true },
  { glob: "/lookup-definitions", isList: true },
  { glob: "/experimental/timeseries/*", isList: false },
  { glob: "*", isList: true },
];

/** Faults that spoil an answer of any status. */
const SPOILING = new Set([
  "hang",
  "cut",
  "truncate",
  "html",
  "redirect",
  "missing",
  "error",
  "endless",
  "content-type",
]);

/** `share`: `#0.3`, `#2`, or empty for every request. */
export function faultTexts({ text, beside }: FaultKind, { glob }: FaultyEndpoint, share = ""): readonly string[] {
  return [`${text}@${glob}${share}`, ...(beside === undefined ? [] : [`${beside}@${glob}`])];
}

/** True: the answer is usable. */
export function isSound(status: number | undefined, faults: readonly string[]): boolean {
  if (status === undefined || status >= 300) return false;
  // Without a body, nothing can be spoiled.
  if (status === 204) return true;
  return !faults.some((fault) => SPOILING.has(/^[a-z-]+/.exec(fault)?.[0] ?? ""));
}
