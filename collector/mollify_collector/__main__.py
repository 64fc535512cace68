"""The collector's commands: publish a question, close it, serve."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from pathlib import Path

from mollify_collector.questions import NAME, Refused
from mollify_collector.store import open_store


def main() -> int:
    parser = argparse.ArgumentParser(prog="mollify-collector", description="Collect reports of devices, and estimate.")
    parser.add_argument(
        "--database",
        default=os.environ.get("MOLLIFY_COLLECTOR_DATABASE", "collector.sqlite"),
        help="postgresql://... or a file of SQLite (default: $MOLLIFY_COLLECTOR_DATABASE, then collector.sqlite)",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    publish = commands.add_parser("publish", help="publish a question, or a new version of it")
    publish.add_argument("name", help="the question's name in addresses, such as way-to-work")
    publish.add_argument("spec", type=Path, help="a spec of method local, JSON")
    close = commands.add_parser("close", help="take no more reports to a question")
    close.add_argument("name")
    commands.add_parser("list", help="print the questions, their versions and numbers of reports")
    serve = commands.add_parser("serve", help="take reports and show estimates")
    serve.add_argument("--host", default="127.0.0.1", help="address to listen at (default: 127.0.0.1)")
    serve.add_argument("--port", type=int, default=8000, help="0 takes a free one (default: 8000)")
    serve.add_argument("--origin", action="append", default=[], help="another site whose pages may send reports, such as https://example.org")
    serve.add_argument("--connections", type=int, default=1000, help="most connections at a time (default: 1000)")
    asked = parser.parse_args()
    try:
        return _run(asked)
    except (Refused, OSError, ValueError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2


def _run(asked: argparse.Namespace) -> int:
    if asked.command == "serve":
        import uvicorn

        from mollify_collector.service import application

        logging.basicConfig(format="%(levelname)s %(message)s")
        uvicorn.run(
            application(lambda: open_store(asked.database), asked.origin),
            host=asked.host,
            port=asked.port,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=asked.connections,
            log_level="info",
        )
        return 0
    store = open_store(asked.database)
    if asked.command == "publish":
        from mollify_collector.questions import read

        if not NAME.fullmatch(asked.name):
            raise Refused(f'The name "{asked.name}" must be 1 to 63 letters a to z, digits and hyphens.')
        published = store.publish(asked.name, read(asked.spec.read_text()))
        print(f"version {published.number} of {published.name}, {published.published.outcomes} outcomes")
        print(f"certificate_sha256 {published.published.digest}")
    elif asked.command == "close":
        store.close_question(asked.name)
    else:
        for one in store.asked():
            reports = sum(store.counts(one.version).values())
            state = "open" if one.is_open else "closed"
            print(f"{one.name}\tversion {one.number}\t{state}\t{reports} reports\t{one.published.digest}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
