"""Parses the OpenMetrics text on standard input and prints families, or the error, as JSON."""

import json
import sys

from prometheus_client.openmetrics.parser import text_string_to_metric_families


def seconds(timestamp):
    return None if timestamp is None else float(timestamp)


def number(value):
    # JSON has no NaN and no infinities, so every value travels as text.
    return repr(float(value))


def exemplar(found):
    if found is None:
        return None
    return {"labels": found.labels, "value": number(found.value), "timestamp": seconds(found.timestamp)}


def sample(found):
    return {
        "name": found.name,
        "labels": found.labels,
        "value": number(found.value),
        "timestamp": seconds(found.timestamp),
        "exemplar": exemplar(found.exemplar),
    }


def family(found):
    return {
        "name": found.name,
        "type": found.type,
        "help": found.documentation,
        "unit": found.unit,
        "samples": [sample(each) for each in found.samples],
    }


def main():
    text = sys.stdin.buffer.read().decode("utf-8")
    try:
        answer = {"families": [family(each) for each in text_string_to_metric_families(text)]}
    except Exception as error:  # the parser leaves by more than ValueError on broken text
        answer = {"error": f"{type(error).__name__}: {error}"}
    json.dump(answer, sys.stdout)


main()
