"""Domains: made, read, written, compared, pickled."""

import datetime
import pickle
import warnings

import numpy as np
import pytest

import mollify as mo


def test_is_what_a_file_declares(schools):
    made = mo.Domain(
        {
            "sex": mo.categorical(["female", "male"], outside="clip", null="female"),
            "minority": mo.boolean(outside="clip", null=False),
            "math": mo.number(-3, 25, bins=3, outside="clip", null=-3),
        }
    )
    read = mo.Domain.read(schools / "schools.yaml")
    assert made == read
    assert made.hash == read.hash
    assert list(made) == ["sex", "minority", "math"]
    assert made.outcome_count == 12
    assert made.is_enumerable


def test_round_trips(domain, tmp_path):
    domain.write(tmp_path / "domain.yaml")
    for other in (
        mo.Domain.parse(domain.yaml()),
        mo.Domain(domain.columns, seed=domain.seed),
        mo.Domain.read(tmp_path / "domain.yaml"),
        pickle.loads(pickle.dumps(domain)),
    ):
        assert other == domain
        assert hash(other) == hash(domain)
    assert mo.Domain(domain.columns, seed=7) != domain
    assert mo.Domain(domain.columns, seed=7).seed == 7


def test_has_a_constructor_for_every_type(tmp_path):
    day, night = datetime.date(2020, 1, 31), datetime.datetime(2026, 12, 31, 23, 59, 59)
    made = mo.Domain(
        {
            "grade": mo.ordinal(["low", "middle", "high"]),
            "age": mo.integer(edges=[0, 18, 65, 110]),
            "expense": mo.number(0, 5000, bins=20, spikes=[0]),
            "dose": mo.number(edges=np.array([0, 1.5, 3])),
            "visit": mo.date(day, "2026-12-31", bins="month", null="category"),
            "login": mo.datetime("2026-01-01T00:00:00", night, bins="week", zone="+01:00"),
        }
    )
    (tmp_path / "domain.yaml").write_text(
        """columns:
  grade:   {type: ordinal, values: [low, middle, high]}
  age:     {type: integer, edges: [0, 18, 65, 110]}
  expense: {type: number, min: 0, max: 5000, bins: 20, spikes: [0]}
  dose:    {type: number, edges: [0, 1.5, 3]}
  visit:   {type: date, min: 2020-01-31, max: 2026-12-31, bins: month, null: category}
  login:   {type: datetime, min: "2026-01-01T00:00:00", max: "2026-12-31T23:59:59", bins: week, zone: "+01:00"}
"""
    )
    assert made == mo.Domain.read(tmp_path / "domain.yaml") == mo.Domain(made.columns)


@pytest.mark.parametrize(
    "word", ["null", "category", "clip", "~", "yes", "1.0", 'a "b"', "ä\u2028b", "[x]", "# no", " "]
)
def test_keeps_words_that_a_format_could_take_for_its_own(word):
    domain = mo.Domain({word: mo.categorical([word, "other"], outside={"value": word})})
    assert domain.columns[word]["values"] == [word, "other"]
    assert mo.Domain(domain.columns) == domain


def test_tells_words_of_the_format_from_values():
    word = mo.Domain({"a": mo.categorical(["category", "b"], null="category")})
    value = mo.Domain({"a": mo.categorical(["category", "b"], null={"value": "category"})})
    assert word.outcome_count == 3
    assert value.outcome_count == 2
    assert value.columns["a"]["null"] == {"value": "category"}


def test_what_is_no_value_may_become_null():
    file = "columns:\n  a: {type: categorical, values: [x, y], null: category, outside: null}\n"
    read = mo.Domain.parse(file)
    assert read.columns["a"]["outside"] is None
    made = mo.Domain({"a": mo.categorical(["x", "y"], null="category", outside="null")})
    assert read == made == mo.Domain(read.columns) == mo.Domain(made.columns)
    assert made == mo.Domain({"a": mo.categorical(["x", "y"])}), "the default"
    assert made != mo.Domain({"a": mo.categorical(["x", "y"], null="x")})


def test_values_mean_what_they_mean_in_data():
    made = mo.Domain({"a": mo.categorical([1.0, 2.5, np.float32(0.5), 1e5, 1e-4, 1e16, True, -0.0])})
    words = ["1", "2.5", "0.5", "100000", "0.0001", "1e+16", "true", "0"]
    assert made.columns["a"]["values"] == words
    assert mo.Domain({"a": mo.integer(0.0, np.float64(9), bins=2)}).outcome_count == 3, "and null"


def nested():
    """So deep that even to print it fails."""
    inner = []
    for _ in range(100_000):
        inner = [inner]
    return inner


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: mo.categorical("abc"), "values must be a list, but is 'abc'"),
        (lambda: mo.ordinal({"a"}), "values must be a list, but is {'a'}"),  # of another order each time
        (lambda: mo.categorical(3), "values must be a list, but is 3"),
        (lambda: mo.integer(edges=5), "edges must be a list, but is 5"),
        (lambda: mo.categorical(["a", nested()]), "values must be single values, but one is of type list"),
        (lambda: mo.categorical(["a", None]), 'null="category"'),
        (lambda: mo.categorical(["a", float("nan")]), 'null="category"'),
        (lambda: mo.Domain({"a": "boolean"}), "but is 'boolean'"),
        (lambda: mo.Domain(["a"]), "but are of type list"),
        (lambda: mo.Local.plan_of(3, epsilon=1), "but is of type int"),
        (lambda: mo.Integral(None, epsilon=1).sample({"a": []}), "but is of type NoneType"),
    ],
)
def test_refuses_in_one_sentence_what_declares_nothing(wrong, said):
    with pytest.raises(mo.InvalidInput) as refused:
        wrong()
    assert said in str(refused.value)


@pytest.mark.parametrize(
    "columns",
    [
        {},
        {"a": {"type": "float"}},
        {"a": mo.categorical([])},
        {"a": mo.categorical(["x", "x"])},
        {"a": mo.integer(3, 1)},
        {"a": mo.integer()},
        {"a": mo.integer(0, 3, edges=[0, 3])},
        {"a": mo.number(0, 3, spikes=[1])},
        {"a": mo.date("2020-01-01", "2019-01-01")},
        {"a": mo.date("2020-01-01", "2021-01-01", bins="decade")},
        {"a": mo.datetime("2020-01-01", "2021-01-01", zone="Paris")},
        {"a": mo.ordinal([])},
        {"a": mo.number(0, float("nan"))},
        {"a": mo.boolean(null="perhaps")},
        {"a\nb": mo.boolean()},
    ],
)
def test_refuses_what_is_no_domain(columns):
    with pytest.raises(mo.InvalidInput) as refused:
        mo.Domain(columns)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({}, "a domain must have at least one column"),
        ({"a": mo.boolean(), "b": mo.integer(0, 9.5)}, 'column "b": max must be an integer of 64 bits'),
        ({"a": mo.boolean(), "b": mo.integer(3, 1)}, 'column "b": min must be at most max'),
        ({"a": mo.integer()}, 'column "a": min is missing'),
        ({"a": mo.boolean(), "b": {"type": "bolean"}}, 'column "b": type must be categorical,'),
    ],
)
@pytest.mark.parametrize("seed", [0, 7])
def test_names_the_column_and_no_line_of_a_file_that_nobody_wrote(columns, said, seed):
    with pytest.raises(mo.InvalidInput) as refused:
        mo.Domain(columns, seed=seed)
    assert str(refused.value).startswith(said)


def test_says_what_makes_a_domain(domain):
    for given, kind in ((domain, "Domain"), ("schools.yaml", "str")):
        with pytest.raises(mo.InvalidInput, match=rf"Domain\.read reads a file\), but are of type {kind}"):
            mo.Domain(given)
    for seed in (-1, "x"):
        with pytest.raises(mo.InvalidInput, match="seed must be a whole number"):
            mo.Domain(domain.columns, seed=seed)


def test_refusals_are_value_errors():
    assert issubclass(mo.InvalidInput, ValueError)
    assert mo.InvalidInput.__module__ == "mollify"


def test_a_domain_warns_once_where_it_is_made(tmp_path):
    """Of columns that leave open what undeclared or missing values become, with the words to write."""
    rating = {"rating": mo.integer(1, 5)}
    path = tmp_path / "d.yaml"
    path.write_text("columns: {rating: {type: integer, min: 1, max: 5}}\n")
    makers = [
        lambda: mo.Domain(rating),
        lambda: mo.Domain.read(path),
        lambda: mo.Domain.parse(path.read_text()),
        lambda: mo.Integral(rating, epsilon=2).sample({"rating": [1, 2]}),
    ]
    for make in makers:
        with pytest.warns(mo.DomainWarning) as said:
            make()
        assert [one.filename for one in said] == [__file__]
        for words in ('column "rating"', "write outside: clip if it may"):
            assert words in str(said[0].message)
    with pytest.warns(mo.DomainWarning):
        domain = mo.Domain(rating)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mo.Domain({"rating": mo.integer(1, 5, outside="clip", null=3)})
        mo.Domain({"dept": mo.categorical(["Sales", "Legal"], outside="Legal")})
        mo.Domain({"dept": mo.categorical(["Sales", "Legal"], outside="null", null="category")})
        pickle.loads(pickle.dumps(domain))  # it has warned already
        release = mo.Integral(domain, epsilon=2).sample({"rating": [1, 2]})
        mo.verify(release, domain)


def test_check_and_compare_tell_what_values_became():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"rating": [1, None, 2, None, 9]})
    domain = mo.Domain({"rating": mo.integer(1, 5, outside="clip", null=3)})
    became = [
        {"column": "rating", "values": 2, "become": "3", "nulls": True, "default": False, "declared": True},
        {"column": "rating", "values": 1, "become": "5", "nulls": False, "default": False, "declared": True},
    ]
    assert mo.Integral(domain, epsilon=1).check(frame)["mapped"] == became
    with pytest.warns(mo.DomainWarning):
        open_domain = mo.Domain({"rating": mo.integer(1, 5)})
    found = mo.Integral(open_domain, epsilon=1).check(frame)
    by_default = [(one["values"], one["nulls"]) for one in found["mapped"]]
    assert by_default == [(1, False)], "nulls stay nulls"
    compared = mo.Integral(domain, epsilon=1).compare(frame)
    assert compared["mapped"] == became
    assert str(compared).index("rating: 2 nulls become 3 (declared)") < str(compared).index("except")
    assert "are shares of rows" in compared["represents"][0]
    release = mo.Integral(domain, epsilon=1).sample(frame)
    assert release.represents == compared["represents"]


def test_a_draft_of_no_rows_says_so(tmp_path):
    polars = pytest.importorskip("polars")
    for empty in ({"a": []}, polars.DataFrame({"a": [1], "b": ["x"]}).head(0)):
        with pytest.raises(mo.InvalidInput, match="^the public data must have rows to draft a domain from, but has none$"):
            mo.Domain.draft(empty)
    (tmp_path / "none.csv").write_text("a,b\n")
    with pytest.raises(mo.InvalidInput, match=r"none\.csv must have rows to draft a domain from, but has none$"):
        mo.Domain.draft(tmp_path / "none.csv")


def test_a_draft_of_no_columns_says_so():
    frame = pytest.importorskip("pandas").DataFrame({"a": [1, 2]})
    for empty in ({}, frame[[]]):
        with pytest.raises(mo.InvalidInput, match=r"^the public data has no columns\. Give a table"):
            mo.Domain.draft(empty)


@pytest.mark.filterwarnings("ignore::mollify.DomainWarning")
def test_a_draft_of_a_table_in_memory_names_rows():
    """By their places, as `iloc` does. Of a file it names lines."""
    words = ["two\nlines"] * 3 + ["one"] * 57
    ages = [str(age % 40) for age in range(50)] + ["n/a"] * 10
    table = {"word": words, "age": ages}
    notes = " ".join(mo.Domain.draft(table, exclude=["word"]).notes)
    assert 'these are "n/a", as row 50, counted from 0, is' in notes and " line " not in notes
    ages[52:] = ["7"] * 8
    ages[50:52] = ["7", "seven"]
    assert 'row 51, counted from 0, is "seven"' in " ".join(mo.Domain.draft(table, exclude=["word"]).notes)


def test_a_day_ends_a_column_of_times_and_an_object_at_midnight_is_a_time():
    """A datetime cannot tell a day from its midnight, so it is a time, and a warning asks for the day."""
    pandas = pytest.importorskip("pandas")
    day = datetime.date(2023, 12, 31)
    evening = {"t": [datetime.datetime(2023, 12, 31, 18)]}

    def held(last, **settings):
        domain = mo.Domain({"t": mo.datetime("2023-01-01", last, outside="null", **settings)})
        return mo.Integral(domain, epsilon=1).check(evening)["mapped"] == []

    with warnings.catch_warnings():
        warnings.simplefilter("error", mo.DomainWarning)
        for last in ("2023-12-31", day, np.datetime64(day), pandas.Timestamp(day).date()):
            assert held(last)
        assert not held("2023-12-31T00:00:00")
        assert held(datetime.datetime(2023, 12, 31, 18))
        mo.Domain({"t": mo.datetime("2023-01-01", pandas.Timestamp(day), outside="clip", step="day")})
        mo.Domain({"t": mo.datetime(datetime.datetime(2023, 1, 1), "2023-12-31", outside="clip"), "d": mo.date(day, pandas.Timestamp(day), outside="clip")})
    for last in (pandas.Timestamp(day), datetime.datetime(2023, 12, 31), np.datetime64(day, "s"), np.datetime64(day, "ns")):
        with pytest.warns(mo.DomainWarning["ends-at-midnight"], match="first second of that day.*is a time") as seen:
            assert not held(last)
        assert [one.message.message.ways_out for one in seen] == [(mo.WayOut("set", "max", "2023-12-31"),)]
    with pytest.warns(mo.DomainWarning, match="Timestamp is a time"):
        mo.Domain({"t": mo.datetime("2023-01-01", pandas.Timestamp(day, tz="Europe/Berlin"), zone="Europe/Berlin", outside="clip")})
