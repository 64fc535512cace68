"""The ledger: declared, charged, kept."""

import contextlib
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import mollify as mo

DATA = {"a": ["x"] * 1000}
DOMAIN = {"a": mo.categorical(["x", "y"])}


def release(ledger, epsilon):
    return mo.Central(
        DOMAIN,
        epsilon=epsilon,
        delta=1e-7,
        count=2,
    ).sample(DATA, ledger=ledger, data_set="health")


def test_is_charged_before_a_release_and_refuses_what_is_above_the_total(tmp_path):
    ledger = mo.Ledger(tmp_path / "budget.db")
    ledger.declare("health", epsilon=1, delta=1e-6, scope="row")
    release(ledger, 0.5)
    balance = ledger.balance("health")
    assert balance.releases == 1
    assert balance.total == mo.Privacy(epsilon=1, delta=1e-6)
    # What the release promises, at the delta of the total: a little less than it was allowed.
    assert 0.49 < balance.spent.epsilon <= 0.5
    assert 0.5 <= balance.remaining.epsilon < 0.51
    with pytest.raises(mo.InvalidInput):
        release(tmp_path / "budget.db", 0.6)
    release(pickle.loads(pickle.dumps(ledger)), 0.5)
    assert ledger.balance("health").releases == 2
    assert [one.data_set for one in ledger.balances()] == ["health"]


def test_a_file_that_was_moved_is_neither_read_nor_made_anew(tmp_path):
    file, link = tmp_path / "budget.db", tmp_path / "link.db"
    link.symlink_to(file)
    ledger = mo.Ledger(link)
    ledger.declare("health", epsilon=1)
    pickled = pickle.dumps(ledger)
    mo.Ledger(tmp_path / "other.db").declare("health", epsilon=9)
    link.unlink()
    with pytest.raises(mo.InvalidInput, match=r"^the ledger .*link\.db does not exist"):
        pickle.loads(pickled)
    assert not link.exists()
    link.symlink_to(tmp_path / "other.db")
    with pytest.raises(mo.InvalidInput, match="was moved, replaced or deleted"):
        ledger.history("health")


def test_what_has_no_total_is_refused_in_pythons_words(tmp_path):
    with pytest.raises(mo.InvalidInput) as refused:
        release(tmp_path / "budget.db", 0.5)
    assert "does not exist: there is no such file in " in str(refused.value)
    assert "To make it, declare what the releases may cost" in str(refused.value)
    (tmp_path / "budget.db").touch()
    with pytest.raises(mo.InvalidInput) as refused:
        release(tmp_path / "budget.db", 0.5)
    assert str(refused.value).endswith("so nothing would ever be refused: declare one (Ledger.declare)")
    mo.Ledger(tmp_path / "budget.db").declare("other", epsilon=1)
    with pytest.raises(mo.InvalidInput) as refused:
        release(tmp_path / "budget.db", 0.5)
    assert str(refused.value).endswith(
        ', which has totals for "other" (data_set names one), so nothing would ever be refused: '
        "declare one (Ledger.declare)"
    )


def test_only_declare_makes_a_file(tmp_path):
    mo.Ledger(tmp_path / "budget.db").declare("health", epsilon=1)
    misspelt = mo.Ledger(tmp_path / "budgets.db")
    for call in (
        lambda: misspelt.balance("health"),
        misspelt.balances,
        lambda: misspelt.history("health"),
        lambda: misspelt.charge("health", mo.Privacy(epsilon=0.1)),
        lambda: misspelt.declare("health"),
        lambda: release(misspelt, 0.5),
        lambda: pickle.loads(pickle.dumps(misspelt)),
    ):
        with pytest.raises(mo.InvalidInput) as refused:
            call()
        if "the total is missing" not in str(refused.value):
            assert str(refused.value).startswith(f"the ledger {misspelt.path} does not exist: there is no such file in ")
            assert '(did you mean "budget.db"?)' in str(refused.value)
    assert "does not exist" in str(misspelt)
    assert [one.name for one in tmp_path.iterdir()] == ["budget.db"]
    misspelt.declare("health", epsilon=2)
    assert misspelt.balance("health").total == mo.Privacy(epsilon=2)


def test_prints_what_is_spent(of_one):
    charge(of_one)
    of_one.declare("visits", rho=0.5, scope="unit=person")
    assert str(of_one).split("\n") == [
        repr(of_one),
        "  health: epsilon 0.05 spent by 1 release, of epsilon 1 (scope row)",
        "  visits: rho 0 spent by 0 releases, of rho 0.5 (scope unit=person)",
    ]


def test_refuses_what_is_no_total(tmp_path):
    ledger = mo.Ledger(tmp_path / "budget.db")
    ledger.declare("a", rho=0.5, scope="unit=person")
    assert ledger.balance("a").total == mo.Privacy(rho=0.5)
    for wrong in (
        {},
        {"epsilon": 1, "rho": 1},
        {"delta": 1e-6},
        {"epsilon": -1},
        {"epsilon": 1, "scope": "city"},
    ):
        with pytest.raises(mo.InvalidInput):
            ledger.declare("b", **wrong)
    with pytest.raises(mo.InvalidInput):
        ledger.declare("a", rho=1)
    ledger.declare("a", rho=1, replace=True)
    (tmp_path / "no.db").write_text("no ledger\n" * 100)
    with pytest.raises(mo.InvalidInput):
        mo.Ledger(tmp_path / "no.db")


def test_charges_refuse_what_is_no_cost(tmp_path):
    ledger = mo.Ledger(tmp_path / "budget.db")
    ledger.declare("a", epsilon=1)
    for cost, count in ((0.5, 1), (mo.Privacy(epsilon=1), -1), (mo.Privacy(epsilon=1), "a")):
        with pytest.raises(mo.InvalidInput) as refused:
            ledger.charge("a", cost, count=count)
        assert "\n" not in str(refused.value)
    assert ledger.balance("a").releases == 0


def test_composes_and_converts_to_the_safe_side():
    pure = mo.Privacy(epsilon=1)
    assert mo.compose([pure, pure]) == mo.Privacy(epsilon=2)
    assert mo.compose([mo.Privacy(rho=0.25), mo.Privacy(rho=0.25)]) == mo.Privacy(rho=0.5)
    assert mo.Privacy(rho=0.5).epsilon_up(1e-6) > 0.5
    assert 0 < mo.Privacy(mu=1).delta_up(1) < 1
    assert mo.Privacy(mu=1).rho_up() >= 0.5
    with pytest.raises(mo.InvalidInput):
        mo.Privacy(epsilon=1, delta=1e-6).rho_up()
    with pytest.raises(mo.InvalidInput, match="one is of type float"):
        mo.compose([pure, 0.5])
    for wrong in ({}, {"epsilon": 1, "rho": 1}, {"rho": 1, "delta": 0.1}):
        with pytest.raises(mo.InvalidInput):
            mo.Privacy(**wrong)


def charge(ledger):
    """Whether 0.05 more was charged."""
    with contextlib.suppress(mo.InvalidInput):
        ledger.charge("health", mo.Privacy(epsilon=0.05))
        return True
    return False


def output_of(program, folder, *arguments):
    """What a program prints that begins without threads, as one that forks should."""
    file = folder / "program.py"
    file.write_text(program)
    return subprocess.run(
        [sys.executable, "-P", file, *arguments], stdout=subprocess.PIPE, text=True, check=True, timeout=60
    ).stdout.strip()


@pytest.fixture
def of_one(tmp_path):
    """A ledger with a total of 1, which holds 20 charges."""
    ledger = mo.Ledger(tmp_path / "budget.db")
    ledger.declare("health", epsilon=1)
    return ledger


def test_threads_share_one_object(of_one):
    with ThreadPoolExecutor(8) as threads:
        charged = list(threads.map(lambda _: (charge(of_one), of_one.balance("health").releases), range(40)))
    assert sum(done for done, _ in charged) == 20
    assert of_one.balance("health").spent == mo.Privacy(epsilon=1)


PROCESSES = """
import multiprocessing, sys
import mollify as mo

def work(ledger, begin, charged):
    begin.wait()
    for _ in range(15):
        try:
            ledger.charge("health", mo.Privacy(epsilon=0.05))
        except mo.InvalidInput:
            continue
        with charged.get_lock():
            charged.value += 1

if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[2])
    begin, charged = context.Event(), context.Value("i", 0)
    ledger = mo.Ledger(sys.argv[1])
    processes = [context.Process(target=work, args=(ledger, begin, charged)) for _ in range(2)]
    for process in processes:
        process.start()
    del ledger  # before its children use theirs
    begin.set()
    for process in processes:
        process.join()
    print(charged.value)
"""


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_share_one_object(tmp_path, method):
    mo.Ledger(tmp_path / "budget.db").declare("health", epsilon=1)
    assert output_of(PROCESSES, tmp_path, tmp_path / "budget.db", method) == "20"
    assert mo.Ledger(tmp_path / "budget.db").balance("health").releases == 20


SERVER = """
import os, signal, socket, sys
import mollify as mo

ledger = mo.Ledger(sys.argv[1])
with socket.create_server(("127.0.0.1", 0)) as server:
    workers = []
    for _ in range(2):
        workers.append(os.fork())
        while workers[-1] == 0:
            with server.accept()[0] as request:
                try:
                    ledger.charge("health", mo.Privacy(epsilon=0.05))
                    request.sendall(b"y")
                except mo.InvalidInput:
                    request.sendall(b"n")
    del ledger  # before its workers use theirs
    answers = b""
    for _ in range(25):
        with socket.create_connection(server.getsockname(), timeout=20) as request:
            answers += request.recv(1)
    for worker in workers:
        os.kill(worker, signal.SIGKILL)
        os.waitpid(worker, 0)
print(answers.decode())
"""


def test_a_server_forks_its_workers_beforehand(tmp_path):
    mo.Ledger(tmp_path / "budget.db").declare("health", epsilon=1)
    assert output_of(SERVER, tmp_path, tmp_path / "budget.db") == "y" * 20 + "n" * 5
    assert mo.Ledger(tmp_path / "budget.db").balance("health").releases == 20


def test_stays_with_its_file(of_one, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    relative = mo.Ledger("budget.db")
    monkeypatch.chdir("/")
    assert charge(relative)
    assert [entry["kind"] for entry in relative.history("health")] == ["total", "release"]
    os.link(tmp_path / "budget.db", tmp_path / "second.db")
    assert charge(mo.Ledger(tmp_path / "second.db"))
    assert charge(of_one)
    os.rename(tmp_path / "budget.db", tmp_path / "moved.db")
    with pytest.raises(mo.InvalidInput, match="cannot be opened"):
        release(of_one, 0.1)
    mo.Ledger(tmp_path / "budget.db").declare("health", epsilon=1)
    with pytest.raises(mo.InvalidInput, match="was moved, replaced or deleted after it was opened"):
        release(of_one, 0.1)
    assert mo.Ledger(tmp_path / "moved.db").balance("health").releases == 3


def test_promises_are_of_numbers_that_mean_one():
    assert mo.Privacy(epsilon=0, delta=1).notion == "approximate"
    for name in ("epsilon", "rho", "mu"):
        for wrong in (-1, -1e-300, float("nan"), float("inf")):
            with pytest.raises(mo.InvalidInput, match=f"^{name} must be finite and at least 0, but is {wrong}$"):
                mo.Privacy(**{name: wrong})
    for wrong in (-0.1, 1.1, float("nan")):
        with pytest.raises(mo.InvalidInput, match=f"^delta must be from 0 to 1, but is {wrong}$"):
            mo.Privacy(epsilon=1, delta=wrong)


def test_a_total_that_replaces_another_keeps_its_scope(tmp_path):
    ledger = mo.Ledger(tmp_path / "budget.db")
    ledger.declare("people", epsilon=3, scope="unit=person")
    ledger.declare("people", epsilon=6, replace=True)
    assert ledger.balance("people").scope == "unit=person"
    ledger.declare("people", epsilon=6, scope="row", replace=True)
    assert ledger.balance("people").scope == "row"


def test_a_file_of_another_kind_is_refused_as_the_ledger(tmp_path, monkeypatch):
    """Also if it is the file of the data."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text("a\n" + "x\ny\n" * 200)
    method = mo.Central({"a": mo.categorical(["x", "y"])}, epsilon=9, count=10)
    with pytest.raises(mo.InvalidInput, match="data.csv is not a ledger") as refused:
        method.sample("data.csv", ledger="data.csv", data_set="a")
    assert (refused.value.parameter, refused.value.ways_out) == ("ledger", (mo.WayOut("set", "ledger"),))
