"""A NUL is refused and shown: C's interfaces would end a path, a name or a sentence there."""

import pytest

import mollify as mo
from by_word import by_word

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")

DOMAIN = mo.Domain({"sex": mo.categorical(["female", "male"]) | {"outside": "clip", "null": "female"}})
PROMISE = {"method": "integral", "epsilon": 1}


def refusal(action):
    with pytest.raises(mo.InvalidInput) as refused:
        action()
    return str(refused.value)


def test_in_a_path_is_refused(tmp_path):
    (tmp_path / "a").write_text("sex\nmale\n")  # what a path that is cut short would find
    path = f"{tmp_path}/a\0b"
    sentence = f'a path must be text without NUL, but is "{tmp_path}/a\\0b"'
    for action in (
        lambda: by_word(DOMAIN, **PROMISE).sample(path),
        lambda: mo.Domain.read(path),
        lambda: mo.Model.read(path),
        lambda: mo.Certificate.read(path),
        lambda: mo.Ledger(path),
    ):
        assert refusal(action) == sentence
    assert [file.name for file in tmp_path.iterdir()] == ["a"]


def test_in_a_ledgers_name_is_refused(tmp_path):
    ledger = mo.Ledger(tmp_path / "budget.db")
    for action in (
        lambda: ledger.declare("a\0b", epsilon=1),
        lambda: ledger.charge("a\0b", mo.Privacy(epsilon=1)),
        lambda: by_word(DOMAIN, **PROMISE).sample({"sex": ["male"]}, ledger=ledger, data_set="a\0b"),
    ):
        assert refusal(action) == 'a data set\'s name must be text without NUL, but is "a\\0b"'
    assert ledger.balances() == []


# "sex\0x" is not "sex". pyarrow would hand it over as "sex", and Polars would end the program.
@pytest.mark.parametrize(
    "make",
    [
        pyarrow.table,
        lambda columns: pyarrow.table(columns).to_reader(),
        polars.DataFrame,
        polars.LazyFrame,
    ],
)
def test_in_a_columns_name_is_refused(make):
    data = make({"sex\0x": ["male"]})
    assert refusal(lambda: by_word(DOMAIN, **PROMISE).sample(data)) == (
        'a column\'s name must be text without NUL, but is "sex\\0x"'
    )


@pytest.mark.parametrize("make", [dict, pandas.DataFrame])
def test_in_another_columns_name_is_left_alone(make):
    data = make({"sex\0x": ["male"], "sex": ["female"]})
    assert by_word(DOMAIN, **PROMISE).sample(data).columns == ["sex"]
    cut = make({"sex\0x": ["male"]})
    assert 'has no column "sex"' in refusal(lambda: by_word(DOMAIN, **PROMISE).sample(cut))


def test_in_a_parameter_is_shown():
    for kind, part in (
        (mo.Local, "mechanism"),
        (mo.Local, "unit"),
        (mo.Local, "reference"),
        (mo.Local, "epsilon"),
        (mo.GaussianModel, "log"),
    ):
        more = {"count": 1} if kind is mo.GaussianModel else {}
        said = refusal(lambda: kind(DOMAIN, **{"epsilon": 1} | more | {part: "a\0b"}))
        assert said == f'{part} must be text without NUL, but is "a\\0b"'
    assert '"a\\0b"' in refusal(lambda: by_word(DOMAIN, **PROMISE).check("a\0b"))
    assert "\\0" in refusal(lambda: mo.Domain({"a\0b": mo.categorical(["x"])}))
    assert '"a\\0b"' in refusal(lambda: mo.Sampler("a\0b", k=3, epsilon=1))


def test_a_long_input_is_cut():
    long = "[" * 10**6
    for action in (
        lambda: mo.verify(long, DOMAIN),
        lambda: mo.Privacy(epsilon=long),
        lambda: mo.Integral(DOMAIN, epsilon=1, mechanism=long),
        lambda: by_word(DOMAIN, **PROMISE).sample(long),
        lambda: mo.Local.plan_of(DOMAIN, mechanism=long, epsilon=1),
    ):
        said = refusal(action)
        assert 10 < len(said) < 2100
        assert "[[[" in said
    assert refusal(lambda: mo.Domain({long: mo.categorical(["x"])})) == (
        "a column's name must have at most 500 bytes, but one has 1000000"
    )
    assert len(str(mo.InvalidInput("half of a pair: \ud800" + long))) > 0
    assert str(mo.InvalidInput()) == ""
