"""Prints the functions of the Berkeley function-calling leaderboard as tools with JSON Schemas, one a line.

Takes the folder with the benchmark's data. Its types are named as Python, Java and JavaScript name them; they
become JSON Schema's as the benchmark itself does it for models that take JSON Schema (GORILLA_TO_OPENAPI in
bfcl_eval/constants/type_mappings.py): `any` is a string, and so is every name that is not listed and every
property without a type. Unlike there, this is done at each depth.
"""

import json
import pathlib
import sys

TYPES = {
    "any": "string",
    "Any": "string",
    "Array": "array",
    "ArrayList": "array",
    "Bigint": "integer",
    "bool": "boolean",
    "byte": "integer",
    "char": "string",
    "dict": "object",
    "double": "number",
    "float": "number",
    "HashMap": "object",
    "Hashtable": "object",
    "list": "array",
    "long": "integer",
    "Queue": "array",
    "short": "integer",
    "Stack": "array",
    "String": "string",
    "tuple": "array",
}
STANDARD = {"integer", "number", "string", "boolean", "array", "object", "null"}


def schema(ours, named=False):
    """A schema in the standard's words."""
    if not isinstance(ours, dict):
        return ours
    made = dict(ours)
    kind = made.get("type")
    if isinstance(kind, str):
        if kind == "float":
            made["format"] = "float"
        made["type"] = TYPES.get(kind, kind if kind in STANDARD else "string")
    elif named and kind is None:
        made["type"] = "string"
    if isinstance(made.get("properties"), dict):
        made["properties"] = {name: schema(part, True) for name, part in made["properties"].items()}
    for key in ("items", "additionalProperties"):
        if key in made:
            made[key] = schema(made[key])
    return made


def functions(path):
    """The functions of a file: those offered in its questions, or those that the file itself describes."""
    for line in path.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        if "function" in entry:
            yield from entry["function"]
        elif "parameters" in entry:
            yield entry


def main(folder):
    seen = set()
    folder = pathlib.Path(folder)
    paths = ["BFCL_v4_*.json", "unused_datasets/question/*.json", "multi_turn_func_doc/*.json"]
    for path in (path for pattern in paths for path in sorted(folder.glob(pattern))):
        # This one lists names of questions only.
        if "format_sensitivity" in path.name:
            continue
        for function in functions(path):
            text = json.dumps(function)
            if text in seen:
                continue
            seen.add(text)
            made = schema(function["parameters"])
            made["type"] = "object"
            print(json.dumps({"source": path.stem, "name": function["name"], "schema": made}))


if __name__ == "__main__":
    main(*sys.argv[1:])
