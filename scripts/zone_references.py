#!/usr/bin/env python3
"""Writes tests/data/zones.json: what Python's zoneinfo says of every minute of two years in four zones.

`offsets`: at a minute of UTC, the seconds from UTC. `instants`: at a minute that the zone's clock shows,
the seconds to subtract from it, of the first of two, and in a gap of the time before it. Each is a list of
[minutes, seconds]: how many minutes in turn have this value. The second year lies beyond the transitions
that zone files list one by one.
"""

import json
from datetime import datetime, timedelta, timezone
from itertools import groupby
from pathlib import Path
from zoneinfo import ZoneInfo

ZONES = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Beirut"]
YEARS = [2026, 2050]


def runs(values):
    return [[len(list(same)), value] for value, same in groupby(values)]


def minutes(year):
    one, end = datetime(year, 1, 1), datetime(year + 1, 1, 1)
    while one < end:
        yield one
        one += timedelta(minutes=1)


def seconds(offset):
    return int(offset.total_seconds())


references = [
    {
        "zone": name,
        "year": year,
        "first": int(datetime(year, 1, 1, tzinfo=timezone.utc).timestamp()),
        "offsets": runs(
            seconds(one.replace(tzinfo=timezone.utc).astimezone(ZoneInfo(name)).utcoffset()) for one in minutes(year)
        ),
        "instants": runs(seconds(one.replace(tzinfo=ZoneInfo(name)).utcoffset()) for one in minutes(year)),
    }
    for name in ZONES
    for year in YEARS
]
path = Path(__file__).parents[1] / "tests/data/zones.json"
path.write_text("[\n" + ",\n".join(json.dumps(one) for one in references) + "\n]\n")
