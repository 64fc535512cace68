"""Checks that no code decides by the text of a sentence, or rewrites one: a message is a value with a code.

A sentence is what `what()` or `str` of an exception returns, the fields of a message, and every variable, parameter
or result that has one in it. To read a sentence is to search it, to compare it, to replace a part of it, or to hand it
to what does so. sentence_forms.py has the forms that must be found, and those that must not.

usage: sentences.py REPOSITORY
"""

import pathlib
import sys

from sentence_forms import FOUND_IN_CPP, FOUND_IN_PYTHON, LEFT_ALONE_IN_CPP, LEFT_ALONE_IN_PYTHON
from sentences_in_cpp import reads_in_cpp
from sentences_in_python import reads_in_python
from tracked import text_files


def self_test():
    """The forms that are not found, or found in vain."""
    for reads, found, left in (
        (reads_in_cpp, FOUND_IN_CPP, LEFT_ALONE_IN_CPP),
        (reads_in_python, FOUND_IN_PYTHON, LEFT_ALONE_IN_PYTHON),
    ):
        for form in found:
            if not reads({"form": form}):
                yield f"sentence_forms.py: {reads.__name__} does not find: {form}"
        for form in left:
            for place, line in reads({"form": form}):
                yield f"sentence_forms.py: {reads.__name__} finds line {line} in vain: {form}"


def main():
    repository = pathlib.Path(sys.argv[1]).resolve()
    cpp, python = {}, {}
    for path, text in text_files(repository):
        place = str(path.relative_to(repository))
        if path.suffix in (".h", ".cpp", ".inc") and place.startswith(("src/", "include/", "python/src/")):
            cpp[place] = text
        elif path.suffix == ".py" and place.startswith("python/mollify/"):
            python[place] = text
    faults = list(self_test())
    for texts, reads in ((cpp, reads_in_cpp), (python, reads_in_python)):
        for place, line in reads(texts):
            faults.append(f"{place}:{line}: reads a sentence: {texts[place].splitlines()[line - 1].strip()}")
    forms = len(FOUND_IN_CPP) + len(FOUND_IN_PYTHON)
    print("\n".join(faults))
    print(f"{len(cpp)} files of C++, {len(python)} of Python, {forms} forms, {len(faults)} faults")
    return 1 if faults or len(cpp) < 200 or len(python) < 40 or forms < 40 else 0


if __name__ == "__main__":
    sys.exit(main())
