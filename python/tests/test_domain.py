"""Domains: made, read, written, compared, pickled."""

import pickle

import pytest

import mollify as mo


def test_is_what_a_file_declares(schools):
    made = mo.Domain(
        {
            "sex": mo.categorical(["female", "male"]),
            "minority": mo.boolean(),
            "math": mo.number(-3, 25, bins=3, outside="clip"),
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


@pytest.mark.parametrize(
    "columns",
    [
        {},
        {"a": {"type": "float"}},
        {"a": mo.categorical([])},
        {"a": mo.categorical(["x", "x"])},
        {"a": mo.integer(3, 1)},
        {"a": mo.number(0, float("nan"))},
        {"a": mo.boolean(null="perhaps")},
        {"a\nb": mo.boolean()},
    ],
)
def test_refuses_what_is_no_domain(columns):
    with pytest.raises(mo.InvalidInput) as refused:
        mo.Domain(columns)
    assert "\n" not in str(refused.value)


def test_refusals_are_value_errors():
    assert issubclass(mo.InvalidInput, ValueError)
    assert mo.InvalidInput.__module__ == "mollify"
