"""anonymeter judges a release with the types of the real table. It needs NumPy 1, so scripts/test_package_versions.sh
runs this file in an environment of its own.
"""

import re

import pytest
from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator

import mollify as mo
from conftest import ROOT

pd = pytest.importorskip("pandas")

# An attack on a private release is seldom better than guessing, of which anonymeter warns.
pytestmark = pytest.mark.filterwarnings("ignore:Attack is as good or worse", "ignore:.*singling out queries")


@pytest.fixture(scope="module")
def frames():
    real = pd.read_csv(ROOT / "data/schools.csv").drop(columns="school")
    release = mo.Marginals(ROOT / "data/schools_table.yaml", epsilon=1, delta=1e-6, count=1000).sample(real)
    return real, release.to_pandas(like=real), release.to_pandas()


def inference(real, released):
    made = InferenceEvaluator(real, released, ["sex", "ses"], "minority", n_attacks=50)
    made.evaluate(n_jobs=1)
    return made.risk().value


def test_every_attack_takes_a_release_like_the_table(frames):
    real, released, plain = frames
    assert 0 <= inference(real, released) <= 1
    for mode in ("univariate", "multivariate"):
        alone = SinglingOutEvaluator(real, released, n_attacks=50, n_cols=3)
        alone.evaluate(mode=mode)
        assert 0 <= alone.risk().value <= 1
    linked = LinkabilityEvaluator(real, released, (["sex", "minority"], ["ses", "math"]), n_attacks=50)
    linked.evaluate(n_jobs=1)
    assert 0 <= linked.risk().value <= 1
    with pytest.raises(TypeError, match="NA is ambiguous"):  # why the guide says `like=`
        inference(real, plain)


def test_the_guide_runs(frames, capsys):
    real, released, _ = frames
    (block,) = re.findall(r"^```py\n(.*?)^```", (ROOT / "docs/guides/python.md").read_text(), re.M | re.S)
    exec(block, {"real": real, "released": released})
    assert "PrivacyRisk" in capsys.readouterr().out
