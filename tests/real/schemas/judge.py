"""Tools with JSON Schemas, read as signatures: how many, with which losses, and whether the calls that a
signature accepts are those that Python's jsonschema accepts.

Reads a file of tools, one a line ({"source", "name", "schema"}), and hands them to the program that is named
after it, which reads each as a signature and validates the values that are made here. Of a schema without
losses every verdict must agree; one with losses may accept more, and less only with the losses of NARROWER. Where gram differs from JSON
Schema on purpose, in what it does with a call before the tool sees it, the values are compared after that:
unknown keys are dropped, null for an optional argument counts as absent, and defaults are filled in.
"""

import collections
import json
import random
import re
import subprocess
import sys
import urllib.parse

import jsonschema
from jsonschema.validators import validator_for

CALLS = 40

# The formats that gram asserts. Others are hints to it.
FORMATS = {
    "date-time": ["2026-11-23T08:00:00Z", "2026-11-23T08:00:00+01:00"],
    "date": ["2026-11-23"],
    "time": ["08:00:00Z"],
    "email": ["a@b.org"],
    "uri": ["https://a.org/b?c=d"],
    "uuid": ["6ba7b810-9dad-11d1-80b4-00c04fd430c8"],
    "ipv4": ["192.0.2.1"],
    "ipv6": ["2001:db8::1"],
}
TEXTS = ["", "a", "abc", "a-b_c.d", "A1", "12", "1.5", "äöü", "x" * 40, "#ff0000", "1d", "10s", "en-US", "/a/b"]
TEXTS += [text for texts in FORMATS.values() for text in texts]
WILD = [None, True, False, 0, 1, -1, 2.5, 1e9, "", "a", [], ["a"], [1], {}, {"a": 1}]

# The losses with which a type refuses values that the schema allows.
NARROWER = {"Tuples", "ImpliedTypes"}

checker = jsonschema.FormatChecker(FORMATS)


class Maker:
    """Makes values that a schema mostly allows, with mistakes strewn in."""

    def __init__(self, root, seed):
        self.root = root
        self.random = random.Random(seed)
        self.mistakes = 0.0

    def pick(self, values):
        return self.random.choice(list(values))

    def make(self, schema, depth=0):
        if self.random.random() < self.mistakes:
            return self.pick(WILD)
        if not isinstance(schema, dict) or depth > 12:
            return self.pick(WILD)
        if "$ref" in schema:
            return self.make(self.resolve(schema["$ref"]), depth + 1)
        for key in ("anyOf", "oneOf"):
            if schema.get(key):
                arm = self.pick(schema[key])
                rest = {name: value for name, value in schema.items() if name != key}
                both = isinstance(arm, dict) and {**rest, **self.open(arm)}
                return self.make(both or arm, depth + 1)
        if "allOf" in schema:
            all_parts = {name: value for name, value in schema.items() if name != "allOf"}
            for part in schema["allOf"]:
                for name, value in self.open(part).items():
                    held = all_parts.get(name)
                    if isinstance(held, dict):
                        value = {**held, **value}
                    elif isinstance(held, list):
                        value = held + value
                    all_parts[name] = value
            return self.make(all_parts, depth + 1)
        if "const" in schema:
            return schema["const"]
        if schema.get("enum"):
            return self.pick(schema["enum"])
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = self.pick(kind)
        if kind is None:
            kind = "object" if "properties" in schema else "any"
        make = getattr(self, f"make_{kind}", None)
        return make(schema, depth) if make else self.pick(WILD)

    def open(self, part):
        while isinstance(part, dict) and "$ref" in part:
            part = self.resolve(part["$ref"])
        return part if isinstance(part, dict) else {}

    def resolve(self, reference):
        at = self.root
        for step in urllib.parse.unquote(reference.lstrip("#")).split("/")[1:]:
            step = step.replace("~1", "/").replace("~0", "~")
            at = at[int(step)] if isinstance(at, list) else at[step]
        return at

    def make_null(self, schema, depth):
        return None

    def make_boolean(self, schema, depth):
        return self.pick([True, False])

    def make_integer(self, schema, depth):
        return int(self.number(schema, 1))

    def make_number(self, schema, depth):
        return self.number(schema, self.pick([1, 0.5, 0.01]))

    def number(self, schema, step):
        low = max((schema[key] for key in ("minimum", "exclusiveMinimum") if is_number(schema.get(key))), default=None)
        high = min((schema[key] for key in ("maximum", "exclusiveMaximum") if is_number(schema.get(key))), default=None)
        near = [0, 1, 7, 100, -3]
        if low is not None:
            near = [low, low + step, low + 1, low - step]
        if high is not None:
            near += [high, high - step, high + step]
        multiple = schema.get("multipleOf")
        if multiple:
            near += [multiple * round(value / multiple) for value in near]
        return self.pick(near)

    def make_string(self, schema, depth):
        texts = FORMATS.get(schema.get("format"), []) * 3 + TEXTS
        if "pattern" in schema:
            right = [text for text in texts if re.search(schema["pattern"], text)]
            texts = right * 3 + texts[:3]
        text = self.pick(texts)
        least, most = schema.get("minLength", 0), schema.get("maxLength")
        if len(text) < least and self.random.random() < 0.8:
            text = (text or "a").ljust(least, "a")
        if most is not None and len(text) > most and self.random.random() < 0.8:
            text = text[:most]
        return text

    def make_array(self, schema, depth):
        parts = schema.get("prefixItems")
        rest = schema.get("items", {})
        if isinstance(rest, list):
            parts, rest = rest, schema.get("additionalItems", {})
        made = [self.make(part, depth + 1) for part in parts or []]
        if parts is None or self.random.random() < 0.2:
            least, most = schema.get("minItems", 0), schema.get("maxItems", 3)
            count = self.random.randint(max(0, min(least, most) - (self.random.random() < 0.1)), max(least, most, 0))
            count = min(count, least + 3) + (self.random.random() < 0.1)
            made += [self.make(rest, depth + 1) for _ in range(count)]
        return made

    def make_object(self, schema, depth):
        made = {}
        required = schema.get("required", [])
        for name, part in schema.get("properties", {}).items():
            if self.random.random() < (0.97 if name in required else 0.5):
                made[name] = self.make(part, depth + 1)
        further = schema.get("additionalProperties", {})
        if "properties" not in schema or self.random.random() < 0.2:
            for name in self.random.sample(["zzzz", "qqqqqqqq", "0"], self.random.randint(0, 2)):
                made[name] = self.make(further if isinstance(further, dict) else {}, depth + 1)
        return made

    def calls(self, schema):
        for at in range(CALLS // 2):
            self.mistakes = [0.0, 0.03, 0.1, 0.3][at % 4]
            yield self.make_object(schema, 0) if "properties" in schema else self.make(schema)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def read(program, tools):
    text = "".join(json.dumps(tool) + "\n" for tool in tools)
    out = subprocess.run([program], input=text, capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def difference(validator, wider, narrower, value, call):
    """What is wrong with the verdict of a call, if something is."""
    if "arguments" in call:
        if not wider and not validator.is_valid(call["arguments"]):
            error = next(validator.iter_errors(call["arguments"]))
            return f"accepted, and jsonschema says: {error.message[:150]}"
    elif not narrower and validator.is_valid(value):
        # A missing optional argument whose name is nearly spelled is a violation on purpose.
        if "did you mean" not in call["violations"]:
            return f"refused, and jsonschema accepts it: {call['violations'][:150]}"
    return None


def main(program, path, least, least_lossy):
    tools = [json.loads(line) for line in open(path, encoding="utf-8")]
    for tool, found in zip(tools, read(program, tools)):
        tool["values"] = []
        if "signature" in found:
            # From both schemas, so that what only one of them allows is tried.
            for schema in (tool["schema"], found["schema"]):
                tool["values"] += Maker(schema, tool["name"]).calls(schema)
    exact = lossy = accepted = refused = 0
    problems, losses, broken, differences = collections.Counter(), collections.Counter(), [], []
    for tool, found in zip(tools, read(program, tools)):
        label = f"{tool['source']} {tool['name']}"
        exact += not found["problems"]
        problems.update({problem["loss"] or problem["message"] for problem in found["problems"]})
        if "signature" not in found:
            broken.append(f"{label}: {found['refused'][0]}")
            continue
        lossy += 1
        listed = {problem["loss"] for problem in found["losses"]}
        losses.update(listed)
        kind = validator_for(tool["schema"], jsonschema.Draft202012Validator)
        try:
            kind.check_schema(tool["schema"])
        except jsonschema.SchemaError as error:
            broken.append(f"{label}: no JSON Schema: {error.message[:100]}")
            continue
        validator = kind(tool["schema"], format_checker=checker)
        wider = bool(listed - {"ClosedObjects", "Defaults"})
        for value, call in zip(tool["values"], found["calls"]):
            accepted += "arguments" in call
            refused += "arguments" not in call
            wrong = difference(validator, wider, bool(listed & NARROWER), value, call)
            if wrong:
                differences.append(f"{label}: {json.dumps(value)[:300]}: {wrong}")
    total = len(tools)
    print(f"{total} tools of {len({tool['source'] for tool in tools})} sources")
    print(f"signatures without losses allowed: {exact} ({exact / total:.2%}); not, because of:")
    for reason, count in problems.most_common():
        print(f"  {count:5} {reason}")
    print(f"signatures with all losses allowed: {lossy} ({lossy / total:.2%}); losses, closed objects among them:")
    for loss, count in losses.most_common():
        print(f"  {count:5} {loss}")
    for line in broken:
        print(f"  not compared: {line}")
    print(f"calls: {accepted} accepted, {refused} refused, {len(differences)} judged otherwise by jsonschema")
    for line in differences[:40]:
        print(f"  {line}")
    sys.exit(bool(differences) or exact < least * total or lossy < least_lossy * total)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4]))
