"""Nothing hangs: threads, forks, processes and signals use one ledger."""

import fcntl
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import mollify as mo
from mollify import _private_objects

SECONDS = 60
"""The limit of each test, far above what it takes on a loaded machine. A deadlock lasts for ever."""


@pytest.fixture
def path(tmp_path):
    """Of a ledger with a total that nobody here spends."""
    file = os.fspath(tmp_path / "budget.db")
    mo.Ledger(file).declare("people", epsilon=1000, delta=1e-3)
    return file


def program(text, path):
    """A Python of its own, which prints "ready" when it is."""
    child = subprocess.Popen([sys.executable, "-P", "-c", text, path], stdout=subprocess.PIPE, text=True)
    return child


def said_by(child):
    try:
        said, _ = child.communicate(timeout=SECONDS)
    finally:
        child.kill()
    return said


WAITING = """
import sys, threading, time, warnings
import numpy as np
import mollify as mo
warnings.simplefilter("ignore")
path = sys.argv[1]
ledger = mo.Ledger(path)
table = {"a": np.zeros(1000), "b": np.zeros(1000)}
numbers = {name: mo.number(-1, 1, null="0", outside="clip") for name in "ab"}
words = {"a": mo.categorical(["x", "y"])}
rows = {"a": ["x"] * 1000}
cost = mo.Privacy(epsilon=0.1)
gaussian = mo.Gaussian(numbers, epsilon=1, delta=1e-9, count=10, accept_error=True)
marginals = mo.Marginals(words, epsilon=1, delta=1e-9, count=10, accept_error=True)
central = mo.Central(words, epsilon=1, delta=1e-9, count=2, accept_error=True)

def prepared(method):
    return mo._core.PreparedRelease(method._spec, 1000, {})

prepared_marginals, prepared_central = prepared(marginals), prepared(central)
outcomes, counts = np.zeros(1, np.uint32), np.array([1000], np.int64)
longest = 0.0

def tick():
    global longest
    last = time.monotonic()
    while True:
        time.sleep(0.01)
        now = time.monotonic()
        longest, last = max(longest, now - last), now

threading.Thread(target=tick, daemon=True).start()
print("ready", flush=True)
sys.stdin.readline()
longest = 0.0
try:
    CALL
    print("finished")
except KeyboardInterrupt:
    print(time.monotonic(), longest)
"""
CALLS = {
    "Ledger": "mo.Ledger(path)",
    "declare": "ledger.declare('others', epsilon=1)",
    "charge": "ledger.charge('people', cost)",
    "balance": "ledger.balance('people')",
    "balances": "ledger.balances()",
    "history": "ledger.history('people')",
    "str": "str(ledger)",
    "sample": "central.sample(rows, ledger=ledger, data_set='people')",
    "sample, by path": "gaussian.sample(table, ledger=path, data_set='people')",
    "a driver's charge": "prepared_central.charge(ledger._inside, 'people')",
    "a driver's release by counts": "prepared_central.release_counts(outcomes, counts, ledger._inside, 'people')",
    "a driver's release by sums": "prepared_marginals.release_sums(lambda asked: None, ledger._inside, 'people')",
}


def test_every_wait_leaves_the_interpreter_to_others_until_ctrl_c(path):
    held, most = 3.0, 2.0
    children = {}
    for name, call in CALLS.items():
        children[name] = subprocess.Popen(
            [sys.executable, "-P", "-c", WAITING.replace("CALL", call), path],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
    for child in children.values():
        assert child.stdout.readline() == "ready\n"
    entries = len(mo.Ledger(path).history("people"))
    with open(path) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        for child in children.values():
            child.stdin.write("go\n")
            child.stdin.flush()
        time.sleep(held)
        sent = time.monotonic()
        for child in children.values():
            child.send_signal(signal.SIGINT)
        said = {name: said_by(child) for name, child in children.items()}
    for name, words in said.items():
        assert words.strip() != "finished", f"{name} did not wait"
        at, longest = map(float, words.split())
        print(f"{name}: ended {at - sent:.3f} s after the signal; others waited {longest:.3f} s at most")
        assert at - sent < most, name
        assert longest < held / 2, f"{name} kept the interpreter"
    assert len(mo.Ledger(path).history("people")) == entries


FORK = """
import os, sys, threading, time
import mollify as mo
ledger = mo.Ledger(sys.argv[1])
thread = threading.Thread(target=ledger.charge, args=("people", mo.Privacy(epsilon=0.1)))
print("ready", flush=True)
sys.stdin.readline()
thread.start()
time.sleep(0.5)
forks = []
for _ in range(20):
    begin = time.monotonic()
    child = os.fork()
    if child == 0:
        ledger.charge("people", mo.Privacy(epsilon=0.1))
        os._exit(0)
    forks.append((child, time.monotonic() - begin))
print(max(seconds for _, seconds in forks), flush=True)
statuses = [os.waitpid(child, 0)[1] for child, _ in forks]
thread.join()
print(statuses == [0] * 20)
"""


def test_a_process_forks_while_its_thread_waits_for_a_ledger(path):
    child = subprocess.Popen(
        [sys.executable, "-P", "-c", FORK, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout.readline() == "ready\n"
    with open(path) as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        child.stdin.write("go\n")
        child.stdin.flush()
        killer = threading.Timer(SECONDS, child.kill)
        killer.start()
        longest = child.stdout.readline()
        killer.cancel()
        assert longest, "a fork hung"
        print(f"the longest of 20 forks took {float(longest):.3f} s")
    assert said_by(child) == "True\n"
    assert mo.Ledger(path).balance("people").releases == 21


EVERYTHING = """
import os, random, signal, sys, threading, time
import mollify as mo

path, role = sys.argv[1], sys.argv[2]
cost = mo.Privacy(epsilon=0.001)
ledger = mo.Ledger(path)
end = time.monotonic() + 4

def charge(times):
    for _ in range(times):
        ledger.charge("people", cost)
    return times

handled, in_handler = 0, False

def handle(signum, frame):
    global handled, in_handler
    if in_handler:
        return
    in_handler = True
    handled += charge(1)
    ledger.balance("people")
    in_handler = False

signal.signal(signal.SIGALRM, handle)
charged = [0] * 3

def work(number):
    while time.monotonic() < end:
        charged[number] += charge(1)

threads = [threading.Thread(target=work, args=(number,)) for number in range(len(charged))]
for thread in threads:
    thread.start()
signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
forked, killed, of_children = 0, 0, 0
while time.monotonic() < end:
    child = os.fork()
    if child == 0:
        signal.setitimer(signal.ITIMER_REAL, 0)
        handled, in_handler = 0, False
        os._exit(charge(2))
    forked += 1
    if forked % 4 == 0:
        time.sleep(random.random() * 0.02)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    killed += os.WIFSIGNALED(status)
    of_children += 0 if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
signal.setitimer(signal.ITIMER_REAL, 0)
for thread in threads:
    thread.join()
print(sum(charged), handled, of_children, forked, killed)
"""


def test_threads_forks_processes_and_signals_together(path):
    """Each charge that returned is there, once; each child that was killed may have charged twice more."""
    processes = [
        subprocess.Popen([sys.executable, "-P", "-c", EVERYTHING, path, ""], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    over = threading.Event()

    def hold():
        while not over.wait(0.2):
            with open(path) as held:
                fcntl.flock(held, fcntl.LOCK_EX)
                time.sleep(0.05)

    holder = threading.Thread(target=hold)
    holder.start()
    try:
        said = [said_by(process).split() for process in processes]
    finally:
        over.set()
        holder.join()
    by_threads, by_handlers, by_children, forks, killed = (sum(map(int, column)) for column in zip(*said))
    found = mo.Ledger(path).balance("people").releases
    print(f"{by_threads} charges by threads, {by_handlers} by handlers of signals, {by_children} by {forks} forked "
          f"processes, of which {killed} were killed; {found} found")
    told = by_threads + by_handlers + by_children
    assert told <= found <= told + 2 * killed
    assert min(by_threads, by_handlers, by_children, killed) > 0


def test_a_child_asks_private_objects_though_a_thread_of_its_parent_did():
    asks, is_over = threading.Event(), threading.Event()

    def ask():
        with _private_objects._without_warnings(), _private_objects._lock:
            asks.set()
            is_over.wait()

    thread = threading.Thread(target=ask)
    thread.start()
    asks.wait()
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        with _private_objects.asking_objects():
            pass
        os._exit(len(_private_objects._asking))
    is_over.set()
    thread.join()
    assert os.waitpid(child, 0)[1] == 0
    assert not _private_objects._asking
