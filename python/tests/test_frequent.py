"""Frequent words of an open alphabet."""

import math
import random

import pytest

import mollify as mo
from mollify import _frequent

PERSONS = 80_000


def words_of_persons():
    """Two persons in five say hello, one in five says schön, and the others say words of their own."""
    rng = random.Random()
    said = {}
    for person in range(PERSONS):
        own = "".join(rng.choice("abcdefghijklmnop") for _ in range(rng.randint(1, 12)))
        said[person] = rng.choices(["hello", "schön", own], [2, 1, 2])[0]
    return said


def share_of(word):
    """In the population; of words of their own, those of 6 letters or more are cut to 6."""
    if word in ("hello", "schön"):
        return {"hello": 0.4, "schön": 0.2}[word]
    return 0.4 / 12 * (7 if len(word) == 6 else 1) / 16 ** len(word)


def test_finds_the_frequent_words_and_says_above_which_share():
    """All that is said holds with probability 1 - 1e-6; no word is known before."""
    found = mo.frequent_words(words_of_persons(), range(PERSONS), epsilon=5, length=6, confidence=1 - 1e-6)
    assert found.threshold < 0.2
    assert [one.word for one in found.words][:2] == ["hello", "schön"]
    for one in found.words:
        assert 0 < one.lower <= share_of(one.word) <= one.upper
    assert str(found).splitlines()[1].startswith("hello ")


def test_each_person_answers_once(monkeypatch):
    """So nobody spends more than epsilon: the groups of the rounds are disjoint, and all are persons of the list."""
    asked = []

    def reports(beginnings, group, *others):
        asked.append(group)
        return _reports(beginnings, group, *others)

    _reports = _frequent._reports
    monkeypatch.setattr(_frequent, "_reports", reports)
    found = mo.frequent_words(dict.fromkeys(range(5000), "a"), range(5000), epsilon=6, length=2)
    assert len(found.releases) == len(asked) >= 3
    everybody = [person for group in asked for person in group]
    assert len(set(everybody)) == len(everybody)
    assert set(everybody) <= set(range(5000))
    for group, release in zip(asked, found.releases):
        assert len(release) == len(group) == 1000
        assert float(release.certificate.spec["privacy"]["epsilon"]) == found.epsilon == 6
        assert release.certificate.spec["count"] == 1


def test_words_of_any_kind_are_spelled():
    """A private value never stops a release."""
    assert _frequent._spelled("hé", 8) == ["68c3a90"]
    assert _frequent._spelled("hé", 2) == ["680"]  # no half of a character
    assert _frequent._spelled(["a", "b"], 8) == ["610", "620"]
    assert _frequent._spelled("a\nb", 8) == ["6120620"]
    for nothing in (None, math.nan, [], ""):
        assert _frequent._spelled(nothing, 8) in ([], ["0"])
    assert _frequent._spelled(7, 8) == ["370"]
    assert _frequent._spelled("\ud800", 8) == ["3f0"]
    for word in ("hello", "schön", "日本", "a\U0001f600"):
        digits = _frequent._hex(word, 16)
        for place in range(len(digits)):
            assert digits[place] in _frequent._next_digits(digits[:place], 32)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"length": 0}, "length must be a whole number from 1 to 64"),
        ({"most": 0}, "most must be a whole number from 1"),
        ({"units": range(4)}, "units must be at least 17"),
        ({"words": ["a"]}, "words must be a dict of persons"),
        ({"epsilon": 0}, "epsilon"),
        ({"confidence": 2}, "confidence"),
    ],
)
def test_wrong_parameters_are_refused(wrong, said):
    given = {"words": {0: "a"}, "units": range(40), "epsilon": 2} | wrong
    with pytest.raises(mo.InvalidInput, match=said):
        mo.frequent_words(given.pop("words"), given.pop("units"), **given)
