import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Path of a PEM file that `certificates/make-certificates.sh` made. */
export function certificatePath(name: string): string {
  return fileURLToPath(new URL(`./certificates/${name}`, import.meta.url));
}

/** Content of such a file: `ca.pem`, `localhost.pem`, `localhost.key.pem`, ... */
export function certificate(name: string): string {
  return readFileSync(certificatePath(name), "utf8");
}

/** A certificate and its key, as servers take them. */
export function keyPair(name: string): { readonly cert: string; readonly key: string } {
  return { cert: certificate(`${name}.pem`), key: certificate(`${name}.key.pem`) };
}
