"""All types of columns, as the schema of domain files lists them."""

import json
from pathlib import Path

import mollify as mo

SCHEMA = json.loads((Path(__file__).parents[2] / "schema/domain.schema.json").read_text())
KINDS = {form["properties"]["type"]["const"]: form for form in SCHEMA["$defs"]["column"]["oneOf"]}
COLUMNS = {kind: getattr(mo, kind) for kind in KINDS}


def settings(example):
    return {key: value for key, value in example.items() if key != "type"}
