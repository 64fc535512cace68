"""Single draws: laws, shapes, refusals, threads and processes."""

import json
import multiprocessing
import os
import pickle
import threading

import numpy as np
import pytest

import mollify as mo
from foreign import Foreign, Unshared, bfloat16, on_cuda


def least_p_value_holds(observed, expected, name):
    """A chi-squared test of one table: fails by chance with probability 1e-6 at most.

    The critical value is Laurent and Massart's bound: P(X >= d + 2 sqrt(d t) + 2 t) <= e^-t.
    """
    degrees = len(expected) - 1
    t = np.log(1e6)
    statistic = float(np.sum((observed - expected) ** 2 / expected))
    critical = degrees + 2 * np.sqrt(degrees * t) + 2 * t
    print(f"{name}: chi-squared {statistic:.2f}, at most {critical:.2f}, n {observed.sum()}")
    assert statistic <= critical


def test_law_of_randomized_response_is_its_integers():
    response = mo.RandomizedResponse(k=5, epsilon=1.0)
    assert response.kept + 4 * response.other == response.total
    n = 200_000
    for dtype in (np.int64, np.int32, np.uint32, np.uint8, np.int16, np.uint64):
        released = response.draw(np.full(n, 3, dtype))
        expected = np.full(5, n * response.other / response.total)
        expected[3] = n * response.kept / response.total
        least_p_value_holds(np.bincount(released, minlength=5), expected, np.dtype(dtype).name)


def test_law_of_a_sampler_is_the_bands():
    """Over two outcomes the minimax law of a point is (e^epsilon, 1) / (e^epsilon + 1)."""
    sampler = mo.Sampler(k=2, epsilon=1.0)
    n = 200_000
    expected = n * np.array([np.e, 1]) / (np.e + 1)
    for dtype in (np.float64, np.float32):
        scores = np.tile(np.array([1, 0], dtype), (n, 1))
        observed = np.bincount(sampler.draw(scores), minlength=2)
        least_p_value_holds(observed, expected, np.dtype(dtype).name)
    offsets = np.arange(n + 1)
    units = sampler.draw_units(np.zeros(n, int), offsets)
    least_p_value_holds(np.bincount(units, minlength=2), expected, "by units")
    mixed = sampler.draw_units(np.zeros(n, int), units=np.arange(n)[::-1], n=n)
    least_p_value_holds(np.bincount(mixed, minlength=2), expected, "by a column of units")
    assert sampler.epsilon_realised_up() <= 1


def test_scores_are_read_from_any_memory():
    """Those that lie as the kernel reads them, which takes a shorter way, and all others. Wrong with probability 1e-7."""
    sampler = mo.Sampler(k=4, epsilon=30)
    expected = [2, 0, 3, 1, 1]
    rows = np.eye(4)[expected]
    every_second = np.zeros((5, 8))
    every_second[:, ::2] = rows
    unaligned = np.frombuffer(b"\0" + rows.tobytes(), np.float64, offset=1).reshape(5, 4)
    fixed = rows.copy()
    fixed.flags.writeable = False

    class Own(np.ndarray):
        pass

    for given in (
        rows, rows.astype(np.float32), fixed, rows.astype(">f8"), np.asfortranarray(rows), every_second[:, ::2],
        unaligned, rows.view(Own), rows.astype(bool), rows.tolist(), rows.astype(np.longdouble),
        [Foreign(row) for row in rows],
        *(rows.astype(kind) for kind in ("e", "b", "B", "h", "H", "i", "I", "q", "Q", ">i4", ">f2")),
        (rows * 2.0**40).astype(np.int64), (rows * 2.0**63).astype(np.uint64),
    ):  # fmt: skip
        drawn, one = sampler.draw(given), sampler.draw(given[0])
        assert type(drawn) is np.ndarray and drawn.dtype == np.uint32 and drawn.tolist() == expected
        assert type(one) is np.uint32 and one == 2
    for shared in (Foreign(rows), Foreign(np.asfortranarray(rows)), Foreign(every_second[:, ::2]), bfloat16(rows), [bfloat16(row) for row in rows]):
        assert sampler.draw(shared).tolist() == expected
    assert sampler.draw(bfloat16(rows[0])) == 2 and sampler.draw(Foreign(every_second[0, ::2])) == 2
    negative = np.where(rows > 0, 1, -5)
    for kind in (np.int8, np.int16, np.int32, np.int64):
        assert sampler.draw(negative.astype(kind)).tolist() == expected
    assert sampler.draw(negative * 2**40).tolist() == expected
    assert sampler.draw(np.empty((0, 4))).shape == (0,)
    many = np.zeros((3, 2**17))
    many[:, 7] = 1
    assert mo.Sampler(k=2**17, epsilon=30).draw(many).tolist() == [7] * 3


class NotAnArray:
    """Numbers that NumPy sees one object in."""

    def __iter__(self):
        return iter([0, 1])


def test_every_entry_reads_arrays_of_other_libraries():
    """One value was released for an array of many. Wrong with probability 1e-7."""
    response, sampler = mo.RandomizedResponse(k=4, epsilon=30), mo.Sampler(k=4, epsilon=30)
    values = np.array([3, 1, 2])
    for given in (Foreign(values), Foreign(values.astype(np.int16)), Foreign(np.repeat(values, 2)[::2]), bfloat16(values)):
        assert response.draw(given).tolist() == [3, 1, 2]
        assert sampler.draw_units(given, [0, 1, 2, 3]).tolist() == [3, 1, 2]
        assert sampler.draw_units(given, Foreign(np.arange(4)), weights=bfloat16([1, 1, 1])).tolist() == [3, 1, 2]
        assert sampler.draw_units(given, units=Foreign(values), n=4).tolist()[1:] == [1, 2, 3]
    assert response.draw(Foreign(np.array([[3, 1], [2, 0]]))).tolist() == [[3, 1], [2, 0]]
    assert response.draw(Foreign(np.array(3))) == 3
    assert mo.Sampler("relative", reference=bfloat16([1, 2, 4]), epsilon=1).k == 3
    law = mo.nonprivate.law(sampler, Foreign(np.array([0.5, 0.5, 0, 0])))
    assert len(law["outcomes"]) == 4
    for unread in (on_cuda(values), Unshared(), NotAnArray(), {1, 2}, iter([1, 2])):
        for draw in (response.draw, sampler.draw, lambda one: sampler.draw_units(one, [0, 1])):
            with pytest.raises(mo.InvalidInput):
                draw(unread)


def test_units_are_whose_they_are():
    """At epsilon 30 a unit's only outcome is released, but for a chance below 1e-12."""
    sampler = mo.Sampler(k=4, epsilon=30)
    outcomes = [3, 1, 2, 0, 0]
    assert sampler.draw_units(outcomes, [0, 1, 2, 3, 5]).tolist() == [3, 1, 2, 0]
    units = [2, 0, 1, 3, 9]
    assert sampler.draw_units(outcomes, units=units, n=4).tolist() == [1, 2, 3, 0]
    assert sampler.draw_units([1, 2], [0, 2], weights=[0, 5.0]).tolist() == [2]
    assert sampler.draw_units([], [0]).shape == (0,)


def test_shapes():
    sampler = mo.Sampler("relative", reference=np.arange(1, 4), epsilon=1.0)
    assert sampler.k == 3
    assert sampler.draw([0, 1, 0]).shape == ()
    assert sampler.draw(np.ones((7, 3), np.float32)).shape == (7,)
    assert sampler.draw(np.ones((0, 3))).shape == (0,)
    assert sampler.draw(np.ones((3, 7), np.float16).T).shape == (7,)
    response = mo.RandomizedResponse(k=3, epsilon=1)
    assert response.draw(np.zeros((2, 5), int)).shape == (2, 5)
    assert response.draw(1) in (0, 1, 2)
    assert response.draw([]).shape == (0,)


@pytest.mark.parametrize(
    "bad",
    [
        lambda: mo.Sampler(epsilon=1),
        lambda: mo.Sampler(k=0, epsilon=1),
        lambda: mo.Sampler(k=2, epsilon=0),
        lambda: mo.Sampler(k=2),
        lambda: mo.Sampler("best", k=2, epsilon=1),
        lambda: mo.Sampler(reference=[1, -1], epsilon=1),
        lambda: mo.Sampler(reference=[[1, 1]], epsilon=1),
        lambda: mo.Sampler(reference=["a"], epsilon=1),
        lambda: mo.Sampler(reference=[1, 1], k=3, epsilon=1),
        lambda: mo.Sampler(k=3, epsilon=1).draw([1, 2]),
        lambda: mo.Sampler(k=3, epsilon=1).draw(np.array(["a", "b", "c"])),
        lambda: mo.Sampler(k=3, epsilon=1).draw([[1, 2], [1, 2]]),
        lambda: mo.Sampler(k=3, epsilon=1).draw(np.ones((1, 1, 3))),
        lambda: mo.Sampler(k=3, epsilon=1).draw_units([0], None),
        lambda: mo.Sampler(k=3, epsilon=1).draw_units([0], [0, 1], units=[0]),
        lambda: mo.Sampler(k=3, epsilon=1).draw_units([0], units=[0]),
        lambda: mo.Sampler(k=3, epsilon=1).draw_units([0, 1], units=[0], n=1),
        lambda: mo.Sampler(k=3, epsilon=1).draw_units([0], [[0, 1]]),
        lambda: mo.Sampler(k=3, epsilon=1).draw_units([0], units=[0], n=-2),
        lambda: mo.Sampler(k=3, epsilon=1).draw_units([0], units=[0], n=2.5),
        lambda: mo.Sampler(k=3, epsilon=1).draw_units([0], units=[0], n="2"),
        lambda: mo.Sampler(k=3, epsilon=1).draw_units([0], [0, 1], key=5, identities=["a"]),
        lambda: mo.Sampler(k=3, epsilon=1).draw_units(
            [0], [0, 1], key=mo.ReleaseKey(), identities=5
        ),
        lambda: mo.risk(5),
        lambda: mo.nonprivate.law(mo.RandomizedResponse(k=3, epsilon=1), [1, 0, 0]),
        lambda: mo.Sampler(k=2.5, epsilon=1),
        lambda: mo.Sampler(k="many", epsilon=1),
        lambda: mo.Sampler(k=2, epsilon="much"),
        lambda: mo.RandomizedResponse(k=0, epsilon=1),
        lambda: mo.RandomizedResponse(k=2.7, epsilon=1),
        lambda: mo.RandomizedResponse(k=3, epsilon="much"),
        lambda: mo.RandomizedResponse(k=3, epsilon=1).draw(np.array([1j])),
    ],
)
def test_refuses_parameters_and_shapes(bad):
    with pytest.raises(mo.InvalidInput) as refused:
        bad()
    assert "\n" not in str(refused.value)


def test_pickles_by_parameters_alone():
    for made in (
        mo.Sampler("class", k=4, epsilon=1, c1=0.5, c2=2),
        mo.Sampler("relative", reference=[1, 2], epsilon=1),
        mo.Sampler("gaussian-curve", k=4, mu=1),
        mo.RandomizedResponse(k=4, epsilon=1),
    ):
        again = pickle.loads(pickle.dumps(made))
        assert repr(again) == repr(made)
        assert pickle.dumps(again) == pickle.dumps(made)


# 64 draws over 2^16 outcomes that are close to uniform: two such lists are equal by chance with
# probability 2^-1000.
def draws():
    return tuple(mo.RandomizedResponse(k=2**16, epsilon=1e-6).draw(np.zeros(64, int)).tolist())


def test_threads_repeat_nothing():
    seen, barrier = [], threading.Barrier(16)

    def work():
        barrier.wait()
        seen.extend(draws() for _ in range(20))

    threads = [threading.Thread(target=work) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(seen)) == 16 * 20


def test_forks_repeat_nothing():
    draws()  # so that there is a state to inherit
    read, write = os.pipe()
    children = []
    for _ in range(4):
        child = os.fork()
        if child == 0:
            os.write(write, (repr(draws()) + "\n").encode())
            os._exit(0)
        children.append(child)
    own = repr(draws())
    for child in children:
        assert os.waitpid(child, 0)[1] == 0
    os.close(write)
    with os.fdopen(read) as lines:
        seen = {own, *(line.strip() for line in lines)}
    assert len(seen) == 5


def test_spawned_processes_repeat_nothing():
    """What is handed to them is a public object and no state of a generator."""
    response = mo.RandomizedResponse(k=2**16, epsilon=1e-6)
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        seen = pool.map_async(response.draw, [np.zeros(64, int)] * 4, chunksize=1).get(timeout=120)
    assert len({*(tuple(one.tolist()) for one in seen), draws()}) == 5


def test_sixteen_threads_release_at_once(domain):
    roster = [str(unit) for unit in range(200)]
    data = {name: ["1"] * 1000 for name in domain} | {"unit": [str(i % 200) for i in range(1000)]}
    seen, errors = [], []

    def work():
        try:
            release = mo.Local(domain, unit="unit", units=roster, epsilon=0.1, accept_error=True).sample(data)
            seen.append(release)
        except Exception as error:  # told below, in the test's own thread
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert len({release.certificate for release in seen}) == 1
    assert len({str(release.to_dict()) for release in seen}) == 16


def test_a_key_draws_the_same_however_records_come():
    sampler = mo.Sampler(k=5, epsilon=1.0)
    generator = np.random.default_rng(0)
    outcomes, units = generator.integers(0, 5, 4000), generator.integers(0, 1000, 4000)
    key = mo.ReleaseKey()
    drawn = sampler.draw_units(outcomes, units=units, n=1000, key=key, identities=range(1000))
    order = generator.permutation(4000)
    again = sampler.draw_units(
        outcomes[order], units=units[order], n=1000, key=key, identities=np.arange(1000)
    )
    assert np.array_equal(drawn, again)
    worker = mo.ReleaseKey.of_worker_bytes(key.bytes_for_workers())
    for part in np.array_split(generator.permutation(1000), 7):
        records = np.isin(units, part)
        place = np.zeros(1000, int)
        place[part] = np.arange(len(part))
        own = sampler.draw_units(
            outcomes[records],
            units=place[units[records]],
            n=len(part),
            key=worker,
            identities=[str(unit) if unit % 2 else str(unit).encode() for unit in part],
        )
        assert np.array_equal(own, drawn[part])
    other = sampler.draw_units(
        outcomes, units=units, n=1000, key=mo.ReleaseKey(), identities=range(1000)
    )
    assert not np.array_equal(drawn, other)


def test_law_over_keys_is_the_samplers():
    sampler = mo.Sampler(k=2, epsilon=1.0)
    n = 20_000
    drawn = [
        sampler.draw_units([0], [0, 1], key=mo.ReleaseKey(), identities=["ann"])[0]
        for _ in range(n)
    ]
    expected = n * np.array([np.e, 1]) / (np.e + 1)
    least_p_value_holds(np.bincount(drawn, minlength=2), expected, "over keys")


def test_a_key_is_neither_printed_nor_pickled_nor_chosen():
    key = mo.ReleaseKey()
    assert repr(key) == str(key) == "ReleaseKey(secret)"
    with pytest.raises(TypeError, match="a release key is not pickled"):
        pickle.dumps(key)
    handed = key.bytes_for_workers()
    changed = handed[:-1] + bytes([handed[-1] ^ 1])
    for wrong in (b"", bytes(32), "x" * 32, None, 32, [*handed], handed[:-1], changed):
        with pytest.raises(mo.InvalidInput, match="a release key must be the bytes that"):
            mo.ReleaseKey.of_worker_bytes(wrong)
    sampler = mo.Sampler(k=2, epsilon=1.0)
    with pytest.raises(mo.InvalidInput, match="key and identities belong together: give both or neither"):
        sampler.draw_units([0], [0, 1], key=key)
    with pytest.raises(mo.InvalidInput, match="but one is of type float"):
        sampler.draw_units([0], [0, 1], key=key, identities=[0.5])

    class Interrupts:
        def __index__(self):
            raise KeyboardInterrupt

    with pytest.raises(mo.InvalidInput, match="but one is of type Interrupts"):
        sampler.draw_units([0], [0, 1], key=key, identities=[Interrupts()])
    with pytest.raises(mo.InvalidInput, match="1 units need as many identities, but there are 2"):
        sampler.draw_units([0], [0, 1], key=key, identities=["ann", "bob"])
    for same in (["ann", "ann"], [7, "7"], ["7", b"7"], [7, "7.0"]):
        with pytest.raises(mo.InvalidInput, match="identities of units must be distinct, but of 2 only 1"):
            sampler.draw_units([0, 1], [0, 1, 2], key=key, identities=same)
    for one in ("ab", b"ab", bytearray(b"ab"), 3):
        with pytest.raises(mo.InvalidInput, match="identities must be a list of units, but are of type"):
            sampler.draw_units([0, 1], [0, 1, 2], key=key, identities=one)


CHANNEL = [[2, 1, 1], [1, 2, 1], [1, 1, 2]]


@pytest.mark.parametrize("mechanism", ["naive", "convex"])
def test_a_public_channel_is_an_array_or_a_file(tmp_path, mechanism):
    sampler = mo.Sampler(mechanism, channel=CHANNEL, epsilon=1)
    assert sampler.k == 3
    assert 0.6 < sampler.epsilon_realised_up() <= 1  # ln 2
    assert set(sampler.draw(np.eye(3)).tolist()) <= {0, 1, 2}
    with pytest.raises(mo.InvalidInput, match=r"rows of one mass for each outcome, but has shape \(3,\)"):
        mo.Sampler(mechanism, channel=CHANNEL[0], epsilon=1)
    with pytest.raises(mo.InvalidInput, match="takes no channel"):
        mo.Sampler("minimax", channel=CHANNEL, epsilon=1)
    path = tmp_path / "channel.json"
    path.write_text(json.dumps(CHANNEL))
    domain = mo.Domain({"level": mo.integer(0, 2, null=0)})
    rows = {"id": ["a", "a", "b"], "level": [0, 0, 2]}
    for channel in (np.array(CHANNEL), CHANNEL, path, str(path)):
        method = mo.Local(domain, unit="id", epsilon=2, mechanism=mechanism, channel=channel, accept_error=True)
        release = method.sample(rows)
        assert len(release) == 2
        certificate = release.certificate.to_dict()
        assert certificate["facts"]["channel"] == [float(mass) for row in CHANNEL for mass in row]
        assert mo.verify(release, domain).holds


def test_scale_and_shift_keeps_what_is_near_the_reference():
    sampler = mo.Sampler("scale-and-shift", k=4, epsilon=2)
    counts = np.bincount(sampler.draw(np.tile([1.1, 0.9, 1.0, 1.0], (40_000, 1))), minlength=4)
    # Within the band already, so drawn as it is; 7 standard deviations.
    assert np.abs(counts / 40_000 - np.array([1.1, 0.9, 1.0, 1.0]) / 4).max() < 7 * (0.25 / 40_000) ** 0.5
