"""Checks the table of modules in src/README.md: every folder of src is a module of it, and includes only
modules that its row allows. Rows name only rows above themselves, so there can be no circle. Every C++ file that
joins ranges includes fmt's header of ranges, because newer versions of fmt declare `fmt::join` nowhere else. Python's
modules import each other without a circle, imports in functions included.

usage: modules.py REPOSITORY
"""

import ast
import graphlib
import pathlib
import re
import sys


def table(page):
    """The modules in order, each with the modules it may use; a row may hold several modules."""
    modules = {}
    for first, uses in re.findall(r"^\| (`[^|]+/`[^|]*) \|[^|]*\| ([^|]+) \|$", page, re.M):
        above = list(modules)
        named = re.findall(r"`([^`]+)/`", uses)
        for module in re.findall(r"`([^`]+)/`", first):
            named_above = {other for other in above for name in named if (other + "/").startswith(name + "/")}
            modules[module] = set(above) - named_above if "all above" in uses else named_above
        unknown = [name for name in named if not any((module + "/").startswith(name + "/") for module in above)]
        assert not unknown, f"{first} may use {unknown}, which no row above it holds"
    return modules


def imported(node):
    """The names that a piece of Python imports when it runs, with those that only types need left out."""
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
        return
    if isinstance(node, ast.ImportFrom):
        yield from (f"{node.module}.{one.name}" for one in node.names)
    elif isinstance(node, ast.Import):
        yield from (one.name for one in node.names)
    for child in ast.iter_child_nodes(node):
        yield from imported(child)


def circle_of(folder):
    """The modules that import each other in a circle, or None if the package has no circle."""
    files = {}
    for path in sorted(folder.rglob("*.py*")):
        if path.suffix in (".py", ".pyi"):
            name = ".".join(path.relative_to(folder.parent).with_suffix("").parts)
            files[name.removesuffix(".__init__")] = path

    def module_of(name):
        """A module, or the module of a name in it."""
        return name if name in files or "." not in name else module_of(name.rpartition(".")[0])

    uses = {name: {module_of(one) for one in imported(ast.parse(path.read_text()))} for name, path in files.items()}
    try:
        graphlib.TopologicalSorter(uses).prepare()
    except graphlib.CycleError as found:
        return found.args[1]
    return None


def main():
    repository = pathlib.Path(sys.argv[1]).resolve()
    sources = repository / "src"
    modules = table((repository / "src/README.md").read_text())
    faults = []
    seen = {}
    for path in sorted(sources.rglob("*")):
        if path.suffix not in (".h", ".cpp", ".inc"):
            continue
        module = str(path.parent.relative_to(sources))
        seen[module] = seen.get(module, 0) + 1
        for used in re.findall(r'^ *#include "([^"]+)/[^"/]+"', path.read_text(), re.M):
            if used != module and used != "mollify" and used not in modules.get(module, ()):
                faults.append(f"src/{path.relative_to(sources)} includes {used}/, which its module may not use")
    for folder in ("benchmarks", "experiments", "python/src", "src", "tests"):
        for path in sorted((repository / folder).rglob("*.cpp")):
            text = path.read_text()
            if ("fmt::join(" in text) != ("#include <fmt/ranges.h>" in text):
                faults.append(f"{path.relative_to(repository)} must include fmt/ranges.h if it calls fmt::join, and only then")
    if circle := circle_of(repository / "python/mollify"):
        faults.append(f"python/mollify has a circle of imports: {' <- '.join(circle)}")
    faults += [f"src/README.md has no module src/{module}" for module in seen if module not in modules]
    faults += [f"src/README.md has a module src/{module}, which is empty" for module in modules if module not in seen]
    print("\n".join(faults))
    print(f"{sum(seen.values())} files in {len(seen)} modules, {len(faults)} faults")
    return 1 if faults or len(seen) < 10 else 0


sys.exit(main())
