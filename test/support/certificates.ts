import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A PEM file from `certificates/make-certificates.sh`. */
export function certificatePath(name: string): string {
  return fileURLToPath(new URL(`./certificates/${name}`, import.meta.url));
}

/** Content of `ca.pem`, `localhost.pem`, `localhost.key.pem`, ... */
export function certificate(name: string): string {
  return readFileSync(certificatePath(name), "utf8");
}

export function keyPair(name: string): { readonly cert: string; readonly key: string } {
  return { cert: certificate(`${name}.pem`), key: certificate(`${name}.key.pem`) };
}
