interface CatalogueEntry {
  readonly meaning: string;
  readonly remedy: string;
  /** Set if every other request to the server would fail too. `credentials`: also if they may be at the wrong address. */
  readonly scope?: "connection" | "server" | "credentials";
}

/** `docs/errors.md` is generated from it. */
export const ERROR_CATALOGUE = {
  CONFIG_NOT_FOUND: {
    meaning: "The configuration file cannot be read.",
    remedy: "Check the path in --config.file, the permissions of the file, and its encoding (UTF-8).",
  },
  CONFIG_SYNTAX: {
    meaning: "The configuration file is not valid YAML.",
    remedy:
      "Correct the line and column in the message. A file may have at most 1 MiB, 100 levels and 10,000 items in one list or map.",
  },
  CONFIG_INVALID: {
    meaning: "A key, type or value in the configuration is wrong.",
    remedy:
      "Correct the line and column in the message. All keys: https://prtg-exporter.github.io/prtg-exporter/configuration",
  },
  CONFIG_VARIABLE_UNSET: {
    meaning: "The configuration refers to an environment variable that is not set.",
    remedy: "Set the variable, or give a default with ${NAME:-default}.",
  },
  CONFIG_NO_SERVER: {
    meaning: "No server is configured.",
    remedy: "Give --config.file with a servers list, or set PRTG_URL and PRTG_API_KEY_FILE.",
  },
  MEMORY_LIMIT_TOO_LOW: {
    meaning: "The memory limit of the container or service is too low to start the exporter.",
    remedy:
      "The exporter starts with 112 MiB. Set at least 128 MiB for a few thousand channels. For more: https://prtg-exporter.github.io/prtg-exporter/sizing",
  },
  SHARD_INVALID: {
    meaning: "The value of --shard is not a valid shard.",
    remedy: "Use i/n for replica i of n, with i from 0 to n - 1. In a StatefulSet, i is the ordinal of the pod.",
  },
  RULES_UNREADABLE: {
    meaning: "A file with mapping rules cannot be read.",
    remedy: "Check the path in mapping.files, the permissions of the file, and its encoding (UTF-8).",
  },
  SERVERS_UNREADABLE: {
    meaning: "A file of servers_from cannot be read. Its servers keep their previous configuration.",
    remedy: "Check the permissions of the file, its encoding (UTF-8) and size (at most 1 MiB), or remove it.",
  },
  MAP_SERVER_UNKNOWN: {
    meaning: "The command map does not know this server.",
    remedy: "Set --server to the name of a configured server or of a server in the recording.",
  },
  MAP_SENSOR_UNKNOWN: {
    meaning: "The command map does not find a sensor with this id.",
    remedy: "Use the id of the label sensor_id, and check that the PRTG user can see the sensor.",
  },
  RECORDING_UNREADABLE: {
    meaning: "A recording cannot be read.",
    remedy: "Check the path in --recording and the permissions of the file.",
  },
  RECORDING_UNWRITABLE: {
    meaning: "A recording cannot be written.",
    remedy: "Check the path in --save and the permissions of its folder.",
  },
  RECORDING_INVALID: {
    meaning: "The file is not a recording, or has an unknown version.",
    remedy: "Record it again with map --all --save.",
  },
  REPORT_UNWRITABLE: {
    meaning: "The server report cannot be written.",
    remedy: "Check the path in --report and the permissions of its folder.",
  },
  REPORT_UNREADABLE: {
    meaning: "The server report cannot be read.",
    remedy: "Check the path in --from-report and the permissions of the file.",
  },
  REPORT_INVALID: {
    meaning: "The file is not a server report, or has an unknown version.",
    remedy: "Create it again with check --report.",
  },
  SECRET_UNREADABLE: {
    scope: "credentials",
    meaning: "A secret file cannot be read, is empty, or contains something else.",
    remedy:
      "Check the path and the permissions of the file. A file with an API key, password or header must contain only that: one line of UTF-8 text (PowerShell: `Set-Content -Encoding ascii`). A tls.key_file must contain one private key in PEM without a passphrase (from a PFX: `openssl pkcs12 -in FILE -nocerts -nodes`).",
  },
  SECRET_EXPOSED: {
    scope: "credentials",
    meaning: "Other users can read a secret file, and `strict_secret_files` is set.",
    remedy: "Set mode 600, or 640 if root owns the file. In Kubernetes, set defaultMode: 0440 and an fsGroup.",
  },
  CA_UNREADABLE: {
    meaning: "A certificate file cannot be read or has no PEM certificate.",
    remedy: "Check tls.ca_file and tls.cert_file. Each must contain one or more PEM certificates.",
  },
  INIT_ANSWER_MISSING: {
    meaning: "`init` needs an answer, and there is no terminal to ask.",
    remedy:
      "Set the flags or variables in the message, or run init in a terminal. `prtg-exporter init --help` lists all.",
  },
  INIT_URL_INVALID: {
    meaning: "The URL for `init` is not the URL of a server.",
    remedy: "Give the URL of the PRTG web interface or of API v2, such as https://prtg.example.com:1616.",
  },
  INIT_NO_API: {
    meaning: "No port of the server answers as API v2.",
    remedy:
      "Activate API v2 on the server, check its name, and allow TCP port 1616 from this machine to the server (https://prtg-exporter.github.io/prtg-exporter/getting-started).",
  },
  INIT_FILE_EXISTS: {
    meaning: "`init` would replace a file.",
    remedy:
      "Choose another path in --out, or replace the files with --force. If the key is already in a file, set --server.api-key-file.",
  },
  INIT_UNWRITABLE: {
    meaning: "`init` cannot write the configuration.",
    remedy: "Check the path in --out and the permissions of its directory.",
  },
  PASSWORD_UNUSABLE: {
    meaning: "`hash-password` cannot hash this password.",
    remedy: "Give one line of 1 to 72 bytes, on the terminal or on standard input.",
  },
  READY_FILE_UNWRITABLE: {
    meaning: "The simulator cannot write the file that says that it listens.",
    remedy: "Check the path in --ready-file and the permissions of its folder.",
  },
  WORLD_IMPOSSIBLE: {
    meaning: "The simulator cannot create a world with these sizes.",
    remedy: "Change the sizes in the message.",
  },
  SCENARIO_INVALID: {
    meaning: "The scenario cannot be read, or does not fit the simulated world.",
    remedy:
      "Correct the line and column in the message. All keys: https://prtg-exporter.github.io/prtg-exporter/simulator",
  },
  WEB_CONFIG_UNREADABLE: {
    meaning: "The file in --web.config.file, or a file that it refers to, cannot be read.",
    remedy: "Check the permissions and the path. Paths in the file are relative to its directory.",
  },
  WEB_CONFIG_INVALID: {
    meaning: "A key or value in --web.config.file is invalid or contradicts another one.",
    remedy:
      "Correct the line and column in the message. All keys: https://prtg-exporter.github.io/prtg-exporter/web-configuration",
  },
  LISTEN_FAILED: {
    meaning: "The exporter cannot listen on the requested address.",
    remedy: "Choose another --web.listen-address, or stop the program that uses this one.",
  },
  API_CONNECTION_FAILED: {
    scope: "connection",
    meaning: "The exporter cannot connect to the server.",
    remedy:
      "Check servers[].url, DNS, firewalls and that the PRTG application server runs (port 1616 for HTTPS, 1615 for HTTP).",
  },
  API_TLS_UNTRUSTED: {
    scope: "connection",
    meaning: "The certificate of the server is not trusted.",
    remedy:
      "Set tls.ca_file to the issuing CA (self-signed: to the certificate). If only the name differs, set tls.server_name.",
  },
  API_TLS_FINGERPRINT: {
    scope: "connection",
    meaning: "The certificate of the server does not match `tls.fingerprints`.",
    remedy:
      "If the certificate was renewed, add the fingerprint of the message to tls.fingerprints. If not, another machine may intercept the connection.",
  },
  API_TLS_CLIENT_REFUSED: {
    scope: "connection",
    meaning: "The server requires a client certificate, or refuses the one of the exporter.",
    remedy: "Set tls.cert_file and tls.key_file to a valid certificate that the server trusts.",
  },
  API_TLS_FAILED: {
    scope: "connection",
    meaning: "The TLS handshake failed.",
    remedy: "Check that the scheme of the URL matches the port: 1616 is HTTPS, 1615 is HTTP.",
  },
  API_PROXY_UNAUTHORIZED: {
    scope: "connection",
    meaning: "The proxy in `proxy_url` requires credentials or refuses them (407).",
    remedy: "Set or correct username and password_file in proxy_auth. The exporter supports Basic authentication.",
  },
  API_PROXY_FAILED: {
    scope: "connection",
    meaning: "The proxy in `proxy_url` is unreachable, or does not connect to the server.",
    remedy:
      "Check proxy_url. Check that the proxy runs, reaches the server and allows CONNECT to its port (Squid: SSL_ports).",
  },
  API_TIMEOUT: {
    meaning: "The server did not answer in time.",
    remedy: "Raise limits.timeout, or check the load of the core server.",
  },
  API_REDIRECTED: {
    scope: "credentials",
    meaning: "The server answered with a redirect. API v2 never redirects.",
    remedy:
      "Correct the port in servers[].url, which probably belongs to the classic web server. API v2 listens on 1616 (HTTPS) or 1615 (HTTP).",
  },
  API_WRONG_PORT: {
    scope: "credentials",
    meaning: "The classic web server answered instead of API v2.",
    remedy: "Correct the port in servers[].url. API v2 listens on 1616 (HTTPS) or 1615 (HTTP).",
  },
  API_NOT_JSON: {
    meaning: "The answer of the server is not JSON of API v2.",
    remedy: "Check servers[].url. Perhaps a proxy or the classic web server answers. API v2 listens on 1616.",
  },
  API_VALUES_UNREADABLE: {
    meaning: "The exporter cannot read any channel value.",
    remedy: "Report it with the server version and a recording (map --all --save). This is a bug of the exporter.",
  },
  API_RESPONSE_TOO_LARGE: {
    meaning: "An answer exceeded limits.max_response_size.",
    remedy: "If the server works correctly, raise limits.max_response_size.",
  },
  API_LIST_TOO_LARGE: {
    meaning: "A list or time series exceeds a limit for objects, text, pages, values or time.",
    remedy:
      "If the server works correctly, raise the key in the message and check the memory (https://prtg-exporter.github.io/prtg-exporter/sizing). Until then, the previous data stays.",
  },
  API_MEMORY_FULL: {
    meaning: "A list does not fit in the heap of Node.js, in addition to the known data of all servers.",
    remedy:
      "Raise the memory limit of the container or `--max-old-space-size` (https://prtg-exporter.github.io/prtg-exporter/sizing). Until then, the previous data stays.",
  },
  API_UNAUTHORIZED: {
    scope: "credentials",
    meaning: "The server refused the API key or the session.",
    remedy: "Check the API key, or the user name and password. Deleted keys and keys of the classic API do not work.",
  },
  API_LOGIN_FAILED: {
    scope: "credentials",
    meaning: "Login with user name and password failed.",
    remedy: "Check auth.username and auth.password_file, and that the account is active.",
  },
  API_FORBIDDEN: {
    meaning: "The user has no access to this endpoint.",
    remedy: "Give the user read access to the objects, and the API key the access level READ.",
  },
  API_NOT_FOUND: {
    meaning: "The endpoint or object does not exist on the server.",
    remedy: "If all endpoints are missing, activate API v2 on the server, or correct the path of the URL.",
  },
  API_BAD_REQUEST: {
    meaning: "The server refused the request as invalid.",
    remedy: "Report it with the request ID. The exporter sends only documented requests.",
  },
  API_FILTER_REFUSED: {
    meaning: "The server refused a filter of servers[].select.",
    remedy: "Correct the filter as the message says. Until then, the previous data stays.",
  },
  API_RATE_LIMITED: {
    meaning: "The server limits the request rate.",
    remedy: "Lower limits.requests_per_second, or poll less often.",
  },
  API_EXECUTION_TIMEOUT: {
    meaning: "The server aborted a request after its own time limit.",
    remedy: "The exporter reduces its page size. If the error persists, check the load of the core server.",
  },
  API_SERVER_ERROR: {
    meaning: "The server answered with an internal error.",
    remedy: "Search the logs of the application server for the request ID.",
  },
  API_UNAVAILABLE: {
    scope: "server",
    meaning: "The application server has no working connection to its core server.",
    remedy: "Check that the core server service runs. The exporter then resumes polling.",
  },
  API_LICENSE_INACTIVE: {
    scope: "server",
    meaning: "The PRTG license is invalid or expired.",
    remedy: "Activate the license in PRTG.",
  },
  API_ENDPOINT_MISSING: {
    meaning: "The server lacks this endpoint and its alternatives.",
    remedy: "Update the server, or disable the collector that needs it.",
  },
  API_SUSPENDED: {
    meaning: "The exporter pauses requests after repeated failures.",
    remedy: "Nothing. The exporter retries.",
  },
  STATE_DIR_BUSY: {
    meaning:
      "Another exporter with the same `state_dir` pushes the same server, or runs `sync`. Both would push every value, or make each change twice.",
    remedy:
      "Stop the other exporter, or give each exporter its own state_dir and servers. The lock ends with its process.",
  },
  STATE_FILE_NEWER: {
    meaning: "A newer release wrote a file in `state_dir`, or the files of an unfinished backfill.",
    remedy:
      "Start the newer release again, or move the file away. What the exporter then repeats: https://prtg-exporter.github.io/prtg-exporter/stability",
  },
  LEADER_ELECTION_INVALID: {
    meaning: "The durations of the leader election contradict each other.",
    remedy:
      "Set --leader-elect-lease-duration to at least 1.25 times --leader-elect-renew-deadline, and that to at least twice --leader-elect-retry-period.",
  },
  NOT_IN_CLUSTER: {
    meaning: "--leader-elect needs a Kubernetes pod with a service account token.",
    remedy:
      "Mount the token of the service account (automountServiceAccountToken), as the chart does with leaderElection.enabled.",
  },
  LEASE_FORBIDDEN: {
    meaning: "The exporter has no permission for its Lease in Kubernetes.",
    remedy:
      "Give the service account a Role with get and update on this Lease (coordination.k8s.io), and create if the Lease does not exist.",
  },
  LEASE_UNAVAILABLE: {
    meaning: "The Kubernetes API server does not answer, or answers with an error.",
    remedy:
      "If the error persists, check the NetworkPolicy between pod and API server, and the name and namespace of the Lease.",
  },
  ALERTMANAGER_UNREACHABLE: {
    meaning: "Alertmanager cannot be reached, does not answer in time, or answers with an internal error.",
    remedy: "Check sync.alertmanager.url, its TLS and proxy settings, and that Alertmanager runs.",
  },
  ALERTMANAGER_REFUSED: {
    meaning: "Alertmanager refused a request.",
    remedy:
      "For 401 and 403, check the credentials of sync.alertmanager and their rights: Grafana needs rights to read alerts and to create silences. For 404, check the path of sync.alertmanager.url. Other answers say what is wrong.",
  },
  ALERTMANAGER_ANSWER: {
    meaning: "The answer is not the expected JSON of Alertmanager's API v2.",
    remedy:
      "Check sync.alertmanager.url: perhaps a login page or a proxy answers. The Alertmanager of Grafana has the path /api/alertmanager/grafana.",
  },
  SYNC_STATE_UNWRITABLE: {
    meaning: "`sync` cannot write its memory in `state_dir`. It changes nothing until it can.",
    remedy:
      "Check that state_dir is a directory that the user of sync may read and write, and its free space. Two services with different users need different folders.",
  },
  SYNC_AUDIT_UNWRITABLE: {
    meaning: "`sync` cannot write its audit log. It changes nothing until it can.",
    remedy:
      "Check that sync.audit_log is a file that the user of sync may write or create in an existing folder, and the free space.",
  },
  BACKFILL_RANGE_INVALID: {
    meaning: "The time range of the backfill is invalid.",
    remedy:
      "Set --from and --to to a time such as 2026-03-01T00:00:00Z, or to an age such as 60d. PRTG keeps 365 days.",
  },
  BACKFILL_SERVER_UNKNOWN: {
    meaning: "The server of the backfill is missing or unknown.",
    remedy: "Set --server to the name of a configured server.",
  },
  BACKFILL_LABEL_TAKEN: {
    meaning: "A name in --label is already a label of the series.",
    remedy: "Choose another name in --label, or rename the label of the series in the section labels or in its rule.",
  },
  BACKFILL_NOTHING_SELECTED: {
    meaning: "The filters of the backfill match no sensor with served channels.",
    remedy:
      "Compare --path, --kind and --tag with the labels of prtg_sensor_info. --path matches the whole path: Berlin/** selects everything below Berlin.",
  },
  BACKFILL_LIST_MOVED: {
    meaning: "The objects of the server changed each time the backfill listed them.",
    remedy: "Run it again at a time with fewer changes on the server.",
  },
  BACKFILL_OTHER_PARAMETERS: {
    meaning: "The folder has an unfinished backfill with other parameters.",
    remedy:
      "To continue it, use its flags, labels and mapping. Otherwise delete the folder, or choose another --output.",
  },
  BACKFILL_OVERLAP: {
    meaning: "The output folder or the receiver already has history of this time range.",
    remedy: "Choose another time range. For files, choose another --output. For a push, choose other sensors.",
  },
  BACKFILL_BUSY: {
    meaning: "Another process is writing to the output folder.",
    remedy: "Wait until it ends, or stop it.",
  },
  BACKFILL_DAMAGED: {
    meaning: "The files of an unfinished backfill are damaged.",
    remedy: "Delete the folder or choose another --output. Then run it again.",
  },
  BACKFILL_OUTPUT_UNUSABLE: {
    meaning: "The output folder cannot be read or written.",
    remedy: "Check its permissions and the free space. Then run the same command again to continue.",
  },
  BACKFILL_NO_RECEIVER: {
    meaning: "--push needs an OTLP receiver, and none is configured.",
    remedy: "Set otlp.endpoint or OTEL_EXPORTER_OTLP_ENDPOINT, and remove OTEL_SDK_DISABLED.",
  },
  BACKFILL_NO_STATE_DIR: {
    meaning: "--push needs state_dir to store its progress.",
    remedy: "Set state_dir in the configuration file.",
  },
  BACKFILL_RECEIVER_AWAY: {
    meaning: "The OTLP receiver was unreachable or accepted no data for too long.",
    remedy: "Check otlp.endpoint and the credentials. Then run the same command again to continue.",
  },
  BACKFILL_REFUSED: {
    meaning: "The OTLP receiver rejects the history permanently.",
    remedy:
      "Solve the problem in the message, then run the same command again. Prometheus accepts old values only within storage.tsdb.out_of_order_time_window.",
  },
  BACKFILL_SENSORS_FAILED: {
    meaning: "The history of some sensors cannot be read.",
    remedy: "Run the same command again to retry them, or add --skip-failed to finish without them.",
  },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

export function scopeOf(code: ErrorCode): CatalogueEntry["scope"] {
  const { scope }: CatalogueEntry = ERROR_CATALOGUE[code];
  return scope;
}
