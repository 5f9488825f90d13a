"""Peer of the scrape bench: the same series from a custom collector of Python's prometheus_client."""

import json
import sys

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import GaugeMetricFamily


class Collector:
    """Makes families for each scrape, as an exporter written with it does."""

    def __init__(self, file):
        self.families = []
        with open(file, encoding="utf-8") as lines:
            for line in lines:
                read = json.loads(line)
                if isinstance(read, dict):
                    self.families.append((read["name"], read["help"], read["labels"], []))
                else:
                    self.families[-1][3].append((read[0], float(read[1])))

    def collect(self):
        for name, text, labels, series in self.families:
            family = GaugeMetricFamily(name, text, labels=labels)
            for values, value in series:
                family.add_metric(values, value)
            yield family


registry = CollectorRegistry()
registry.register(Collector(sys.argv[1]))
server, thread = start_http_server(0, addr="127.0.0.1", registry=registry)
print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
thread.join()
