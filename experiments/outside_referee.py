"""Released records under an auditor that is not ours: ldp-audit [Arcolezi, Gambs 2024]. NOT PRIVATE.

    python experiments/outside_referee.py MOLLIFY LDP_AUDIT [--trials 1000000]

LDP_AUDIT is a checkout of hharcolezi/ldp-audit. Its auditor distinguishes two private values by one released record: it
counts how often each value releases the first outcome, and states an epsilon that the true one exceeds, except with
probability ALPHA. `mollify sample local` releases the records, one for each of TRIALS units with the same value. An audit
fails if the stated epsilon is above the claim.

ldp-audit spreads its work by ray. Here its calls run in place, without ray's servers; its arithmetic is untouched.

Two rows check the auditor. *its own client* is randomized response of multi-freq-ldpy, which ldp-audit uses itself. In the
last row mollify releases at 1.1 times the epsilon that the auditor is told, and it must notice.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import types
import warnings

ALPHA = 1e-6  # per row; a mechanism that spends its epsilon exactly is accused so often
MECHANISMS = ("randomized-response", "mixture", "minimax", "relative")


def in_place():
    """The part of ray that ldp-audit uses, without other processes."""
    ray = types.ModuleType("ray")
    ray.remote = lambda function: types.SimpleNamespace(remote=function)
    ray.get = lambda answers: answers
    ray.init = ray.shutdown = lambda **options: None
    return ray


class Released:
    """A protocol of ldp-audit: how often mollify releases the outcome that the auditor looks for."""

    def __init__(self, mollify, mechanism, factor=1):
        self.mollify, self.mechanism, self.factor = mollify, mechanism, factor

    def remote(self, auditor, seed, trials, value, k, epsilon, delta, outcome):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            names = [f"v{i}" for i in range(k)]
            (folder / "domain.yaml").write_text(
                f"columns:\n  value: {{type: categorical, values: [{', '.join(names)}], outside: v0, null: v0}}\n")
            with (folder / "data.csv").open("w") as data:
                data.write("id,value\n")
                data.writelines(f"{unit},v{value}\n" for unit in range(trials))
            asked = [self.mollify, "sample", "local", "--data", folder / "data.csv", "--domain", folder / "domain.yaml", "--unit", "id",
                     "--epsilon", f"{self.factor * epsilon:g}", "--mechanism", self.mechanism, "--out", folder / "out.csv", "--accept-error"]
            done = subprocess.run([str(part) for part in asked], capture_output=True, text=True)
            if done.returncode:
                sys.exit(done.stderr)
            released = (folder / "out.csv").read_text().split("\n")[1:-1]
        assert len(released) == trials
        return released.count(names[outcome])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mollify")
    parser.add_argument("ldp_audit", type=pathlib.Path)
    parser.add_argument("--trials", type=int, default=1_000_000)
    asked = parser.parse_args()
    sys.modules["ray"] = in_place()
    sys.path.insert(0, str(asked.ldp_audit))
    from ldp_audit.base_auditor import LDPAuditor

    rows = [(mechanism, k, epsilon) for mechanism in MECHANISMS for k in (4, 25) for epsilon in (1, 4)]
    auditor = LDPAuditor(nb_trials=asked.trials, alpha=ALPHA, epsilon=1.0, delta=0.0, k=2, random_state=1, n_jobs=1)
    auditor.protocols |= {name: Released(asked.mollify, name) for name in MECHANISMS}
    auditor.protocols["too much"] = Released(asked.mollify, "randomized-response", 1.1)
    print("| released by | outcomes | claimed ε | ε that the auditor proves | verdict |\n|---|---|---|---|---|")
    failed = False
    for name, k, epsilon in [*rows, ("GRR", 4, 1), ("too much", 4, 1)]:
        auditor.set_params(k=k, epsilon=epsilon)
        auditor.v2 = k - 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            proved = float(auditor.run_audit(name))
        accused = proved > epsilon
        failed |= accused != (name == "too much")
        shown = {"GRR": "its own client", "too much": "randomized-response at 1.1 ε"}.get(name, name)
        print(f"| {shown} | {k} | {epsilon:g} | {proved:.4f} | {'accused' if accused else 'keeps its claim'} |", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
