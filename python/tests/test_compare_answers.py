"""Answers about rows themselves, next to the same numbers computed by hand."""

import math

import pytest

import mollify as mo

ROWS = range(6000)
DATA = {
    "id": [i // (1 + i % 3) for i in ROWS],
    "sick": [(i * i) % 7 < 2 + i % 2 for i in ROWS],
    "old": [i % 2 == 0 for i in ROWS],
    "age": [20 + i % 50 for i in ROWS],
    "cost": [(i * 37 % 1009) ** 2 / 1000 for i in ROWS],
}
DOMAIN = mo.Domain(
    {
        "sick": mo.boolean(outside="false", null="false"),
        "old": mo.boolean(outside="false", null="false"),
        "age": mo.integer(0, 99, outside="clip", null=0),
        "cost": mo.number(edges=[0, 1, 10, 200, 2000], outside="clip", null=0),
    }
)


def compared(question, table=DATA, domain=DOMAIN, **parts):
    (found,) = mo.nonprivate.compare(table, table, domain, questions=question, **parts)["questions"]
    return found


def asked(question, **parts):
    found = compared(question, **parts)
    assert found["refused"] == {}
    return {(row["group"], row["of"]): row["truth"] for row in found["rows"] if row["part"] == "answers"}


def test_shares_and_means_are_the_tables_own():
    shares = asked("share(sick = true) by old")
    for old in (True, False):
        chosen = [sick for sick, one in zip(DATA["sick"], DATA["old"]) if one == old]
        (found,) = [value for (group, _), value in shares.items() if group == str(old).lower()]
        assert found == pytest.approx(sum(chosen) / len(chosen), rel=1e-9)
    (mean,) = asked("mean(cost)").values()
    assert mean == pytest.approx(sum(DATA["cost"]) / len(ROWS), rel=2e-3), "bins hide little of it"
    (median,) = asked("quantile(age, .5)").values()
    assert median in (44, 45)


def test_units_weigh_the_same():
    of = {}
    for unit, sick in zip(DATA["id"], DATA["sick"]):
        of.setdefault(unit, []).append(sick)
    expected = sum(sum(one) / len(one) for one in of.values()) / len(of)
    found = asked("share(sick)", unit="id")
    assert found[None, "true"] == pytest.approx(expected, rel=1e-9)
    assert abs(found[None, "true"] - sum(DATA["sick"]) / len(ROWS)) > 1e-3, "which rows alone would not show"


def test_regressions_are_the_rows_own():
    linear = asked("age ~ old")
    ages = {old: [age for age, one in zip(DATA["age"], DATA["old"]) if one == old] for old in (True, False)}
    means = {old: sum(some) / len(some) for old, some in ages.items()}
    assert linear[None, "old = true"] == pytest.approx(means[True] - means[False], rel=1e-6)
    logistic = asked("sick = true ~ old")
    odds = {}
    for old in (True, False):
        chosen = [sick for sick, one in zip(DATA["sick"], DATA["old"]) if one == old]
        odds[old] = math.log(sum(chosen) / (len(chosen) - sum(chosen)))
    assert logistic[None, "old = true"] == pytest.approx(odds[True] - odds[False], rel=1e-6)


def test_wrong_questions_are_refused():
    for question in ("nonsense", "share(nothing)", "share(sick = maybe)", ""):
        with pytest.raises(mo.InvalidInput):
            mo.nonprivate.compare(DATA, DATA, DOMAIN, questions=question)


def test_weighted_rows_have_no_answers():
    table = DATA | {"w": [1 + i % 2 for i in ROWS]}
    found = mo.nonprivate.compare(DATA, table, DOMAIN, questions="share(sick)", weights="w", greatest_weight=2)["questions"][0]
    assert "weights" in found["refused"]["truth"] and "released" not in found["refused"]
    assert all(row["truth"] is None for row in found["rows"])


def test_too_many_values_have_no_answer():
    many = {name: mo.integer(0, 9999, outside="clip", null=0) for name in "ab"}
    refused = compared("a:b", {"a": [1], "b": [2]}, mo.Domain(many))["refused"]
    assert "too many values" in refused["truth"] and "too many values" in refused["released"]


def test_a_regression_of_three_terms_uses_their_joint():
    rows = [(a, b, c) for a in (False, True) for b in (False, True) for c in (False, True)]
    counts = {row: (5 + 40 * (row[2] == (row[0] != row[1])), 20 - 2 * sum(row)) for row in rows}
    data = {name: [] for name in ("y", "a", "b", "c")}
    for row, (yes, no) in counts.items():
        for y, count in ((True, yes), (False, no)):
            for name, value in zip(data, (y, *row)):
                data[name] += [value] * count
    domain = mo.Domain({name: mo.boolean(outside="false", null="false") for name in data})
    found = {row["of"]: row["truth"] for row in compared("y = true ~ a + b + c", data, domain)["rows"]}
    slopes = [found[f"{name} = true"] for name in ("a", "b", "c")]
    # The likelihood's equations, in every term.
    for term in range(4):
        off = 0.0
        for row, (yes, no) in counts.items():
            mean = 1 / (1 + math.exp(-found["(all)"] - sum(s * x for s, x in zip(slopes, row))))
            off += (1 if term == 0 else row[term - 1]) * (yes - (yes + no) * mean)
        assert abs(off) < 1e-3 * sum(map(sum, counts.values()))
