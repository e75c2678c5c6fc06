"""Stands in for packages that AgentDojo imports and that nothing here uses, such as the clients of model vendors: they
would be some hundred megabytes. Import this before AgentDojo."""

import importlib.abc
import importlib.machinery
import sys
import types
from unittest import mock

ABSENT = {"anthropic", "click", "cohere", "dotenv", "google", "langchain", "openai", "requests", "rich", "tenacity"}


class AbsentModules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ABSENT:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        module = types.ModuleType(spec.name)
        module.__getattr__ = anything
        return module

    def exec_module(self, module):
        pass


def anything(name):
    # The import system asks for names such as `__path__`, and must not get them.
    if name.startswith("__"):
        raise AttributeError(name)
    return mock.MagicMock(name=name)


sys.meta_path.insert(0, AbsentModules())
