/** Paths relative to `makeCertificates`. */
interface WebConfigCase {
  readonly title: string;
  readonly yaml: string;
  /** `line:column` and words. Undefined: accepted. */
  readonly refused?: readonly [position: string, words: string];
}

const TLS = "tls_server_config:\n  cert_file: server.pem\n  key_file: server.key\n";

/** Lowest cost. Passwords: "wonderland", "lewis". */
export const ALICE = "$2y$04$.mB3hjyTXma0Ek.x78bTFO0UNod6FXSR6KVwYcvd5wwSszgk6rdpi";
export const CAROL = "$2y$04$l.8JI5guyxQMt9ItzbALteZRL/UcVylaLoZjrMFKqiDvo4XjhkaN6";

/** From exporter-toolkit's tests, in our words. It rejects some only at the start of the server. */
export const TOOLKIT_CASES: readonly WebConfigCase[] = [
  { title: "an empty file", yaml: "" },
  { title: "lines of random letters", yaml: "kWzPq81LmTTb\nXw03hyAAmcRu\nq7vJ2nPz0sKd\n", refused: ["1:1", "a map"] },
  {
    title: "a misspelt key",
    yaml: "tls_server_config:\n  cert_fiel: server.pem\n",
    refused: ["2:3", "did you mean `cert_file`?"],
  },
  {
    title: "an empty path of the certificate",
    yaml: 'tls_server_config:\n  cert_file: ""\n  key_file: server.key\n',
    refused: ["2:14", "expected a certificate"],
  },
  {
    title: "an empty certificate",
    yaml: 'tls_server_config:\n  cert: ""\n  key_file: server.key\n',
    refused: ["2:3", "expected a certificate"],
  },
  {
    title: "an empty path of the key",
    yaml: 'tls_server_config:\n  cert_file: server.pem\n  key_file: ""\n',
    refused: ["3:13", "the key of the certificate"],
  },
  {
    title: "an empty key",
    yaml: 'tls_server_config:\n  cert_file: server.pem\n  key: ""\n',
    refused: ["2:3", "the key of the certificate"],
  },
  {
    title: "two empty paths and a policy that does not exist",
    yaml: 'tls_server_config:\n  cert_file: ""\n  key_file: ""\n  client_auth_type: ask-nicely\n',
    refused: ["4:21", "RequireAndVerifyClientCert"],
  },
  {
    title: "a certificate file that does not exist",
    yaml: "tls_server_config:\n  cert_file: nowhere.pem\n  key_file: server.key\n",
    refused: ["2:14", "no such file"],
  },
  {
    title: "a key file that does not exist",
    yaml: "tls_server_config:\n  cert_file: server.pem\n  key_file: nowhere.key\n",
    refused: ["3:13", "no such file"],
  },
  {
    title: "two files that do not exist",
    yaml: "tls_server_config:\n  cert_file: nowhere.pem\n  key_file: nowhere.key\n",
    refused: ["2:14", "no such file"],
  },
  {
    title: "authorities of clients, but no policy (a file without certificates)",
    yaml: `${TLS}  client_ca_file: /dev/null\n`,
    refused: ["4:19", "client_auth_type"],
  },
  {
    title: "authorities of clients, but no policy (a file that does not exist)",
    yaml: `${TLS}  client_ca_file: nowhere.pem\n`,
    refused: ["4:19", "no such file"],
  },
  {
    title: "a password instead of a hash",
    yaml: `${TLS}basic_auth_users:\n  john: open-sesame\n`,
    refused: ["5:9", "bcrypt hash"],
  },
  {
    title: "an invented cipher suite",
    yaml: `${TLS}  client_auth_type: VerifyClientCertIfGiven\n  cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_512_GCM_SHA9000]\n`,
    refused: ["5:19", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"],
  },
  {
    title: "an invented curve",
    yaml: `${TLS}  client_auth_type: VerifyClientCertIfGiven\n  curve_preferences: [CurveP999]\n`,
    refused: ["5:23", "CurveP256"],
  },
  {
    title: "an invented version of TLS",
    yaml: `${TLS}  client_auth_type: VerifyClientCertIfGiven\n  min_version: TLS42\n`,
    refused: ["5:16", "TLS13"],
  },
  { title: "a certificate and key in files", yaml: `${TLS}  client_auth_type: VerifyClientCertIfGiven\n` },
  {
    title: "a certificate and key in the file itself",
    yaml: "tls_server_config:\n  cert: |\n<server.pem>\n  key: |\n<server.key>\n  client_auth_type: VerifyClientCertIfGiven\n",
  },
  {
    title: "every cipher suite",
    yaml: `${TLS}  client_auth_type: VerifyClientCertIfGiven
  cipher_suites:
    - TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
    - TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384
    - TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256
    - TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384
    - TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256
    - TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256
    - TLS_AES_128_GCM_SHA256
    - TLS_AES_256_GCM_SHA384
    - TLS_CHACHA20_POLY1305_SHA256
    - TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA
    - TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA
    - TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA
    - TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA
`,
  },
  {
    title: "some cipher suites, for TLS 1.2 alone",
    yaml: `${TLS}  cipher_suites: [TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384]\n  min_version: TLS12\n  max_version: TLS12\n`,
  },
  {
    title: "some cipher suites, of which the client chooses",
    yaml: `${TLS}  cipher_suites: [TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256]\n  prefer_server_cipher_suites: false\n  min_version: TLS12\n  max_version: TLS12\n`,
  },
  { title: "every curve", yaml: `${TLS}  curve_preferences: [CurveP256, CurveP384, CurveP521, X25519]\n` },
  { title: "one curve, with TLS 1.3 alone", yaml: `${TLS}  min_version: TLS13\n  curve_preferences: [CurveP521]\n` },
  {
    title: "a suite that HTTP/2 does without, where HTTP/2 is off",
    yaml: `${TLS}  cipher_suites: [TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384]\n  max_version: TLS12\nhttp_server_config:\n  http2: false\n`,
  },
  {
    title: "a suite that HTTP/2 cannot do without is missing, and HTTP/2 is on",
    yaml: `${TLS}  cipher_suites: [TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384]\n  max_version: TLS12\n`,
    refused: ["4:18", "http2"],
  },
  {
    title: "every header",
    yaml: `http_server_config:
  headers:
    X-Frame-Options: sameorigin
    Strict-Transport-Security: max-age=86400; includeSubDomains
    X-Content-Type-Options: nosniff
    X-XSS-Protection: 1
    Content-Security-Policy: "default-src 'self' *.example.com"
`,
  },
  {
    title: "a value that X-Content-Type-Options does not have",
    yaml: "http_server_config:\n  headers:\n    X-Content-Type-Options: sniff\n",
    refused: ["3:29", "nosniff"],
  },
  {
    title: "a value that X-Frame-Options does not have",
    yaml: "http_server_config:\n  headers:\n    X-Frame-Options: perhaps\n",
    refused: ["3:22", "deny, sameorigin"],
  },
  {
    title: "a header that is not to be set",
    yaml: "http_server_config:\n  headers:\n    Content-Type: image/png\n",
    refused: ["3:5", "unknown key"],
  },
  { title: "any certificate of clients", yaml: `${TLS}  client_auth_type: RequireAnyClientCert\n` },
  {
    title: "any certificate of clients, and the key in the file itself",
    yaml: "tls_server_config:\n  cert_file: server.pem\n  key: |\n<server.key>\n  client_auth_type: RequireAnyClientCert\n",
  },
  {
    title: "certificates of clients from an authority",
    yaml: `${TLS}  client_auth_type: RequireAndVerifyClientCert\n  client_ca_file: ca.pem\n`,
  },
  {
    title: "certificates of clients without an authority",
    yaml: `${TLS}  client_auth_type: RequireAndVerifyClientCert\n`,
  },
  {
    title: "certificates of clients with one of some names",
    yaml: `${TLS}  client_auth_type: RequireAndVerifyClientCert\n  client_ca_file: ca.pem\n  client_allowed_sans: [one, scraper.example.com, two]\n`,
  },
  {
    title: "certificates of clients with a name that none has",
    yaml: `${TLS}  client_auth_type: RequireAndVerifyClientCert\n  client_ca_file: ca.pem\n  client_allowed_sans: [nobody]\n`,
  },
  { title: "no limit of the rate", yaml: "rate_limit:\n  interval: 0\n  burst: 0\n" },
  { title: "a limit of the rate that lets nothing through", yaml: 'rate_limit:\n  interval: "1s"\n  burst: 0\n' },
  {
    title: "users over TLS",
    yaml: `${TLS}basic_auth_users:\n  alice: ${ALICE}\n  bob: ${ALICE.replace("04", "18")}\n`,
  },
  { title: "users without TLS", yaml: `basic_auth_users:\n  alice: ${ALICE}\n` },
];

export const FURTHER_CASES: readonly WebConfigCase[] = [
  {
    title: "sections without content",
    yaml: "tls_server_config:\nhttp_server_config:\nbasic_auth_users:\nrate_limit:\n",
  },
  { title: "the older name of a policy", yaml: `${TLS}  client_auth_type: RequireClientCert\n` },
  {
    title: "authorities of clients in the file itself",
    yaml: `${TLS}  client_auth_type: RequireAndVerifyClientCert\n  client_ca: |\n<ca.pem>\n`,
  },
  { title: "both forms of the certificate: the path counts", yaml: `${TLS}  cert: nonsense\n  key: nonsense\n` },
  { title: "booleans of YAML 1.1", yaml: "http_server_config:\n  http2: off\n" },
  {
    title: "dollars that would be references elsewhere",
    yaml: 'http_server_config:\n  headers:\n    X-XSS-Protection: "1; report=${HOME}$$"\n',
  },
  {
    title: "other spellings of bcrypt",
    yaml: `basic_auth_users:\n  a: ${ALICE.replace("2y", "2a")}\n  b: ${ALICE.replace("2y", "2b")}\n`,
  },
  { title: "durations as Go writes them", yaml: "rate_limit:\n  interval: 1m1.5s\n  burst: 3\n" },
  { title: "nanoseconds", yaml: "rate_limit:\n  interval: 1000000000\n  burst: 3\n" },
  { title: "TLS 1.0 for those who insist", yaml: `${TLS}  min_version: TLS10\n` },
  { title: "a duration that is none", yaml: "rate_limit:\n  interval: soon\n", refused: ["2:13", "duration"] },
  { title: "half a request", yaml: "rate_limit:\n  interval: 1s\n  burst: 1.5\n", refused: ["3:10", "whole number"] },
  {
    title: "versions that leave none",
    yaml: `${TLS}  max_version: TLS11\n`,
    refused: ["4:16", "no TLS version between"],
  },
  {
    title: "the key of another certificate",
    yaml: "tls_server_config:\n  cert_file: server.pem\n  key_file: client.key\n",
    refused: ["3:13", "does not belong"],
  },
  {
    title: "a key where the certificate should be",
    yaml: "tls_server_config:\n  cert_file: server.key\n  key_file: server.key\n",
    refused: ["2:14", "no PEM certificate"],
  },
  {
    title: "a certificate where the key should be",
    yaml: "tls_server_config:\n  cert_file: server.pem\n  key_file: server.pem\n",
    refused: ["3:13", "no private key"],
  },
  {
    title: "authorities that are none",
    yaml: `${TLS}  client_auth_type: RequireAndVerifyClientCert\n  client_ca_file: server.key\n`,
    refused: ["5:19", "no PEM certificate"],
  },
  {
    title: "a directory",
    yaml: "tls_server_config:\n  cert_file: .\n  key_file: server.key\n",
    refused: ["2:14", "directory"],
  },
  { title: "users as a list", yaml: "basic_auth_users:\n  - alice:open-sesame\n", refused: ["2:3", "not shown"] },
  { title: "users as a text", yaml: "basic_auth_users: alice:open-sesame\n", refused: ["1:19", "not shown"] },
  { title: "a number as a password", yaml: "basic_auth_users:\n  alice: 73514268\n", refused: ["2:10", "not shown"] },
  {
    title: "a hash of too low a cost",
    yaml: `basic_auth_users:\n  alice: ${ALICE.replace("04", "03")}\n`,
    refused: ["2:10", "bcrypt hash"],
  },
  {
    title: "half a hash",
    yaml: `basic_auth_users:\n  alice: ${ALICE.slice(0, 40)}\n`,
    refused: ["2:10", "bcrypt hash"],
  },
  { title: "a key twice", yaml: "rate_limit: {}\nrate_limit: {}\n", refused: ["2:1", "twice"] },
  { title: "a tab", yaml: "rate_limit:\n\tburst: 1\n", refused: ["2:1", "tab"] },
  {
    title: "a header that would split the answer",
    yaml: 'http_server_config:\n  headers:\n    X-XSS-Protection: "1\\r\\nX-Evil: 1"\n',
    refused: ["3:23", "valid in an HTTP header"],
  },
  { title: "an unknown section", yaml: "tls_config: {}\n", refused: ["1:1", "Known keys: tls_server_config"] },
];
