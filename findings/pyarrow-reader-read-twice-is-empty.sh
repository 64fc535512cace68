#!/usr/bin/env bash
# A pyarrow RecordBatchReader and the batches of a Polars lazy frame can be handed over twice through
# the Arrow PyCapsule interface. The second consumer gets a valid stream without rows, and no error.
# So a table that was read before cannot be told from an empty table. nanoarrow and arro3 raise an
# error here.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  pyarrow==26.0.1 polars==2.1.0 nanoarrow==0.9.0 arro3-core==0.9.1
"$folder/venv/bin/python" - <<'PYTHON'
import importlib.metadata
import sys

import arro3.core
import nanoarrow
import polars
import pyarrow

table = pyarrow.table({"x": [1, 2, 3]})
readers = {
    "pyarrow": pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches()),
    "polars": polars.DataFrame(table).lazy().collect_batches(lazy=True),
    "nanoarrow": nanoarrow.ArrayStream(table),
    "arro3-core": arro3.core.RecordBatchReader.from_arrow(table),
}


def rows(reader):
    try:
        return pyarrow.table(reader).num_rows
    except Exception as error:
        return type(error).__name__


found = {}
for name, reader in readers.items():
    found[name] = rows(reader), rows(reader)
    print(name, importlib.metadata.version(name), "first and second time:", *found[name])
expected = {
    "pyarrow": (3, 0),
    "polars": (3, 0),
    "nanoarrow": (3, "RuntimeError"),
    "arro3-core": (3, "OSError"),
}
sys.exit(found != expected)
PYTHON
