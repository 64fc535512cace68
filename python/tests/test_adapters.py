"""Other libraries' shapes: OpenDP's measurements, SDMetrics' metadata, language models' tokens."""

import importlib.util
import math
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest

import mollify as mo
from by_word import by_word
from foreign import Foreign, Unshared, bfloat16, on_cuda
from mollify.adapters.language import TokenSampler

ROOT = Path(__file__).parents[2]
SMALL = {"a": mo.categorical(["x", "y"])}


@pytest.fixture
def opendp():
    found = pytest.importorskip("opendp.prelude")
    found.enable_features("contrib", "honest-but-curious")
    return found


def test_measurements_promise_what_releases_do(opendp):
    from mollify.adapters.opendp import measurement

    table = {"a": ["x", "y", "x"] * 1000}
    pure = measurement(mo.Integral(SMALL, epsilon=1, count=3))
    assert [pure.map(changes) for changes in (0, 1, 5)] == [0, 1, 1]
    release = pure(table)
    assert len(release) == 3
    assert release.guarantee == mo.Privacy(epsilon=1)
    assert pure.check(1, 1.0)

    options = {"method": "central", "epsilon": 1, "delta": 1e-6, "count": 3}
    approximate = measurement(by_word(SMALL, **options), n=3000)
    assert approximate.map(1) == (1, 1e-6)
    epsilon, delta = approximate.map(2)
    assert 2 <= epsilon < 2 + 1e-9
    assert 1e-6 * (1 + math.e) <= delta < 1e-6 * (1 + math.e) * (1 + 1e-9)
    assert approximate(table).guarantee == mo.Privacy(epsilon=1, delta=1e-6)
    with pytest.raises(opendp.OpenDPException, match="3000 records"):
        approximate({"a": ["x"] * 2000})

    for neighbours, counted in (("replace", "replaced"), ("add-remove", "added or removed")):
        hidden = by_word(SMALL, neighbours=neighbours, **options | {"method": "marginals"})
        table_of_rows = measurement(hidden, n=3000 if neighbours == "replace" else None)
        assert f"records that are {counted}" in str(table_of_rows.input_metric)
        assert table_of_rows.map(1) == (1, 1e-6)
        assert len(table_of_rows(table)) == 3

    local = measurement(mo.Local(SMALL, unit="u", units=["1", "2"], epsilon=2))
    assert local.map(3) == pytest.approx(6)
    assert len(local({"a": ["x"], "u": ["1"]})) == 2


def test_measurements_refuse_what_opendp_does_itself(opendp, tmp_path):
    from mollify.adapters.opendp import measurement

    with pytest.raises(TypeError, match="ledger"):
        measurement(mo.Integral(SMALL, epsilon=1), ledger=mo.Ledger(tmp_path / "b.db"))
    with pytest.raises(mo.InvalidInput, match="mu"):
        measurement(mo.Integral(SMALL, mu=1))


def test_sdmetrics_is_told_what_columns_are(schools):
    domain = mo.Domain(
        {
            "s": mo.ordinal(["a", "b"]),
            "w": mo.boolean(["nein", "ja"]),
            "b": mo.boolean(),
            "i": mo.integer(0, 9),
            "x": mo.number(0, 1, bins=4),
            "d": mo.date("2020-01-01", "2020-12-31"),
            "t": mo.datetime("2020-01-01T00:00:00", "2020-12-31T00:00:00", zone="Z"),
        }
    )
    columns = domain.to_sdmetrics()["columns"]
    assert list(columns) == list(domain)
    assert [column["sdtype"] for column in columns.values()] == [
        *("categorical", "categorical", "boolean", "numerical", "numerical", "datetime", "datetime")
    ]
    reports = pytest.importorskip("sdmetrics.reports")
    pandas = pytest.importorskip("pandas")
    read = mo.Domain.read(schools / "schools.yaml")
    release = mo.Integral(read, epsilon=5, count=200, accept_error=True).sample(schools / "schools.csv")
    real = pandas.read_csv(schools / "schools.csv")[list(read)].astype({"minority": "boolean"})
    told = read.to_sdmetrics()
    if hasattr(reports, "QualityReport"):  # of any number of tables
        report = reports.QualityReport()
        tables = {"pupils": real}, {"pupils": release.to_pandas()}
        report.generate(*tables, {"tables": {"pupils": told}}, verbose=False)
    else:
        from sdmetrics.reports.single_table import QualityReport

        report = QualityReport()
        report.generate(real, release.to_pandas(), told, verbose=False)
    assert 0.3 < report.get_score() <= 1


def test_tokens_are_the_samplers_draws_and_are_charged(tmp_path):
    ledger = mo.Ledger(tmp_path / "tokens.db")
    ledger.declare("notes", epsilon=1, scope="table")
    tokens = TokenSampler(epsilon=0.1, top=3, ledger=ledger, data_set="notes")
    public = np.log([[0.1, 0.2, 0.3, 0.4]] * 3)
    private = np.zeros((3, 4), np.float32)
    assert tokens.spent is None
    drawn = tokens.draw(private, public)
    assert drawn.shape == (3,)
    assert np.all(drawn >= 1)  # the one that is least likely does not come into question
    assert tokens.tokens == 3
    assert tokens.spent == mo.Privacy(epsilon=0.3)
    assert ledger.balance("notes").spent == mo.Privacy(epsilon=0.3)
    forced = tokens.force(private, public)
    assert np.sum(forced == 0, axis=1).tolist() == [1, 1, 1]
    tokens.draw(private, public)
    with pytest.raises(mo.InvalidInput):  # 0.9 is spent
        tokens.draw(private, public)
    assert tokens.tokens == 9
    apart = TokenSampler(epsilon=0.1, separate=True)
    apart.draw(private, public)
    assert apart.spent == mo.Privacy(epsilon=0.1)


def test_a_large_epsilon_is_explained_once_and_not_for_each_token():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        sampler = TokenSampler(epsilon=12)
        sampler.draw(np.zeros((2, 5)), np.zeros((2, 5)))
        sampler.draw(np.zeros((2, 5)), np.zeros((2, 5)))
    assert [one.category for one in said] == [mo.ReleaseWarning["large-epsilon"]]


def test_private_logits_are_never_refused():
    public = np.array([[0.0, -1.0, -np.inf, 5.0]])
    wild = [np.nan, np.inf, -np.inf, 1e308, -1e308, 0.0]
    tokens = TokenSampler(epsilon=3)
    for a in wild:
        for b in wild:
            assert tokens.draw([[a, b, a, b]], public)[0] in (0, 1, 3)


# The count of the private model's favourite among 4000 tokens lies within 6 standard deviations
# (6 sqrt(4000 / 4) = 190) of its exact mean with probability above 1 - 1e-8.
def test_tokens_follow_the_private_model_as_far_as_epsilon_allows():
    tokens = TokenSampler(epsilon=1)
    drawn = tokens.draw(np.array([[9.0, -9.0]] * 4000), np.log([[0.25, 0.75]] * 4000))
    sampler = mo.Sampler("relative", reference=[0.25, 0.75], epsilon=1)
    law = mo.nonprivate.law(sampler, [1, math.exp(-18)], normalise=True)["outcomes"]
    expected = 4000 * law[0]["probability"]
    favoured = int(np.sum(drawn == 0))
    print(favoured, "of 4000, expected", expected)
    assert expected > 4000 * 0.35
    assert abs(favoured - expected) < 190


def in_columns(array):
    return array[:, ::-1][:, ::-1].T.copy().T


# At epsilon 30 a token differs from the private model's favourite once in 3 * 10^6 draws.
@pytest.mark.parametrize(
    ("kind", "shared"),
    [
        (kind, shared)
        for kind in ("float64", "float32", "float16", "bfloat16")
        for shared in (lambda array: array, in_columns, Foreign, lambda array: Foreign(array[:, ::-1].copy()[:, ::-1]))
        # NumPy does not share bfloat16 by DLPack; below is a library that does.
        if kind != "bfloat16" or shared is in_columns
    ],
)
def test_logits_of_any_precision_are_read_where_they_are(kind, shared):
    if kind == "bfloat16":
        kind = pytest.importorskip("ml_dtypes").bfloat16
    private = np.zeros((3, 7)).astype(kind)
    private[[0, 1, 2], [4, 0, 6]] = 100
    public = np.zeros((3, 7)).astype(kind)
    public[0, 1] = -np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tokens = TokenSampler(epsilon=30)
    assert tokens.draw(shared(private), shared(public)).tolist() == [4, 0, 6]
    assert tokens.draw(shared(private), public.astype(np.float64)).tolist() == [4, 0, 6]
    assert np.argmax(tokens.force(shared(private), shared(public)), axis=1).tolist() == [4, 0, 6]
    assert pickle.loads(pickle.dumps(tokens)).draw(private, public).tolist() == [4, 0, 6]
    integers = np.where(np.isfinite(public), public, -100).astype(np.int16)
    assert tokens.draw(shared(private), integers).tolist() == [4, 0, 6]
    for wrong in (np.nan, np.inf):
        public[1, 2] = wrong
        with pytest.raises(mo.InvalidInput):
            tokens.draw(shared(private), shared(public))
        assert tokens.tokens == 12


def test_bfloat16_comes_as_a_library_has_it():
    tokens = TokenSampler(epsilon=30)
    private = np.zeros((2, 5))
    private[[0, 1], [3, 2]] = 100
    for given in (bfloat16(private), bfloat16(np.asfortranarray(private))):
        assert tokens.draw(given, bfloat16(np.zeros((2, 5)))).tolist() == [3, 2]
        # Its shape is known from its memory alone.
        assert np.argmax(tokens.force(given, bfloat16(np.zeros((2, 5)))), axis=1).tolist() == [3, 2]


def test_arrays_that_cannot_be_read_cost_nothing():
    tokens = TokenSampler(epsilon=1)
    rows = np.zeros((1, 3), np.float32)
    for private, public, said in (
        (on_cuda(rows), rows, "private must be in the processor's memory, but are on a CUDA device: copy them to the CPU first"),
        (rows, on_cuda(rows), "public must be in the processor's memory, but are on a CUDA device: copy them to the CPU first"),
        (rows, Foreign(rows.astype(np.complex64)), "public must be numbers, but are of type complex64"),
        (Unshared(), rows, "private must be an array or a list, but of an object of type foreign.Unshared the numbers cannot be read"),
        (rows, Unshared(), "public must be an array or a list, but of an object of type foreign.Unshared the numbers cannot be read"),
    ):
        for draw in (tokens.draw, tokens.force):
            with pytest.raises(mo.InvalidInput, match=said):
                draw(private, public)
    assert tokens.tokens == 0


@pytest.mark.parametrize(
    "bad",
    [
        lambda: TokenSampler(epsilon=0),
        lambda: TokenSampler(epsilon=1, top=0),
        lambda: TokenSampler(epsilon=1, data_set="a"),
        lambda: TokenSampler(epsilon=1).draw([[0, 0]], [[0, 0, 0]]),
        lambda: TokenSampler(epsilon=1).draw([0, 0], [0, 0]),
        lambda: TokenSampler(epsilon=1).draw([[0, 0]], [[0, np.nan]]),
        lambda: TokenSampler(epsilon=1).draw([[0, 0]], [[-np.inf, -np.inf]]),
        lambda: TokenSampler(epsilon=1).draw(np.array([["a"]]), [[1]]),
        lambda: TokenSampler(epsilon=1).draw([[1]], [["a"]]),
        lambda: TokenSampler(epsilon=1, top=2.5),
    ],
)
def test_refuses_what_is_wrong_in_public(bad):
    with pytest.raises(mo.InvalidInput) as refused:
        bad()
    assert "\n" not in str(refused.value)


def test_the_language_models_example_runs(tmp_path):
    path = ROOT / "examples" / "language_model.py"
    spec = importlib.util.spec_from_file_location("language_model", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    texts = module.write(tmp_path)
    assert [len(text) for text in texts] == [42, 42]
    assert mo.Ledger(tmp_path / "letters.db").balance("notes").spent == mo.Privacy(epsilon=400)


def test_sdmetrics_judges_numbers_and_orders_as_those_of_the_real_table():
    """Words in place of numbers have no value in common with the real ones, and the report scores them 0."""
    pandas = pytest.importorskip("pandas")
    metrics = pytest.importorskip("sdmetrics.single_column")
    real = pandas.DataFrame({"stars": [1, 2, 2, 5] * 300, "price": [4.99, 9.99, 9.99, 4.99] * 300, "level": ["low", "high"] * 600})
    domain = {
        "stars": mo.ordinal([1, 2, 3, 4, 5], null=1, outside=1),
        "price": mo.categorical([4.99, 9.99], null=4.99, outside=4.99),
        "level": mo.ordinal(["low", "mid", "high"], null="low", outside="low"),
    }
    release = mo.Marginals(domain, epsilon=20, count=1000).sample(real)
    for frame in (release.to_pandas(), release.to_pandas(like=real)):
        for name in real:
            assert metrics.TVComplement.compute(real[name], frame[name]) > 0.9
    assert release.to_pandas(like=real).dtypes.equals(real.dtypes)


def test_syntheval_judges_a_release_like_the_table(schools):
    pandas = pytest.importorskip("pandas")
    syntheval = pytest.importorskip("syntheval")
    real = pandas.read_csv(schools / "schools.csv").drop(columns="school")
    release = mo.Marginals(schools / "schools_table.yaml", epsilon=8, delta=1e-6, count=1000).sample(real)
    judge = syntheval.SynthEval(real, cat_cols=["sex", "minority"], verbose=False)
    judged = judge.evaluate(release.to_pandas(like=real), ks_test={}, h_dist={}, corr_diff={"mixed_corr": True})
    found = dict(zip(judged["metric"], judged["val"]))
    assert 0 < found["ks_tvd_stat"] < 0.1  # 1 if the types had no value in common
    assert 0 <= found["avg_h_dist"] < 0.1
