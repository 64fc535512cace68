"""Calls that are refused, of every function, and what they are made of."""

import mollify as mo

DOMAIN = {
    "sex": mo.categorical(["f", "m"], null="f", outside="f"),
    "age": mo.integer(0, 99, null="0", outside="clip"),
}
NUMBERS = {name: mo.number(0, 1, null="0", outside="clip") for name in ("x", "y")}
MANY = {f"c{i}": mo.integer(0, 999, null="0", outside="clip") for i in range(9)}
TABLE = {"u": [1, 1, 2], "sex": ["f", "m", "f"], "age": [1, 2, 3]}
POINTS = {"u": [1, 1, 2], "x": [0.1, 0.2, 0.3], "y": [0.1, 0.2, 0.3]}
IDENTITY = [[1.0, 0.0], [0.0, 1.0]]

METHODS = {
    mo.Local: (DOMAIN, TABLE, {"epsilon": 1, "accept_error": True}),
    mo.Integral: (DOMAIN, TABLE, {"epsilon": 1, "accept_error": True}),
    mo.IntegralModel: (DOMAIN, TABLE, {"epsilon": 1, "accept_error": True}),
    mo.Central: (DOMAIN, TABLE, {"epsilon": 1, "delta": 1e-6, "count": 2, "accept_error": True}),
    mo.Gaussian: (NUMBERS, POINTS, {"epsilon": 1, "delta": 1e-6, "count": 2, "covariance": IDENTITY}),
    mo.GaussianModel: (NUMBERS, POINTS, {"epsilon": 1, "delta": 1e-6, "count": 2, "accept_error": True}),
    mo.Marginals: (DOMAIN, TABLE, {"epsilon": 1, "delta": 1e-6, "count": 2, "accept_error": True}),
}

PARAMETERS = [
    {"epsilon": None, "delta": None}, {"epsilon": -1}, {"epsilon": "abc"}, {"epsilon": 1, "mu": 1},
    {"epsilon": 1, "rho": 0.5}, {"count": 0}, {"count": 1.5}, {"delta": 2}, {"delta": "x"},
    {"mechanism": "minmax"}, {"mechanism": "subset"}, {"units": ["a"]}, {"reference": 3}, {"band": "typica"},
    {"space": "grd"}, {"score": "x"}, {"neighbours": "x"}, {"support": "x"}, {"log": "zz"},
    {"covariance": [[1.0]]}, {"unit": ["u", "u"]}, {"epsilon": [1, 2]}, {"log": 3}, {"copula": 3}, {"accept_error": "yes"}, {"candidates_file": 3},
]  # fmt: skip
DATA = [3, "nosuch.csv", {"q": [1]}, {}, [[1, 2]]]
SAMPLED = [
    {"counts_column": "n"}, {"counts_column": 3}, {"threads": 0}, {"threads": "x"}, {"ledger": "x.db"}, {"data_set": "a"},
    {"ledger": "nosuch.db", "data_set": "a"}, {"lists": ["q"]},
]  # fmt: skip
PLANNED = [
    {"n": 0}, {"n": "a"}, {"n": 10, "alpha": 0.1}, {"alpha": 0}, {"alpha": 2}, {"region": "sex"},
    {"region": "sex=q"}, {"region": "q=1"},
]  # fmt: skip
ASKED = [
    {}, {"k": 16}, {"k": 0, "epsilon": 1}, {"k": 99999999, "epsilon": 1}, {"domain": DOMAIN}, {"n": 100, "epsilon": 1},
    {"domain": DOMAIN, "k": 3, "epsilon": 1}, {"domain": MANY, "epsilon": 1, "n": 100},
    {"domain": DOMAIN, "epsilon": []}, {"domain": DOMAIN, "epsilon": 1, "region": 3}, {"epsilon": 1},
    {"domain": DOMAIN, "epsilon": 1, "n": 100, "delta": 0.5}, {"k": 16, "mechanism": "x", "epsilon": 1},
]  # fmt: skip


def wrong_calls():
    """Names and calls that are to be refused."""
    for kind, (domain, table, usual) in METHODS.items():
        name, fields = kind.__name__, kind.__dataclass_fields__
        for wrong in PARAMETERS:
            if set(wrong) <= set(fields):
                yield f"{name}({wrong})", lambda k=kind, d=domain, u=usual, w=wrong, t=table: k(d, **(u | w)).sample(t)
        method = kind(domain, **usual)
        for data in DATA:
            yield f"{name}.sample({data})", lambda m=method, d=data: m.sample(d)
            yield f"{name}.check({data})", lambda m=method, d=data: m.check(d)
            yield f"{name}.compare({data})", lambda m=method, d=data: m.compare(d)
        for wrong in SAMPLED:
            yield f"{name}.sample({wrong})", lambda m=method, t=table, w=wrong: m.sample(t, **w)
        yield f"{name}.compare([])", lambda m=method, t=table: m.compare(t, epsilon=[])
        yield f"{name}.compare(epsilon)", lambda m=method, t=table: m.compare(t, epsilon=[-1])
        yield f"{name}.check(most)", lambda m=method, t=table: m.check(t, most=-1)
        known = kind.plan.__annotations__
        if "n" in known:
            yield f"{name}.plan()", lambda m=method: m.plan()
        for wrong in PLANNED:
            if set(wrong) <= set(known):
                yield f"{name}.plan({wrong})", lambda m=method, w=wrong: m.plan(**w)
        known = kind.plan_of.__annotations__
        for wrong in ASKED:
            takes_many = kind is mo.Marginals and wrong.get("domain") is MANY
            if set(wrong) <= set(known) and not takes_many:
                yield f"{name}.plan_of({sorted(wrong)})", lambda k=kind, w=wrong: k.plan_of(**w)
    local = mo.Local(DOMAIN, unit="u", epsilon=1, accept_error=True)
    yield "tune without unit", lambda: mo.Local(DOMAIN, epsilon=1).tune(TABLE)
    yield "tune a mechanism", lambda: mo.Local(DOMAIN, unit="u", epsilon=1, mechanism="minimax").tune(TABLE)
    yield "tune divergence", lambda: local.tune(TABLE, divergence="x")
    yield "tune the data", lambda: local.tune(TABLE, data=dict(TABLE))
    yield "tune out", lambda: local.tune(TABLE, out="/nosuch/band.json")
    yield "many outcomes", lambda: mo.Central(MANY, epsilon=1, count=3).sample({name: [1] for name in MANY})
    yield "no bins", lambda: mo.Marginals(NUMBERS, epsilon=1, count=3).sample(POINTS)
    yield "noise", lambda: mo.Central(DOMAIN, epsilon=1, count=2).sample(TABLE)
    yield "large delta", lambda: mo.Central(DOMAIN, epsilon=1, delta=0.5, count=2).sample(TABLE)
    release = mo.Local(DOMAIN, unit="u", units=[1, 2], epsilon=8).sample(TABLE)
    model = mo.Marginals(DOMAIN, epsilon=8, count=3, accept_error=True).sample(TABLE).model
    for given in (3, "nosuch.json", "{}", {}, None, [1], {"a": {1}}, "{"):
        yield f"verify({given})", lambda g=given: mo.verify(g, DOMAIN)
    yield "verify without candidates", lambda: mo.verify(release, DOMAIN, candidates_file="nosuch.csv")
    yield "verify without a reference", lambda: mo.verify(release, DOMAIN, reference=TABLE)
    yield "estimate rows", lambda: mo.estimate(TABLE)
    yield "estimate confidence", lambda: mo.estimate(release, confidence=2)
    yield "estimate method", lambda: mo.estimate(release, method="x")
    yield "estimate domain", lambda: mo.estimate(release, domain=NUMBERS)
    yield "advise purpose", lambda: mo.advise(DOMAIN, purpose="x")
    yield "advise nothing", lambda: mo.advise(purpose="records")
    yield "advise protect", lambda: mo.advise(DOMAIN, purpose="records", protect="x")
    yield "advise columns", lambda: mo.advise(columns=[3, "x"], purpose="records", protect="row")
    yield "advise twice", lambda: mo.advise(DOMAIN, columns=[3, 2], purpose="records", protect="row", n=10)
    yield "advise a number of columns", lambda: mo.advise(columns=3, purpose="table", protect="row", n=10)
    yield "advise method", lambda: mo.advise(DOMAIN, purpose="records", method="central")
    yield "advise delta", lambda: mo.advise(DOMAIN, purpose="table", protect="row", n=300, epsilon=1, delta=0.5)
    yield "amplify nothing", lambda: mo.amplify()
    yield "amplify one", lambda: mo.amplify(k=3, n=100)
    yield "amplify four", lambda: mo.amplify(k=3, n=100, epsilon0=1, epsilon=1, delta=1e-9)
    yield "amplify delta", lambda: mo.amplify(k=3, n=100, epsilon0=1, delta=0.5)
    yield "amplify epsilon0", lambda: mo.amplify(k=3, n=100, epsilon0=200, delta=1e-9)
    yield "amplify rate", lambda: mo.amplify(k=3, n=100, epsilon0=2, delta=1e-9, rate=2)
    yield "amplify chosen", lambda: mo.amplify(k=3, n=100, epsilon0=2, delta=1e-9, chosen=2000)
    yield "amplify k", lambda: mo.amplify(n=100, epsilon0=2, delta=1e-9)
    yield "risk", lambda: mo.risk(3)
    for wrong in (
        {}, {"k": 3}, {"k": 3, "epsilon": 1, "c1": 0.5}, {"k": 0, "epsilon": 1},
        {"k": 3, "mu": 1}, {"reference": [1, 2], "k": 3, "epsilon": 1},
    ):  # fmt: skip
        yield f"Sampler({wrong})", lambda w=wrong: mo.Sampler("minimax", **w)
    yield "Sampler class", lambda: mo.Sampler("class", k=3, epsilon=1)
    yield "Sampler name", lambda: mo.Sampler("minmax", k=3, epsilon=1)
    sampler = mo.Sampler("minimax", k=3, epsilon=1)
    yield "draw", lambda: sampler.draw([1, 2])
    yield "draw text", lambda: sampler.draw("abc")
    for wrong in ({}, {"units": [0, 1]}, {"offsets": [0, 1, 2], "weights": [1]}, {"offsets": [0, 1, 2], "threads": 0},
                  {"offsets": [0, 1, 2], "key": mo.ReleaseKey()}, {"offsets": [0, 1, 2], "key": 3}):  # fmt: skip
        yield f"draw_units({sorted(wrong)})", lambda w=wrong: sampler.draw_units([1, 2], **w)
    yield "RandomizedResponse", lambda: mo.RandomizedResponse(k=3, epsilon=-1)
    for wrong in ({}, {"epsilon": -1}, {"epsilon": 1, "rho": 1}, {"delta": 0.1}, {"epsilon": "a"}, {"rho": 1, "delta": 0.1}):
        yield f"Privacy({wrong})", lambda w=wrong: mo.Privacy(**w)
    yield "compose", lambda: mo.compose([3])
    yield "compose a number", lambda: mo.compose(5)
    yield "compose nothing", lambda: mo.compose([])
    ledger = mo.Ledger("l.db")
    ledger.declare("a", epsilon=1)
    for wrong in ({}, {"delta": 0.1}, {"epsilon": -1}, {"epsilon": 1, "scope": "x"}, {"epsilon": 2}):
        yield f"declare({wrong})", lambda w=wrong: ledger.declare("a", **w)
    yield "charge", lambda: ledger.charge("a", 3)
    yield "charge nothing", lambda: ledger.charge("a", mo.Privacy(epsilon=0.1), count=0)
    yield "charge another", lambda: ledger.charge("b", mo.Privacy(epsilon=1))
    yield "charge more", lambda: ledger.charge("a", mo.Privacy(epsilon=3))
    yield "balance", lambda: ledger.balance(3)
    yield "plot", lambda: ledger.plot("zz")
    yield "Ledger", lambda: mo.Ledger("/nosuch/l.db")
    for columns in (
        {}, [1], {"a": {"type": "categorcal"}}, {"a": mo.number(3, 1)}, {"a": mo.number()}, {"a": mo.date("x", "y")},
        {"a": mo.number(0, 1, bins=0)}, {"a": mo.number(edges=[3, 1])}, {"a": mo.categorical([1, 1.0])}, {"a": 3},
    ):  # fmt: skip
        yield f"Domain({columns})", lambda c=columns: mo.Domain(c)
    for rules in ("a > 3", [3], ["a > x"], [("a", [3])], [{"a": "b"}], [mo.follows("a", "b", {})], ["a < 0"]):
        yield f"Domain rules {rules}", lambda r=rules: mo.Domain({"a": mo.integer(0, 9, outside="clip")}, rules=r)
    yield "follows", lambda: mo.follows("a", "b", [1])
    yield "categorical", lambda: mo.categorical("abc")
    yield "Domain.read", lambda: mo.Domain.read("nosuch.yaml")
    yield "Domain.parse", lambda: mo.Domain.parse("columns: {a: {type: boolean")
    yield "Domain.parse a number", lambda: mo.Domain.parse(5)
    yield "Domain.draft no columns", lambda: mo.Domain.draft(TABLE, columns=[])
    yield "Domain.draft", lambda: mo.Domain.draft("nosuch.csv")
    yield "Domain.draft columns", lambda: mo.Domain.draft(TABLE, columns=["q"])
    yield "candidates", lambda: mo.candidates(DOMAIN, "c.txt", 0)
    yield "reference", lambda: mo.reference(TABLE, DOMAIN, "r.json")
    for wrong in ((3, 3), (release, 3), (release.model, 3), ("nosuch", 3), (model, 0), (model, 1, {"q": 1}), (model, 1, {"sex": "x"}), (model, 1, 3)):
        yield f"generate({wrong[1:]})", lambda w=wrong: mo.generate(*w)
    yield "report", lambda: mo.report(release, path="/nosuch/x.html")
    yield "Synthesizer", lambda: mo.Synthesizer().fit(TABLE)
    yield "law", lambda: mo.nonprivate.law(sampler, [1, 2])
    yield "mbde", lambda: mo.mbde()
    yield "mbde model", lambda: mo.mbde(NUMBERS, density="nosuch.json", model="nosuch.json")
    yield "mbde density", lambda: mo.mbde(density=5, epsilon=1)
    for wrong in ({"width": "x"}, {"rate": "fast"}, {"schedule": 3}, {"epochs": 1.5}):
        yield f"mbde({wrong})", lambda w=wrong: mo.mbde(POINTS, NUMBERS, epsilon=1, **w)
    yield "mbde epsilon", lambda: mo.mbde(NUMBERS, POINTS, epsilon=-1)
    yield "write", lambda: release.write("/nosuch/x.csv")
    yield "privacy of a text", lambda: mo.Privacy(epsilon="one")
    yield "write as text", lambda: release.write("x.txt")
    yield "column", lambda: release["zz"]
