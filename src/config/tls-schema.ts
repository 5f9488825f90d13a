import { z } from "zod";
import { filePath, fingerprints, inCode, named, optional, text } from "./fields.ts";

const TLS_VERSIONS = { TLS12: "TLSv1.2", TLS13: "TLSv1.3" } as const;

interface TlsTexts {
  readonly exampleHost: string;
  readonly exampleCa: string;
  /** Consequences of `insecure_skip_verify`. */
  readonly unverified: string;
}

/** TLS to the host in `url`. */
export function tlsSchema({ exampleHost, exampleCa, unverified }: TlsTexts) {
  return z
    .strictObject({
      ca_file: optional(
        filePath(),
        "PEM file with trusted certificates instead of those of Node.js and the system: a CA, or the certificate of the server.",
        exampleCa,
      ),
      server_name: optional(
        text("the name in the server's certificate"),
        "Expected name in the certificate, if it differs from the host in `url`.",
        exampleHost,
      ),
      cert_file: optional(
        filePath(),
        "PEM file with the client certificate. Needs `key_file`. The exporter reads changed files of this section again and uses them for new connections.",
        "/etc/ssl/exporter.pem",
      ),
      key_file: optional(
        filePath(),
        "PEM file with the key of the client certificate, without a passphrase.",
        "/etc/ssl/exporter-key.pem",
      ),
      fingerprints: fingerprints(
        "SHA-256 fingerprints of accepted certificates, with or without colons. Without `ca_file`, only the fingerprint counts.",
      ),
      min_version: optional(named(TLS_VERSIONS), "Minimum TLS version. Default: TLS12, as in Node.js.", "TLS13"),
      insecure_skip_verify: z
        .boolean()
        .prefault(false)
        .meta({
          description:
            `Accept any certificate. Anyone on the network path can then read the credentials. ${unverified}`.trim(),
        }),
    })
    .superRefine((input, context) => {
      const wrong = (key: string, message: string) => context.addIssue({ code: "custom", message, path: [key] });
      if (input.cert_file !== undefined && input.key_file === undefined) wrong("key_file", "the key of cert_file");
      if (input.key_file !== undefined && input.cert_file === undefined)
        wrong("cert_file", "the certificate of key_file");
      if (input.fingerprints !== undefined && input.insecure_skip_verify) {
        const message = "false, because fingerprints already selects the accepted certificates";
        context.addIssue({ code: "custom", message, path: ["insecure_skip_verify"], input: true });
      }
    })
    .transform((input) => inCode(input));
}

export type TlsSettings = z.output<ReturnType<typeof tlsSchema>>;
