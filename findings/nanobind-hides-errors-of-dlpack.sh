#!/usr/bin/env bash
# A function of nanobind 3.1.0 with an ndarray argument drops every error that the argument's
# __dlpack__ raises, and raises a TypeError about incompatible arguments in its place, without a cause.
# Ctrl-C during __dlpack__ is lost, so that a program which handles TypeErrors goes on. A MemoryError
# is lost, too, and so is the BufferError that DLPack prescribes. NumPy 2.4.6 passes all three on. The
# compiler is the system's. Status 0 while this is so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check nanobind==3.1.0 numpy==2.4.6
cat >"$folder/reader.cpp" <<'CPP'
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace nb = nanobind;

NB_MODULE(reader, module) {
  module.def("size", [](const nb::ndarray<nb::ro, double, nb::ndim<1>>& array) { return array.size(); });
}
CPP
at=$("$folder/venv/bin/python" -c 'import os, nanobind; print(os.path.dirname(nanobind.__file__))')
headers=$("$folder/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
ending=$("$folder/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
c++ -std=c++17 -O0 -w -shared -fPIC -fvisibility=hidden -I"$at/include" -I"$at/ext/robin_map/include" -I"$headers" \
  "$at/src/nb_combined.cpp" "$folder/reader.cpp" -o "$folder/reader$ending"
cd "$folder"
venv/bin/python - <<'PYTHON'
import signal
from importlib.metadata import version

import numpy
import reader

print("nanobind", version("nanobind"), "numpy", numpy.__version__)


class Shared:
    """Shares an array, unless an error comes in between."""

    def __init__(self, happens):
        self.array, self.happens = numpy.arange(3.0), happens

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **options):
        self.happens()
        return self.array.__dlpack__(**options)


def ctrl_c():
    signal.raise_signal(signal.SIGINT)


def no_memory():
    raise MemoryError


def not_shareable():
    raise BufferError("this array cannot be shared")


def raised_by(read, happens):
    try:
        read(Shared(happens))
    except BaseException as error:
        return type(error).__name__, error.__cause__ or error.__context__
    return "nothing", None


assert reader.size(Shared(lambda: None)) == 3
for happens in (ctrl_c, no_memory, not_shareable):
    of_numpy, of_nanobind = raised_by(numpy.from_dlpack, happens), raised_by(reader.size, happens)
    print(f"{happens.__name__}: NumPy raises {of_numpy[0]}, nanobind {of_nanobind[0]} with cause {of_nanobind[1]}")
    assert of_numpy[0] in ("KeyboardInterrupt", "MemoryError", "BufferError")
    assert of_nanobind == ("TypeError", None)
PYTHON
