"""Clients of both generators, called in the same way. Prints the operations that a client has, as JSON."""

import importlib
import inspect
import json
import pkgutil
import re
import sys

import prtg_client
from prtg_client import models


class ModuleClient:
    """A client of openapi-python-client: a module for each operation."""

    RENAMED = {"filter": "filter_", "type": "type_", "from": "from_"}

    def __init__(self, url, key):
        self.client = prtg_client.AuthenticatedClient(url, key, raise_on_unexpected_status=True)
        api = importlib.import_module("prtg_client.api")
        modules = [each.name for each in pkgutil.walk_packages(api.__path__, "prtg_client.api.") if not each.ispkg]
        self.operations = {name.split(".")[-1]: importlib.import_module(name) for name in modules}

    def call(self, operation, **arguments):
        response = self.operations[operation].sync_detailed(client=self.client, **arguments)
        assert response.status_code < 300, (operation, response.content)
        return response.parsed

    def choice(self, name, value):
        return getattr(models, name)(value)

    def value(self, item):
        return item


class MethodClient:
    """A client of openapi-generator: a class for each tag, with a method for each operation."""

    RENAMED = {"from": "var_from"}
    VARIANTS = ("_with_http_info", "_without_preload_content")

    def __init__(self, url, key):
        client = prtg_client.ApiClient(prtg_client.Configuration(host=url, access_token=key))
        apis = [getattr(prtg_client, name)(client) for name in dir(prtg_client) if name.endswith("Api")]
        methods = [method for api in apis for method in inspect.getmembers(api, inspect.ismethod)]
        self.operations = {
            name: method for name, method in methods if not name.startswith("_") and not name.endswith(self.VARIANTS)
        }

    def call(self, operation, body=None, **arguments):
        if body is not None:
            arguments[re.sub(r"(?<!^)(?=[A-Z])", "_", type(body).__name__).lower()] = body
        return self.operations[operation](**arguments)

    def choice(self, _name, value):
        return value

    def value(self, item):
        return item.actual_instance


CLIENTS = {"openapi-python-client": ModuleClient, "openapi-generator": MethodClient}


def load(generator, url, key):
    return CLIENTS[generator](url, key)


if __name__ == "__main__":
    print(json.dumps(sorted(load(sys.argv[1], "http://localhost", "key").operations)))
