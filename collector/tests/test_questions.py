"""What can be published, and that a count is a count of the outcome that it names."""

import json

import mollify as mo
import pytest
from conftest import spec

from mollify_collector.questions import Refused, counted, read, tables

EVERY_TYPE = """columns:
  sex: {type: categorical, values: ["f, or so", 'say "m"', ">="], outside: clip, null: category}
  level: {type: ordinal, values: [low, high], outside: clip, null: low}
  known: {type: boolean, null: category}
  age: {type: integer, min: -5, max: 99, bins: 4, outside: clip, null: category}
  size: {type: number, min: -3, max: 25, bins: 3, outside: clip, null: category}
  day: {type: date, min: 2020-01-01, max: 2020-12-31, bins: 2, outside: clip, null: category}
  time: {type: datetime, min: 2020-01-01, max: 2020-12-31, bins: 2, outside: clip, null: category}
"""


def test_each_outcome_is_the_outcome_of_the_estimate():
    version = read(spec("2", EVERY_TYPE))
    assert version.outcomes == 4 * 2 * 3 * 5 * 4 * 3 * 3
    for outcome in (0, 1, 57, 1234, version.outcomes - 1):
        shares = [one["probability"] for one in counted(version, {outcome: 3})["estimates"]]
        assert max(range(len(shares)), key=shares.__getitem__) == outcome


def test_a_column_alone_with_nulls():
    version = read(spec("2", "columns:\n  known: {type: boolean, null: category}\n"))
    [(name, cells)] = tables(counted(version, {0: 1, 1: 2, 2: 4})).items()
    assert name == "known"
    assert [cell["outcome"] for cell in cells] == ["false", "true", "null"]
    shares = [cell["probability"] for cell in cells]
    assert shares == sorted(shares)


def test_the_estimate_is_mollifys_of_the_same_records(tmp_path):
    version = read(spec())
    rows = [("foot", 5), ("foot", 35), ("bus, train", 80)]
    file = tmp_path / "records.csv"
    file.write_text("way,minutes\n" + "".join(f'"{way}",{minutes}\n' for way, minutes in rows))
    asked = mo.estimate(file, mo.Certificate(version.certificate), confidence=0.9, weighting="reports")
    assert dict(counted(version, {0: 1, 1: 1, 8: 1}, 0.9)) == dict(asked)


def test_the_certificate_holds_and_names_the_bytes():
    version = read(spec())
    certificate = mo.Certificate(version.certificate)
    assert mo.verify(certificate, mo.Domain.parse(certificate.spec["domain"]["text"])).holds
    assert json.loads(version.certificate)["privacy"]["epsilon"] == 3
    assert read(spec()).digest == version.digest
    assert read(spec("2.9")).digest != version.digest


@pytest.mark.parametrize(
    "text, part",
    [
        (json.dumps({"method": "central"}), '"method": "local"'),
        ("[]", "JSON object"),
        (spec(unit="person"), "unit"),
        (spec(roster={"file": "people.csv"}), "roster"),
        (spec(count=2), "leave count out"),
        (spec(mechanism="minimax"), "randomized-response"),
        (spec(columns="columns:\n  a: {type: integer, min: 0, max: 200000, outside: clip, null: 0}\n"), "fewer values or bins"),
        (spec(columns="columns:\n  a: {type: boolean}\n  b: {type: boolean}\nrules:\n  - if a then b\n"), "rules"),
    ],
)
def test_a_question_that_cannot_be_collected(text, part):
    with pytest.raises((Refused, mo.InvalidInput), match=part):
        read(text)
