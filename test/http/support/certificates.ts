import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Keys next to certificates: `server.pem`, `server.key`. */
export interface Certificates {
  readonly folder: string;
  path(name: string): string;
  read(name: string): string;
  /** From the test's CA, or self-signed. */
  issue(name: string, options?: IssueOptions): void;
  remove(): void;
}

interface IssueOptions {
  /** OpenSSL format. Default: `DNS:localhost,IP:127.0.0.1`. */
  readonly names?: string;
  readonly selfSigned?: boolean;
  readonly key?: "ec" | "rsa";
}

const KEYS = { ec: ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"], rsa: ["rsa:2048"] } as const;

/** CA `ca`, `server` (RSA), `client`. */
export function makeCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), "prtg-exporter-certificates-"));
  const openssl = (...args: string[]) => void execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  const issue = (name: string, { names, selfSigned = false, key = "ec" }: IssueOptions = {}): void => {
    const signer = selfSigned ? [] : ["-CA", "ca.pem", "-CAkey", "ca.key"];
    openssl(
      ...["req", "-x509", "-newkey", ...KEYS[key], "-nodes", "-days", "2", "-subj", `/CN=${name}`, ...signer],
      ...["-keyout", `${name}.key`, "-out", `${name}.pem`],
      ...["-addext", `subjectAltName=${names ?? "DNS:localhost,IP:127.0.0.1"}`],
      ...["-addext", "basicConstraints=critical,CA:FALSE"],
    );
  };
  openssl(
    ...["req", "-x509", "-newkey", ...KEYS.ec, "-nodes", "-days", "2", "-subj", "/CN=authority of the tests"],
    ...["-keyout", "ca.key", "-out", "ca.pem"],
  );
  issue("server", { key: "rsa" });
  issue("client", {
    names: "DNS:scraper.example.com,email:scraper@example.com,IP:2001:db8::1,URI:spiffe://example/prom",
  });
  return {
    folder,
    path: (name) => join(folder, name),
    read: (name) => readFileSync(join(folder, name), "utf8"),
    issue,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
