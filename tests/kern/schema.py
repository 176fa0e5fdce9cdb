# SPDX-License-Identifier: BSD-2-Clause
"""The schemas of what --json prints, for all tests that read it.

A schema lets programs accept members that later versions add. Here an undescribed member is a fault, so that
the commit that adds a member describes it, too."""
import functools
import json
import os
import pathlib

try:
    import jsonschema
except ImportError:
    jsonschema = None

SOURCE = pathlib.Path(os.environ.get("SONDE_SOURCE") or pathlib.Path(__file__).resolve().parents[2])
# Takes an object apart without describing all of it.
PARTIAL = ("if",)


def close(schema):
    """The same schema, by which an object has no members but those that it describes."""
    if isinstance(schema, dict):
        if "properties" in schema:
            schema.setdefault("additionalProperties", False)
        for name, value in schema.items():
            if name not in PARTIAL:
                close(value)
    elif isinstance(schema, list):
        for value in schema:
            close(value)
    return schema


def names():
    return sorted(path.stem for path in (SOURCE / "schemas").glob("*.json"))


@functools.lru_cache(None)
def validator(name):
    schema = json.loads((SOURCE / "schemas" / (name + ".json")).read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    if not schema["$id"].startswith("urn:sonde:schema:%s:" % name):
        raise ValueError("%s: $id is %s" % (name, schema["$id"]))
    return jsonschema.Draft202012Validator(close(schema))


def fault(name, answer):
    """What makes @answer differ from the schema @name, or None. Without jsonschema (tests/schemas.py says so): None."""
    if not jsonschema:
        return None
    error = jsonschema.exceptions.best_match(validator(name).iter_errors(answer))
    return error and "%s: /%s: %.300s" % (name, "/".join(map(str, error.absolute_path)), error.message)


def described(name, answer):
    """@answer, of which the schema @name holds."""
    found = fault(name, answer)
    if found:
        raise ValueError(found)
    return answer
