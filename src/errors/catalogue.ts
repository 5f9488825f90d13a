/** `docs/errors.md` is generated from it. */
export const ERROR_CATALOGUE = {
  CONFIG_NOT_FOUND: {
    meaning: "The configuration file cannot be read.",
    remedy: "Check the path given to --config.file, the permissions of the file, and that it is UTF-8.",
  },
  CONFIG_SYNTAX: {
    meaning: "The configuration file is not valid YAML.",
    remedy:
      "Correct the line and column that the message names. A file has at most 1 MiB, 100 levels and 10,000 items in one list or map.",
  },
  CONFIG_INVALID: {
    meaning: "A key, type or value in the configuration is wrong.",
    remedy: "Correct the line and column that the message names; docs/configuration.md lists every key.",
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
    meaning: "The container or service may have less memory than the exporter needs to begin.",
    remedy: "Give it 128 MB for some thousand channels, or more: docs/sizing.md has figures.",
  },
  SHARD_INVALID: {
    meaning: "What was given to --shard is not one of the shards.",
    remedy: "Give i/n, the i-th of n replicas, with i from 0 to n - 1; in a StatefulSet i is the ordinal of the pod.",
  },
  RULES_UNREADABLE: {
    meaning: "A file with mapping rules cannot be read.",
    remedy: "Check the path in mapping.files, that the user of the exporter may read it, and that it is UTF-8.",
  },
  SERVERS_UNREADABLE: {
    meaning: "A file of servers_from cannot be read; its servers stay as they were.",
    remedy: "Check that it is a UTF-8 file of at most 1 MiB that the user of the exporter may read, or remove it.",
  },
  MAP_SERVER_UNKNOWN: {
    meaning: "There is no server of the name that was given to map.",
    remedy: "Give --server with the name of a configured server, or of one in the recording.",
  },
  MAP_SENSOR_UNKNOWN: {
    meaning: "There is no sensor with the id that was given to map.",
    remedy: "Give the id as in the label sensor_id, and check that the user may see the sensor.",
  },
  RECORDING_UNREADABLE: {
    meaning: "A recording cannot be read.",
    remedy: "Check the path given to --recording and the permissions of the file.",
  },
  RECORDING_UNWRITABLE: {
    meaning: "A recording cannot be written.",
    remedy: "Check the path given to --save and the permissions of its folder.",
  },
  RECORDING_INVALID: {
    meaning: "A file is not a recording that this version can read.",
    remedy: "Write it anew with map --all --save.",
  },
  REPORT_UNWRITABLE: {
    meaning: "A report about servers cannot be written.",
    remedy: "Check the path given to --report and the permissions of its folder.",
  },
  REPORT_UNREADABLE: {
    meaning: "A report about servers cannot be read.",
    remedy: "Check the path given to --from-report and the permissions of the file.",
  },
  REPORT_INVALID: {
    meaning: "A file is not a report about servers that this version can read.",
    remedy: "Write it anew with check --report.",
  },
  SECRET_UNREADABLE: {
    meaning: "A file that holds a secret cannot be read, or is empty.",
    remedy: "Check the path, that the user of the exporter may read it, and that it is UTF-8.",
  },
  SECRET_EXPOSED: {
    meaning: "A file that holds a secret may be read by others, and `strict_secret_files` is set.",
    remedy: "chmod 600, or 640 where the file belongs to root; in Kubernetes set defaultMode: 0440 and an fsGroup.",
  },
  CA_UNREADABLE: {
    meaning: "A certificate file cannot be read or holds no PEM certificate.",
    remedy: "Check tls.ca_file and tls.cert_file: each must hold one or more PEM certificates.",
  },
  WORLD_IMPOSSIBLE: {
    meaning: "A simulated world of the sizes that were asked for cannot be.",
    remedy: "Change the sizes that the message names.",
  },
  SCENARIO_INVALID: {
    meaning: "A scenario cannot be read, or cannot be played in this simulated world.",
    remedy: "Correct the line and column that the message names; docs/simulator.md lists every key.",
  },
  WEB_CONFIG_UNREADABLE: {
    meaning: "The file given to --web.config.file, or one that it names, cannot be read.",
    remedy: "Check the path (in the file it counts from the folder of the file) and the permissions.",
  },
  WEB_CONFIG_INVALID: {
    meaning: "A key or value in the file given to --web.config.file is wrong, or does not fit another one.",
    remedy: "Correct the line and column that the message names; docs/web-configuration.md lists every key.",
  },
  LISTEN_FAILED: {
    meaning: "The exporter cannot listen on the requested address.",
    remedy: "Choose another --web.listen-address, or stop the program that uses it.",
  },
  API_CONNECTION_FAILED: {
    meaning: "No connection to the server.",
    remedy:
      "Check servers[].url, name resolution, firewalls, and that the application server is running (port 1616 for HTTPS, 1615 for HTTP).",
  },
  API_TLS_UNTRUSTED: {
    meaning: "The certificate of the server is not trusted.",
    remedy:
      "Give the issuing authority in tls.ca_file (self-signed: the certificate itself), or tls.server_name when the name differs.",
  },
  API_TLS_FINGERPRINT: {
    meaning: "The certificate of the server is none of those in `tls.fingerprints`.",
    remedy:
      "If the certificate was renewed, add the fingerprint that the message names to tls.fingerprints. If its operator knows of no renewal, another machine may be between here and the server.",
  },
  API_TLS_CLIENT_REFUSED: {
    meaning: "The server refuses the exporter's own certificate, or asks for one and gets none.",
    remedy: "Give tls.cert_file and tls.key_file with a certificate that is valid and that the server trusts.",
  },
  API_TLS_FAILED: {
    meaning: "The TLS handshake failed.",
    remedy: "Check that the URL's scheme fits the port: 1616 speaks HTTPS, 1615 speaks HTTP.",
  },
  API_PROXY_UNAUTHORIZED: {
    meaning: "The proxy of `proxy_url` refuses its credentials, or asks for some (407).",
    remedy: "Give proxy_auth with username and password_file, or correct them; Basic is the scheme that is spoken.",
  },
  API_PROXY_FAILED: {
    meaning: "The proxy of `proxy_url` cannot be reached, or gives no connection to the server.",
    remedy:
      "Check proxy_url and that the proxy runs, reaches the server, and allows CONNECT to its port (Squid: SSL_ports).",
  },
  API_TIMEOUT: {
    meaning: "The server did not answer in time.",
    remedy: "Raise limits.timeout, or look at the load of the core server.",
  },
  API_REDIRECTED: {
    meaning: "The server answered with a redirect; API v2 never does.",
    remedy: "This is probably the classic web port: API v2 listens on 1616 (HTTPS) or 1615 (HTTP).",
  },
  API_WRONG_PORT: {
    meaning: "The classic web server answered: it takes no API key in the header of a request.",
    remedy: "Correct the port in servers[].url: API v2 listens on 1616 (HTTPS) or 1615 (HTTP).",
  },
  API_NOT_JSON: {
    meaning: "The server answered with something that is not the JSON of API v2.",
    remedy: "Check servers[].url: a proxy or the classic web server may be answering; API v2 listens on 1616.",
  },
  API_VALUES_UNREADABLE: {
    meaning: "No value of any channel can be read.",
    remedy:
      "Report it with the version of the server and a recording (map --all --save): the exporter should understand it.",
  },
  API_RESPONSE_TOO_LARGE: {
    meaning: "A response exceeded limits.max_response_size.",
    remedy: "Raise limits.max_response_size if the server is sound.",
  },
  API_LIST_TOO_LARGE: {
    meaning:
      "A list has more objects, text or pages, or takes longer, or a time series has more values, than limits allow.",
    remedy:
      "Raise the key that the message names if the server is sound and there is memory for it (docs/sizing.md); until then the last picture stays.",
  },
  API_MEMORY_FULL: {
    meaning: "What a list holds, with what is known of all servers, would need more memory than Node.js may have.",
    remedy:
      "Give the process more memory: the container's limit, or `--max-old-space-size` (docs/sizing.md); until then the last picture stays.",
  },
  API_UNAUTHORIZED: {
    meaning: "The server refused the API key or the session.",
    remedy:
      "Check the API key (it may have been deleted, or be one of the classic interface), or the user name and password.",
  },
  API_LOGIN_FAILED: {
    meaning: "Login with user name and password failed.",
    remedy: "Check auth.username and auth.password_file, and that the account is not paused.",
  },
  API_FORBIDDEN: {
    meaning: "The user lacks the right that this endpoint needs.",
    remedy: "Give the user read access to the objects, or the API key the access level READ.",
  },
  API_NOT_FOUND: {
    meaning: "The server has no such endpoint or object.",
    remedy: "If every endpoint is missing, API v2 is not activated on this server, or the URL has a wrong path.",
  },
  API_BAD_REQUEST: {
    meaning: "The server refused the request as invalid.",
    remedy: "Report it with the request ID: the exporter sends only documented requests.",
  },
  API_FILTER_REFUSED: {
    meaning: "The server refused a filter of servers[].select.",
    remedy: "Correct the filter as the server says; what is shown stays as it was until then.",
  },
  API_RATE_LIMITED: {
    meaning: "The server asks for fewer requests.",
    remedy: "Lower limits.requests_per_second, or poll less often.",
  },
  API_EXECUTION_TIMEOUT: {
    meaning: "The server gave up on a request after its own time limit.",
    remedy: "The exporter asks for smaller pages by itself; if it persists, look at the load of the core server.",
  },
  API_SERVER_ERROR: {
    meaning: "The server failed to answer.",
    remedy: "Look for the request ID in the logs of the application server.",
  },
  API_UNAVAILABLE: {
    meaning: "The application server has no working connection to its core server.",
    remedy: "Check that the core server service runs; polling resumes by itself.",
  },
  API_LICENSE_INACTIVE: {
    meaning: "The license of the monitoring system is invalid or expired.",
    remedy: "Activate the license in the monitoring system.",
  },
  API_ENDPOINT_MISSING: {
    meaning: "The server has neither this endpoint nor a stand-in for it.",
    remedy: "Update the server, or disable the collector that needs it.",
  },
  API_SUSPENDED: {
    meaning: "Requests are held back after repeated failures.",
    remedy: "Nothing: the exporter tries again by itself.",
  },
  STATE_DIR_BUSY: {
    meaning: "Another exporter that pushes the same server has the same `state_dir`: each would push every value once.",
    remedy:
      "Stop the other one, or give each a state_dir and servers of its own. The lock ends with the process that has it.",
  },
  LEADER_ELECTION_INVALID: {
    meaning: "The times of the leader election do not fit each other.",
    remedy:
      "Let --leader-elect-lease-duration be a quarter more than --leader-elect-renew-deadline, and that twice --leader-elect-retry-period, or more.",
  },
  NOT_IN_CLUSTER: {
    meaning: "Replicas are to elect one of them (--leader-elect), and what a pod needs for that is missing.",
    remedy:
      "Run it in a pod with the token of its service account mounted (automountServiceAccountToken), as the chart does with leaderElection.enabled.",
  },
  LEASE_FORBIDDEN: {
    meaning: "The API server of Kubernetes does not let the exporter use its Lease.",
    remedy:
      "Give its service account a Role with get and update of this one Lease (coordination.k8s.io), and create where nothing else makes it.",
  },
  LEASE_UNAVAILABLE: {
    meaning: "The API server of Kubernetes does not answer as it should.",
    remedy:
      "Nothing, if it passes. Else check that the pod reaches the API server (NetworkPolicy), and the name and namespace of the Lease.",
  },
  BACKFILL_RANGE_INVALID: {
    meaning: "The time range of a backfill cannot be.",
    remedy: "Give --from and --to as in 2026-03-01T00:00:00Z, or as a duration ago as in 60d; servers keep 365 days.",
  },
  BACKFILL_SERVER_UNKNOWN: {
    meaning: "It is not clear of which server the history is wanted.",
    remedy: "Name one of the configured servers with --server.",
  },
  BACKFILL_LABEL_TAKEN: {
    meaning: "A label that every series is to have besides its own is one of its own.",
    remedy: "Give --label another name, or rename the label in the section labels or the rule of the configuration.",
  },
  BACKFILL_NOTHING_SELECTED: {
    meaning: "No sensor with channels that are served passes the filters of a backfill.",
    remedy:
      "Check --path (the whole path is compared: Berlin/** takes all below Berlin), --kind and --tag against the labels of prtg_sensor_info.",
  },
  BACKFILL_LIST_MOVED: {
    meaning: "The objects of the server changed whenever they were listed for a backfill.",
    remedy: "Run it again when fewer changes are made to the server.",
  },
  BACKFILL_OTHER_PARAMETERS: {
    meaning: "The folder has an unfinished backfill that was asked for something else.",
    remedy:
      "Repeat the flags of that one, with the labels and mapping of then, to continue it, or delete the folder; for files another --output does as well.",
  },
  BACKFILL_OVERLAP: {
    meaning: "The output folder has history of that time already, or the receiver of a push has it.",
    remedy: "Choose another --from and --to, for files another --output, for a push other sensors.",
  },
  BACKFILL_BUSY: {
    meaning: "Another process is writing to the output folder.",
    remedy: "Wait for it, or end it.",
  },
  BACKFILL_DAMAGED: {
    meaning: "What an unfinished backfill left in its folder cannot be used.",
    remedy: "Delete the folder, or choose another --output, and run it again.",
  },
  BACKFILL_OUTPUT_UNUSABLE: {
    meaning: "The output folder cannot be written to or read.",
    remedy: "Check its permissions and the free space; then run the same command again to continue.",
  },
  BACKFILL_NO_RECEIVER: {
    meaning: "History is to be pushed, but no OTLP receiver is configured.",
    remedy: "Set otlp.endpoint or OTEL_EXPORTER_OTLP_ENDPOINT, and leave OTEL_SDK_DISABLED out.",
  },
  BACKFILL_NO_STATE_DIR: {
    meaning: "A push of history needs a place where it is noted how far it came.",
    remedy: "Set state_dir in the configuration file.",
  },
  BACKFILL_RECEIVER_AWAY: {
    meaning: "The OTLP receiver could not be reached, or took nothing, for too long.",
    remedy: "Check otlp.endpoint and the credentials; then run the same command again to continue.",
  },
  BACKFILL_REFUSED: {
    meaning: "The OTLP receiver refuses history for good, from the first value on.",
    remedy:
      "See what it says. Prometheus takes old values only within storage.tsdb.out_of_order_time_window. Then run the same command again.",
  },
  BACKFILL_SENSORS_FAILED: {
    meaning: "The server failed to give the history of some sensors.",
    remedy: "Run the same command again to try those once more, or with --skip-failed to finish without them.",
  },
} as const satisfies Record<string, { meaning: string; remedy: string }>;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;
