"""The project's text files, whether or not there is a Git repository around them."""

TOPS = ("benchmarks", "cmake", "collector", "data", "docs", "examples", "experiments", "fuzz", "include", "npm", "python", "schema",
        "scripts", "src", "tests")


def text_files(repository):
    """Yields the path and the text of each file that people wrote; data are left out."""
    for top in TOPS:
        for path in sorted((repository / top).rglob("*")):
            if path.is_file() and path.suffix not in (".csv", ".pyc", ".sav", ".svg"):
                yield path, path.read_text()
    for path in sorted(repository.iterdir()):
        if path.is_file():
            yield path, path.read_text()
