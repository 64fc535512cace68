"""Charts: what they show, by their data, and that the private ones say so."""

import pytest

import mollify as mo
from by_word import by_word, plan_by_word

altair = pytest.importorskip("altair")

WARNING = "NOT PRIVATE: for the data holder only"


def drawn(chart):
    """The one data set of a chart, after altair has found nothing wrong with it."""
    made = chart.to_dict()
    (rows,) = made["datasets"].values() if "datasets" in made else [made["data"]["values"]]
    return made, rows


def test_draws_law_beside_truth_and_reference(schools):
    found = mo.Local(schools / "schools.yaml", unit="school", epsilon=2).compare(schools / "schools.csv")
    made, rows = drawn(found.plot())
    assert made["title"]["subtitle"] == [WARNING]
    assert len(rows) == 3 * 12
    for kind in ("real data", "release", "reference"):
        assert sum(row["probability"] for row in rows if row["of"] == kind) == pytest.approx(1)

    made, rows = drawn(found.plot("epsilon", distance="kl"))
    assert made["title"]["subtitle"] == [WARNING]
    laws = [row["Kullback-Leibler divergence"] for row in rows if row["of"] == "release"]
    assert laws == sorted(laws, reverse=True)
    assert laws[3] == found["law"]["kl"]
    with pytest.raises(mo.InvalidInput, match="distance"):
        found.plot("epsilon", distance="far")
    with pytest.raises(mo.InvalidInput, match="against"):
        found.plot("n")


def test_draws_what_is_released_of_a_table_of_columns():
    domain = {"a": mo.categorical(["x", "y"], null="x"), "b": mo.integer(0, 9, bins=2, null=0)}
    table = {"a": ["x", "y"] * 2000, "b": [1, 2, 7, 8] * 1000}
    for options, kinds in (
        ({"method": "marginals"}, {"real data", "released", "independent"}),
        ({"method": "central"}, {"real data", "release", "uniform"}),
    ):
        method = by_word(domain, epsilon=1, delta=1e-6, count=1, **options)
        found = method.compare(table)
        made, rows = drawn(found.plot())
        assert made["title"]["subtitle"] == [WARNING]
        of = {(row["column"], row["other"]): row["total variation"] for row in rows}
        (pair,) = list(found["pairs"].values())[0]["tv"]
        assert of["a", "b"] == of["b", "a"] == pair
        assert max(of["a", "a"], of["b", "b"]) <= pair + 1e-12
        only = {"a": domain["a"]}
        made, rows = drawn(by_word(only, epsilon=1, delta=1e-6, count=1, **options).compare(table).plot())
        assert made["title"]["subtitle"] == [WARNING]
        assert {row["of"] for row in rows} == kinds
        assert len(rows) == 3 * 2
        assert sum(row["probability"] for row in rows if row["of"] == "real data") == pytest.approx(1)
        made, rows = drawn(found.plot("epsilon"))
        assert made["title"]["subtitle"] == [WARNING]
        assert {row["of"] for row in rows} == kinds - {"real data"}
    with pytest.raises(mo.InvalidInput, match="no Kullback"):
        mo.Marginals(domain, epsilon=1, delta=1e-6, count=1).compare(table).plot("epsilon", distance="kl")


def test_draws_the_law_of_a_draw():
    made, rows = drawn(mo.nonprivate.law(mo.Sampler(k=3, epsilon=1), [1, 0, 0]).plot())
    assert made["title"]["subtitle"] == [WARNING]
    assert [row["probability"] for row in rows][0] == pytest.approx(0.5761, abs=1e-4)


def test_draws_plans():
    asked = mo.Local.plan_of(k=12, epsilon=1)
    made, rows = drawn(asked.plot())
    assert made["title"]["subtitle"] == []
    assert [row["epsilon"] for row in rows] == [1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8]
    assert rows[3]["total variation"] == asked["alpha"]
    assert made["encoding"]["x"]["axis"]["values"] == [1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8]  # each has its label
    dashes = drawn(mo.Local.plan_of(k=12, epsilon=1, mechanism="all").plot())[0]["encoding"]["strokeDash"]["scale"]
    assert len({tuple(one) for one in dashes["range"][:4]}) == 4  # so that lines that coincide are seen
    curve = mo.Central.plan_of(k=4, epsilon=1, delta=1e-6, count=3, n=500, curve=True)
    _, rows = drawn(curve.plot())
    assert {row["mechanism"] for row in rows} >= {"subsampled-rr", "histogram"}
    assert len({row["n"] for row in rows}) == len(curve["curve"])
    for nothing in (mo.Local.plan_of(k=12, alpha=0.1), mo.amplify(k=4, n=1000, epsilon0=1, delta=1e-6)):
        with pytest.raises(mo.InvalidInput):
            nothing.plot()


def test_draws_plans_of_models():
    domain = {"a": mo.categorical(["x", "y"], null="x"), "b": mo.integer(0, 9, null=0)}
    for options in (
        {"method": "marginals"},
        {"method": "gaussian-model", "dimension": 2},
    ):
        declared = None if "dimension" in options else domain
        asked = plan_by_word(declared, n=5000, epsilon=1, delta=1e-7, **options)
        made, rows = drawn(asked.plot())
        assert [row["epsilon"] for row in rows] == [1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8]
        assert rows[3]["total variation"] == asked["answers"][0]["alpha"]
        assert "as expected" in made["title"]["text"]
        curve = plan_by_word(declared, n=5000, epsilon=1, delta=1e-7, curve=True, **options)
        _, rows = drawn(curve.plot())
        assert len(rows) == len(curve["answers"][0]["curve"])
        assert {row["mechanism"] for row in rows} == {options["method"]}


def test_draws_a_budget_over_time(tmp_path, domain):
    ledger = mo.Ledger(tmp_path / "budget.db")
    ledger.declare("health", epsilon=2, delta=1e-6, scope="table")
    for epsilon in (0.5, 0.25):
        method = mo.Integral(domain, epsilon=epsilon, accept_error=True)
        method.sample({name: ["1"] for name in domain}, ledger=ledger, data_set="health")
    assert [entry["kind"] for entry in ledger.history("health")] == ["total", "release", "release"]
    _, rows = drawn(ledger.plot("health"))
    assert [row["spent"] for row in rows] == [0, 0.5, 0.75]
    assert [row["total"] for row in rows] == [2, 2, 2]
    with pytest.raises(mo.InvalidInput):
        ledger.plot("unknown")


@pytest.mark.parametrize("last", ["2026-11-26T19:16:27Z", "2026-11-26T19:16:29Z", "2026-11-28T07:00:00Z"])
def test_times_of_a_budget_are_whole_seconds_with_their_date(last):
    from mollify import _plot

    times = ["2026-11-26T19:16:27Z", last]
    rows = [{"number": i, "time": time, "mechanism": None, "spent": i, "total": 2} for i, time in enumerate(times)]
    made, _ = drawn(_plot.spent(rows, "epsilon", "a"))
    x = made["layer"][0]["encoding"]["x"]
    low, high = x["scale"]["domain"]
    assert x["axis"]["values"] == sorted({*x["axis"]["values"]}) and len(x["axis"]["values"]) == 3
    assert all(low <= one <= high and one % 1000 == 0 for one in x["axis"]["values"])
    assert high - low >= 4000 and x["axis"]["format"] == "%Y-%m-%d %H:%M:%S"


def test_times_of_a_long_budget_are_dates():
    from mollify import _plot

    rows = [{"number": 1, "time": f"2026-{month}-26T19:16:27Z", "mechanism": None, "spent": 1, "total": 2} for month in ("09", "11")]
    made, _ = drawn(_plot.spent(rows, "epsilon", "a"))
    assert made["layer"][0]["encoding"]["x"]["axis"]["format"] == "%Y-%m-%d"


def test_draws_estimates_with_their_intervals_and_whole_labels():
    name, word = "a column whose name has sixty characters, or nearly so many!", "a value whose label has sixty characters, or nearly so many!!"
    domain = {name: mo.categorical([word, "other"], outside="other", null="other"), "member": mo.boolean(null=False)}
    units = [f"u{i}" for i in range(400)]
    data = {"u": units, name: [word] * 400, "member": [True, False] * 200}
    method = mo.Local(domain, unit="u", units=units, epsilon=3, mechanism="randomized-response")
    found = mo.estimate(method.sample(data))
    made, rows = drawn(found.plot())
    assert [(row["column"], row["outcome"]) for row in rows] == [
        (name, word), (name, "other"), ("member", "false"), ("member", "true")
    ]  # fmt: skip
    for row in rows:  # an unbiased estimate may lie beyond 0 or 1, where no interval goes
        assert row["lower"] <= min(max(row["probability"], 0), 1) <= row["upper"]
    assert made["spec"]["layer"][0]["encoding"]["y"]["axis"]["labelLimit"] == 0
    assert made["facet"]["row"]["header"]["labelLimit"] == 0
    assert "NOT PRIVATE" not in str(made["title"])
    with pytest.raises(mo.InvalidInput, match="leave out `against`"):
        found.plot("epsilon")
    with pytest.raises(mo.InvalidInput, match="which is 'member'. to_pandas takes a column"):
        found.plot("member")
    with pytest.raises(mo.InvalidInput, match='Its columns are a column .*, member'):
        found.to_pandas("nobody")
    with pytest.raises(mo.InvalidInput, match="must be a Release, a Certificate, its dict, its JSON or the path"):
        mo.estimate(method.sample(data), mo.Domain(domain))
