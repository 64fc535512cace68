"""Each report counts once, in both databases."""

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import spec

from mollify_collector.questions import Refused, read
from mollify_collector.store import Report, open_store


def test_an_id_counts_once_in_a_batch_between_batches_and_between_versions(store):
    first = store.publish("way", read(spec("3")))
    second = store.publish("way", read(spec("2")))
    other = store.publish("other", read(spec("3")))
    ids = [random.randbytes(16).hex() for _ in range(3)]

    def of(asked, identity, outcome):
        return Report(asked.question, asked.version, identity, outcome)

    store.add([of(first, ids[0], 4), of(first, ids[0], 4), of(first, ids[1], 4), of(second, ids[0], 7)])
    store.add([of(first, ids[1], 4), of(second, ids[1], 4), of(second, ids[2], 0), of(other, ids[0], 4)])
    assert store.counts(first.version) == {4: 2}
    assert store.counts(second.version) == {0: 1}
    assert store.counts(other.version) == {4: 1}
    assert store.totals(first.question) == (3, 3)
    assert store.totals(other.question) == (1, 1)


def test_a_batch_is_added_whole_or_not_at_all(store):
    asked = store.publish("way", read(spec()))
    good = Report(asked.question, asked.version, "0" * 32, 1)
    bad = Report(asked.question, asked.version + 99, "1" * 32, 1)  # of no version
    with pytest.raises(Exception, match="(?i)foreign key"):
        store.add([good, bad])
    assert store.totals(asked.question) == (0, 0)
    store.add([good])
    assert store.totals(asked.question) == (1, 1)


def test_collectors_that_share_a_database_count_together(database):
    opened = open_store(database)
    asked = opened.publish("way", read(spec()))
    reports = [Report(asked.question, asked.version, random.randbytes(16).hex(), random.randrange(12)) for _ in range(600)]

    def collect(seed):
        mine = open_store(database)
        order = random.Random(seed).sample(reports, len(reports))  # all of them, as if each had been sent to each
        for start in range(0, len(order), 50):
            mine.add(order[start : start + 50])
        mine.close()

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(collect, range(4)))
    assert opened.counts(asked.version) == Counter(one.outcome for one in reports)
    assert opened.totals(asked.question) == (600, 600)
    opened.close()


def test_versions_of_a_question_have_the_same_columns(store):
    assert store.publish("way", read(spec("3"))).number == 1
    assert store.publish("way", read(spec("2"))).number == 2
    assert store.publish("way", read(spec("3"))).number == 1  # it is there
    with pytest.raises(Refused, match="under another name"):
        store.publish("way", read(spec("3", "columns:\n  way: {type: boolean, null: false}\n")))
    assert [one.number for one in store.asked()] == [1, 2]
    store.close_question("way")
    assert [one.is_open for one in store.asked()] == [False, False]
    with pytest.raises(Refused, match="no question|No question"):
        store.close_question("away")
