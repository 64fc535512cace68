"""Twenty mistakes, each made in Python and in the command: the same code, about the same parameter, with ways out.

`pytest -s` prints the table of both answers.
"""

import subprocess
import sys

import pytest

import mollify as mo

DOMAIN = {
    "sex": mo.categorical(["f", "m"], null="f", outside="f"),
    "age": mo.integer(0, 99, bins=3, null="0", outside="clip"),
}
TABLE = {"u": ["1", "1", "2"], "sex": ["f", "m", "f"], "age": [1, 2, 3]}
LOCAL = "sample local --data d.csv --domain d.yaml --out r.csv --certificate r.json"
CENTRAL = "sample central --data d.csv --domain d.yaml --out r.csv --certificate r.json"


def local(**given):
    return lambda: mo.Local(DOMAIN, **given).sample(TABLE)


def central(**given):
    return lambda: mo.Central(DOMAIN, **given).sample(TABLE)


# Python's call, the command, and the parameter in Python; the command calls it by its flag.
MISTAKES = {
    "epsilon below 0": (local(epsilon=-1), f"{LOCAL} --epsilon -1", "epsilon"),
    "epsilon in letters": (local(epsilon="two"), f"{LOCAL} --epsilon two", "epsilon"),
    "two budgets": (local(epsilon=1, mu=1), f"{LOCAL} --epsilon 1 --mu 1", "mu"),
    "no budget": (local(), LOCAL, "epsilon"),
    "no count": (central(epsilon=1), f"{CENTRAL} --epsilon 1", "count"),
    "a count of 0": (central(epsilon=1, count=0), f"{CENTRAL} --epsilon 1 --count 0", "count"),
    "a broken count": (central(epsilon=1, count=1.5), f"{CENTRAL} --epsilon 1 --count 1.5", "count"),
    "delta of 2": (central(epsilon=1, count=2, delta=2), f"{CENTRAL} --epsilon 1 --count 2 --delta 2", "delta"),
    "a mistyped mechanism": (local(epsilon=1, mechanism="minmax"), f"{LOCAL} --epsilon 1 --mechanism minmax", "mechanism"),
    "a mistyped parameter": (local(epsilom=1), f"{LOCAL} --epsilom 1", "epsilom"),
    "another method's mechanism": (
        local(epsilon=1, mechanism="histogram"), f"{LOCAL} --epsilon 1 --mechanism histogram", "mechanism",
    ),
    "a mistyped band": (local(epsilon=1, band="typica"), f"{LOCAL} --epsilon 1 --band typica", "band"),
    "a column that is missing": (local(epsilon=1, unit="school"), f"{LOCAL} --epsilon 1 --unit school", "unit"),
    "a roster without a unit": (local(epsilon=1, units=["1"]), f"{LOCAL} --epsilon 1 --units units.csv", "unit"),
    "mostly noise": (local(epsilon=1e-3), f"{LOCAL} --epsilon 1e-3", "accept_error"),
    "no threads": (lambda: mo.Local(DOMAIN, epsilon=8).sample(TABLE, threads=0), f"{LOCAL} --epsilon 8 --threads 0", "threads"),
    "a mistyped data set": (
        lambda: mo.Ledger("l.db").balance("peopel"), "ledger --ledger l.db --data-set peopel", "data_set",
    ),
    "no purpose's protection": (
        lambda: mo.advise(DOMAIN, purpose="records"), "advise --domain d.yaml --purpose records", "protect",
    ),
    "a mistyped purpose": (
        lambda: mo.advise(DOMAIN, purpose="tabel", protect="row"), "advise --domain d.yaml --purpose tabel --protect row", "purpose",
    ),
    "a delta above 1/n": (
        lambda: mo.Central.plan_of(DOMAIN, epsilon=1, n=100, count=5, delta=0.5),
        "plan central --domain d.yaml --epsilon 1 --n 100 --count 5 --delta 0.5", "delta",
    ),
    "amplify without k": (
        lambda: mo.amplify(n=100, epsilon0=2, delta=1e-9), "amplify --n 100 --epsilon0 2 --delta 1e-9", "k",
    ),
}  # fmt: skip

IN_PYTHON = {"unknown-flag": "unknown-parameter"}
"""A parameter is a flag in the command."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("mistakes")
    mo.Domain(DOMAIN).write(made / "d.yaml")
    (made / "d.csv").write_text("u,sex,age\n1,f,1\n1,m,2\n2,f,3\n")
    (made / "units.csv").write_text("u\n1\n")
    mo.Ledger(made / "l.db").declare("people", epsilon=9)
    return made


def answered(command, folder):
    """What the command says in one line, without its code, and the code."""
    done = subprocess.run(
        [sys.executable, "-m", "mollify", *command.split()], cwd=folder, text=True, capture_output=True, env={"COLUMNS": "10000"}
    )
    assert done.returncode not in (0, None), f"{command} is not refused"
    last = " ".join(done.stderr.split()).removeprefix("mollify: ")
    sentence, _, code = last.rpartition(" [")
    return sentence, code.removesuffix("]")


def test_the_same_mistake_has_the_same_code_and_parameter(folder, monkeypatch):
    monkeypatch.chdir(folder)
    rows, faults = ["| mistake | code | parameter | in Python | in the command | ways out in Python |", "|---|---|---|---|---|---|"], []
    for mistake, (call, command, parameter) in MISTAKES.items():
        with pytest.raises(mo.InvalidInput) as raised:
            call()
        refused = raised.value
        sentence, code = answered(command, folder)
        ways = "; ".join(" ".join(part for part in way if part) for way in refused.ways_out)
        rows.append(f"| {mistake} | `{code}` | `{refused.parameter}` | {refused} | {sentence} | {ways} |")
        named = [parameter, parameter.replace("_", "-"), parameter.replace("_", " ")]
        if refused.code != IN_PYTHON.get(code, code):
            faults.append(f"{mistake}: {refused.code} in Python, {code} in the command: {sentence}")
        if parameter not in (refused.parameter, *(way.part for way in refused.ways_out)):
            faults.append(f"{mistake}: Python's is about {refused.parameter!r} with ways out {ways!r}")
        if not any(name in sentence for name in named):
            faults.append(f"{mistake}: the command names none of {named}: {sentence}")
        if not refused.ways_out:
            faults.append(f"{mistake}: Python has no way out: {refused}")
    print("\n".join(rows))
    assert not faults, "\n".join(faults)
    assert len(rows) > 20


def test_a_frames_names_are_named():
    """They are public; the first line of a file without a header is a record, and stays unsaid."""
    method = mo.Integral({"age": mo.integer(0, 9, null=0, outside="clip")}, epsilon=8)
    pandas, polars, pyarrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    held = {"ages": [1], "b": [2]}
    for table in (held, pandas.DataFrame(held), polars.DataFrame(held), polars.LazyFrame(held), pyarrow.table(held)):
        for call in (method.sample, method.compare, method.check):
            with pytest.raises(mo.InvalidInput, match=r'has no column "age", which the domain declares; it has "ages", "b" \(did you mean "ages"\?\)$'):
                call(table)


def test_a_file_that_is_not_utf8_is_refused_in_words(tmp_path):
    path = tmp_path / "latin.csv"
    path.write_bytes("größe,age\n1,2\n".encode("latin-1"))
    method = mo.Integral({"years": mo.integer(0, 9, null=0, outside="clip")}, epsilon=8)
    calls = [
        (lambda: method.check(path), 'latin.csv has no column "years", which the domain declares; it has "gr\\xf6\\xdfe", "age"'),
        (lambda: method.sample(path), 'latin.csv has no column "years"'),
        (lambda: mo.Domain.draft(path, columns=["größe"]), 'to draft from; it has "gr\\xf6\\xdfe", "age"'),
        (lambda: mo.Domain.draft(path, columns=["gr\udcf6\udcdfe"]), "a name in columns must be UTF-8 text, but is 'gr\\udcf6\\udcdfe'"),
        (lambda: mo.Domain.draft(path, exclude=["\ud800"]), "a name in exclude must be UTF-8 text, but is '\\ud800'"),
    ]
    for call, said in calls:
        with pytest.raises(mo.InvalidInput) as refused:
            call()
        assert said in str(refused.value)
        str(refused.value).encode()  # so that it can be printed
    assert mo.Domain.draft(path, columns=["age"]).columns["age"]["max"] == 2
    assert mo.Integral({"age": mo.integer(0, 9, null=0, outside="clip")}, epsilon=900).sample(path)["age"] == [2]
    assert any("no domain can declare" in note for note in mo.Domain.draft(path).notes)
