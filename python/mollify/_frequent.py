"""Frequent words of an open alphabet: rounds of randomized response along a prefix tree."""

from __future__ import annotations

import math
import secrets
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mollify._analysis import Estimate, estimate
from mollify._checks import number, out_of_range, whole_number, wrong_value
from mollify._domain import Domain, categorical
from mollify._methods import Local
from mollify._refusal import refusal
from mollify._release import Release
from mollify._warning import ReleaseWarning

_OTHER = "other"  # has letters that no hexadecimal digit is
_END = "0"  # no character of a word begins so in UTF-8


@dataclass(frozen=True)
class Word:
    """A frequent word, and its share in the population that persons are a sample of."""

    word: str
    share: float
    lower: float
    upper: float


@dataclass(frozen=True)
class FrequentWords:
    """Words that many persons have. All that is said here holds together with
    probability `confidence`, for the population that the persons are a random sample
    of: every word has a share from its `lower` to its `upper`, and `lower` is above 0;
    and every word with a share above `threshold` is listed.
    """

    words: tuple[Word, ...]
    """The most frequent first."""
    threshold: float
    confidence: float
    epsilon: float
    """What each person spent: each answered in one round."""
    releases: tuple[Release, ...]
    """The records of each round, with a certificate for each."""

    def __str__(self) -> str:
        lines = [f"{'word':20} {'share':>8} {'lower':>8} {'upper':>8}"]
        lines += [f"{one.word:20} {one.share:8.4f} {one.lower:8.4f} {one.upper:8.4f}" for one in self.words]
        lines.append(f"every word with a share above {self.threshold:.4f} is listed, with probability {self.confidence:g}")
        return "\n".join(lines)


def frequent_words(
    words: Mapping[Any, str | Sequence[str]],
    units: Sequence[Any],
    *,
    epsilon: float,
    length: int = 8,
    most: int = 20,
    confidence: float = 0.95,
) -> FrequentWords:
    """Find words that many persons have, with no list of words to choose from.

    The persons are divided by chance into one group for each round. In a round each
    person of its group reports, by randomized response, which of the beginnings that
    are left its own word has, or none of them. Frequent beginnings go on to the next
    round, longer by half a byte of UTF-8. Each person answers once, so each spends
    `epsilon` and no more.

    Parameters
    ----------
    words : dict
        Of each person its word, or a list of words, of which one is drawn. PRIVATE.
    units : list
        All persons, which must be public. One without words has none of the beginnings.
    epsilon : float
        What each person spends, from 1e-6.
    length : int
        Words are cut to this many bytes, 1 to 64, which takes twice as many rounds and
        one more. Default: 8.
    most : int
        How many beginnings go on at most, 1 to 10 000. Default: 20.
    confidence : float
        That all found holds: above 0.5 and below 1. Default: 0.95.

    Returns
    -------
    FrequentWords
        Words with shares and intervals; none with a share above `threshold` is missing.

    Raises
    ------
    InvalidInput
        For parameters that are out of range, and for fewer persons than rounds.

    Examples
    --------
    >>> words = {person: "hello" if person % 4 else "ciao" for person in range(40_000)}
    >>> found = frequent_words(words, range(40_000), epsilon=4, length=5)
    >>> [one.word for one in found.words]
    ['hello', 'ciao']
    """
    whole_number("length", length, (1, 64))
    whole_number("most", most, (1, 10_000))
    if not 0.5 < number("confidence", confidence) < 1:
        raise out_of_range("confidence", confidence, "above 0.5 and below 1", above=0.5, below=1)
    persons = list(units)
    rounds = 2 * length + 1
    if len(persons) < rounds:
        raise refusal(
            "too-few-records", f"units must be at least {rounds}, one for each round, but are {len(persons)}", "units"
        )
    if not isinstance(words, Mapping):
        raise refusal("wrong-type", f"words must be a dict of persons, but is {wrong_value(words)}", "words")
    # By chance, and by nothing of the words: each group is a sample of the population.
    secrets.SystemRandom().shuffle(persons)
    spelled = {person: _spelled(words.get(person), length) for person in persons}
    kept = [""]
    found: dict[str, Word] = {}
    releases: list[Release] = []
    threshold = 0.0
    for place in range(rounds):
        beginnings = [one + digit for one in kept for digit in _next_digits(one, 2 * length)]
        group = persons[place::rounds]
        release = _reports(beginnings, group, spelled, place + 1, epsilon)
        releases.append(release)
        shares, least = _frequent(release, beginnings, most, 1 - (1 - confidence) / rounds)
        threshold = max(threshold, least)
        for one in shares:
            if one.word.endswith(_END) and len(one.word) % 2:
                text = bytes.fromhex(one.word[:-1]).decode(errors="replace")
                found[text] = Word(text, one.share, one.lower, one.upper)
        kept = [one.word for one in shares if not (one.word.endswith(_END) and len(one.word) % 2)]
        if not kept:
            break
    listed = sorted(found.values(), key=lambda one: -one.share)
    return FrequentWords(tuple(listed), threshold, confidence, float(epsilon), tuple(releases))


def _spelled(given: Any, length: int) -> list[str]:
    """A person's words as hexadecimal digits, each cut to whole characters of `length` bytes. Total: any value is some
    word or none.
    """
    if given is None or (isinstance(given, float) and math.isnan(given)):
        return []
    listed = given if isinstance(given, (list, tuple, set, frozenset)) else [given]
    return [_hex(str(word), length) for word in listed]


def _hex(word: str, length: int) -> str:
    # A character that begins with the digit of an end is a space.
    plain = word.translate(dict.fromkeys(range(16), " "))
    cut = plain.encode(errors="replace")[:length].decode(errors="ignore")
    return cut.encode().hex() + _END


def _next_digits(beginning: str, most: int) -> str:
    """What can follow in UTF-8: the next digit of a byte, or the end."""
    if len(beginning) == most:
        return _END
    if len(beginning) % 2:
        return "0123456789abcdef"
    # Bytes that the last character still lacks.
    lacking = 0
    for byte in bytes.fromhex(beginning):
        lacking = lacking - 1 if lacking else 3 if byte >= 0xF0 else 2 if byte >= 0xE0 else 1 if byte >= 0xC0 else 0
    return "89ab" if lacking else _END + "1234567cdef"


def _reports(
    beginnings: list[str], group: list[Any], spelled: Mapping[Any, list[str]], digits: int, epsilon: float
) -> Release:
    domain = Domain({"beginning": categorical([*beginnings, _OTHER], verbatim=True, null=_OTHER, outside=_OTHER)})
    # A person without words has none of the beginnings, and not a share of each.
    rows = [(str(person), word[:digits]) for person in group for word in spelled[person] or [_OTHER]]
    table = {"person": [person for person, _ in rows], "beginning": [word for _, word in rows]}
    method = Local(
        domain, unit="person", units=[str(person) for person in group], mechanism="randomized-response", epsilon=epsilon
    )
    with warnings.catch_warnings():
        # No single report is read as a record.
        warnings.simplefilter("ignore", ReleaseWarning["indistinct-from-noise"])
        return method.sample(table)


def _frequent(release: Release, beginnings: list[str], most: int, confidence: float) -> tuple[list[Word], float]:
    """The beginnings that somebody has for sure, and a share above which none is left out."""
    found: Estimate = estimate(release, confidence=confidence)
    cells = [one for one in found["estimates"] if one["outcome"] != _OTHER]
    # A share above its interval's width has a lower end above 0.
    least = max(one["upper"] - one["lower"] for one in cells)
    sure = sorted((one for one in cells if one["lower"] > 0), key=lambda one: -one["probability"])
    for left in sure[most:]:
        least = max(least, left["upper"])
    return [Word(one["outcome"], one["probability"], one["lower"], one["upper"]) for one in sure[:most]], least
