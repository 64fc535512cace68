"""Rules between columns: declared, written, kept by released rows."""

import dataclasses
import datetime
import pickle

import pytest

import mollify as mo

COLUMNS = {
    "age": mo.integer(0, 99, bins=10, outside="clip"),
    "married": mo.boolean(),
    "spouse_age": mo.integer(16, 99, bins=5, outside="clip"),
    "city": mo.categorical(["Lyon", "Metz", "Nice"]),
    "region": mo.categorical(["south", "east"]),
}
REGIONS = mo.follows("region", "city", {"Lyon": "south", "Metz": "east", "Nice": "south"})
RULES = [
    "if age < 16 then not married",
    ("spouses", "spouse_age is not null exactly when married"),
    REGIONS,
]


@pytest.fixture
def domain():
    return mo.Domain(COLUMNS, rules=RULES)


def test_are_what_a_file_declares(domain):
    lines = [
        "rules:",
        "- if age < 16 then not married",
        "- {name: spouses, rule: spouse_age is not null exactly when married}",
        "- {column: region, follows: city, map: {Lyon: south, Metz: east, Nice: south}}",
    ]
    columns = mo.Domain(COLUMNS)
    assert domain == mo.Domain.parse(columns.yaml() + "\n".join(lines))
    assert domain != columns
    assert columns.rules == ()
    assert domain.rules == (RULES[0], {"name": "spouses", "rule": RULES[1][1]}, REGIONS)
    assert repr(domain).endswith(" outcomes, 3 rules)")
    assert "rule" not in repr(columns)


def test_round_trips(domain, tmp_path):
    domain.write(tmp_path / "domain.yaml")
    for other in (
        mo.Domain(domain.columns, rules=domain.rules),
        mo.Domain(domain.columns, rules=iter(domain.rules)),
        mo.Domain.parse(domain.yaml()),
        mo.Domain.read(tmp_path / "domain.yaml"),
        pickle.loads(pickle.dumps(domain)),
    ):
        assert other == domain
        assert other.rules == domain.rules
        assert hash(other) == hash(domain)


@pytest.mark.parametrize("word", ["null", "~", "1.0", 'a "b"', "a: b", "{x}", "# no", "it's", "x" * 2000, "`"])
def test_hold_any_name_and_value(word):
    name = word[:500]  # a column's may be so long
    columns = {name: mo.categorical([word, "other"], null="other"), "b": mo.categorical([word, "c"])}
    made = mo.Domain(columns, rules=[mo.follows("b", name, {word: word, "other": None}, name=word)])
    assert made.rules == ({"name": word, "column": "b", "follows": name, "map": {word: word, "other": None}},)
    assert mo.Domain.parse(made.yaml()) == made == mo.Domain(columns, rules=made.rules)


def test_map_values_of_python():
    day = datetime.date(2020, 1, 31)
    columns = {"a": mo.date(values=[day, "2020-02-01"], null=day), "b": mo.integer(values=[1, 2])}
    made = mo.Domain(columns, rules=[mo.follows("b", "a", {day: 1.0, "2020-02-01": float("nan")})])
    assert made.rules[0]["map"] == {"2020-01-31": "1", "2020-02-01": None}


@pytest.mark.parametrize(
    ("rules", "code", "said"),
    [
        ("age < 15", "wrong-type", "rules must be a list of rules, but is of type str"),
        (5, "wrong-type", "rules must be a list of rules, but is of type int"),
        ({"a"}, "wrong-type", "rules must be a list of rules, but is of type set"),
        ([5], "wrong-type", "but one is of type int"),
        ([("a", ["b"])], "wrong-type", "must hold single values, but one is of type list"),
        ([("a", None)], "wrong-type", "rule"),
        ([("a", "b", "c")], "wrong-type", "but one is of type tuple"),
        ([["name", "agee < 15"]], "unknown-column", 'rule "name" names the word "agee"'),
        (["age <"], "malformed-text", 'rule "age <" must have a column or a value at letter 6'),
        ([{"rule": "age < 15", "nam": "x"}], "unknown-key", "nam"),
        ([{"column": "region", "follows": "city"}], "wrong-type", "map must map each value"),
        (["age < 10", "age > 20"], "contradictory-rules", "age"),
        (["age < 200"], "idle-rule", 'age < 200'),
    ],
)
def test_wrong_ones_are_refused(rules, code, said):
    with pytest.raises(mo.InvalidInput) as refused:
        mo.Domain(COLUMNS, rules=rules)
    assert refused.value.code == code
    assert said in str(refused.value)


def test_a_map_must_be_a_mapping():
    with pytest.raises(mo.InvalidInput, match="map must be a mapping"):
        mo.follows("region", "city", ["Lyon"])


def breaks(row):
    age, married, spouse, city, region = row
    expected = {"Lyon": "south", "Metz": "east", "Nice": "south", None: None}[city]
    return (age is not None and age < 16 and married) or (
        married is not None and (spouse is not None) != married
    ) or region != expected


def test_released_rows_keep_them(domain):
    rows = {
        "age": [5, 30, 40, 14] * 50,
        "married": [True, True, False, None] * 50,
        "spouse_age": [20, None, 50, 30] * 50,
        "city": ["Lyon", "Metz", None, "Nice"] * 50,
        "region": ["east", "east", "south", None] * 50,
    }
    release = mo.Marginals(domain, epsilon=3, count=500).sample(rows)
    model = release.model.sample(500, given={"city": "Metz"}, seed=1)
    for table in (release, model):
        columns = table.to_dict()
        drawn = list(zip(*(columns[name] for name in COLUMNS), strict=True))
        assert len(drawn) == 500
        assert not any(map(breaks, drawn))
    assert set(model.to_dict()["region"]) == {"east"}
    assert mo.verify(release, domain).holds


def test_are_written_for_validate(domain):
    text = domain.rules_for_validate()
    assert text.startswith('rules:\n- expr: "age >= 16 | married != TRUE"\n')
    names = [line.split(":")[0] for line in text.splitlines()[1:]]
    assert set(names) <= {"- expr", "  name", "  description"}
    again = mo.Domain.parse(mo.Domain(COLUMNS).yaml() + text)
    assert len(again.rules) == 5, "one for each region, and one for null"
    months = mo.Domain(
        {"birth": mo.date("2000-01-01", "2020-12-31"), "hired": mo.date("2000-01-01", "2020-12-31")},
        rules=["hired >= birth + 16 years"],
    )
    assert months.rules_for_validate() == '# R cannot say: "hired >= birth + 16 years"\nrules: []\n'
    with pytest.raises(mo.InvalidInput, match="must have rules to write"):
        mo.Domain(COLUMNS).rules_for_validate()


def test_drafts_have_none():
    with pytest.warns(mo.DomainWarning):
        draft = mo.Domain.draft({"age": [31, 42, 53], "name": ["a", "b", "c"]})
    assert draft.rules == ()
    assert mo.Domain(draft.columns, rules=["age > 31"]).rules == ("age > 31",)


def test_verify_tests_released_rows(domain, tmp_path):
    table = {
        "age": [40, 12, 70] * 300,
        "married": [True, False, True] * 300,
        "spouse_age": [38, None, 71] * 300,
        "city": ["Lyon", "Metz", "Nice"] * 300,
        "region": ["south", "east", "south"] * 300,
    }
    release = mo.Marginals(domain, epsilon=10, count=200, accept_error=True).sample(table)
    untested = mo.verify(release, domain)
    assert untested.holds
    assert (untested.rows_match, untested.values_match, untested.rules_hold, untested.released) == (None,) * 4
    release.to_csv(tmp_path / "rows.csv")
    frame = release.to_pandas()
    for rows in (release, frame, release.to_polars(), release.to_arrow(), tmp_path / "rows.csv"):
        found = mo.verify(release, domain, released=rows)
        assert found.holds, found.released
        assert (found.rows_match, found.values_match, found.rules_hold) == (True, True, True)
        assert found.released == {"rows": 200, "certified": 200, "faults": []}

    fewer = mo.verify(release, domain, released=frame[:150])
    assert (fewer.holds, fewer.rows_match, fewer.values_match) == (False, False, True)
    frame.loc[3, "age"] = 12
    frame.loc[3, "married"] = True
    frame.loc[3, "spouse_age"] = 30
    broken = mo.verify(release, domain, released=frame)
    assert (broken.holds, broken.verdict, broken.values_match, broken.rules_hold) == (False, "DOES NOT HOLD", True, False)
    assert broken.guarantee_holds
    assert [(one["rule"], one["rows"], one["row"]) for one in broken.released["faults"]] == [(RULES[0], 1, 3)]
    frame["name"] = "Ann"
    with pytest.raises(mo.InvalidInput, match='has no column "name"') as refused:
        mo.verify(release, domain, released=frame)
    assert refused.value.parameter == "released"


@pytest.mark.parametrize("word", ["local", "integral", "integral-model", "central", "gaussian", "gaussian-model", "marginals", "copula"])
def test_every_method_releases_rows_that_verify_accepts(word):
    numbers = {"x": mo.number(0, 100, null=0, outside="clip"), "y": mo.number(1, 50, null=9, outside=9)}
    mixed = {
        "x": mo.number(0, 100, bins=7, spikes=[0, 50]),
        "y": mo.number(0, 10, step=0.25, bins=5, missing=[-1]),
        "day": mo.date("2024-01-01", "2024-12-31", bins="month"),
        "time": mo.datetime("2024-01-01", "2024-01-02", bins=6, step="minute"),
        "word": mo.categorical(["None", "NA", "012", "12"], verbatim=True),
    }
    table = {
        "x": [0, 50, 3.7] * 3000,
        "y": [1.25, -1, 9] * 3000,
        "day": [datetime.date(2024, month, 3) for month in (1, 2, 3)] * 3000,
        "time": [datetime.datetime(2024, 1, 1, hour, 30) for hour in (1, 2, 3)] * 3000,
        "word": ["None", "012", "NA"] * 3000,
    }
    made = {
        "local": lambda: mo.Local(mixed, epsilon=9, count=50, candidates=500),
        "integral": lambda: mo.Integral(mixed, epsilon=9, count=50, candidates=500),
        "integral-model": lambda: mo.IntegralModel(mixed, epsilon=9, count=50, candidates=50),
        "central": lambda: mo.Central({"x": mixed["x"], "word": mixed["word"]}, epsilon=1, delta=1e-6, count=50),
        "gaussian": lambda: mo.Gaussian(numbers, rho=0.5, count=50, covariance=[[40, 1], [1, 9]], log=["y"]),
        "gaussian-model": lambda: mo.GaussianModel(numbers, epsilon=1, delta=1e-6, count=50),
        "marginals": lambda: mo.Marginals(mixed, epsilon=1, count=500),
        "copula": lambda: mo.Marginals({name: mixed[name] for name in ("x", "y", "day", "time")}, epsilon=1, count=500, copula=True),
    }[word]()
    release = dataclasses.replace(made, accept_error=True).sample(table)
    found = mo.verify(release, made.domain, released=release)
    assert found.holds, found.released
    assert found.rows_match
    text = mo.verify(release, made.domain, released=release.to_pandas()[1:])
    assert (text.rows_match, text.values_match) == (False, True), text.released
