"""The command: `python -m mollify` and `mollify-dp` are `mollify`, with `report` beside it."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> None:
    """Becomes the command, with this program's arguments."""
    if sys.argv[1:2] == ["report"]:
        from mollify._report_command import main as write_report

        sys.exit(write_report(sys.argv[2:]))
    command = Path(__file__).with_name("bin") / "mollify"
    os.execv(command, ["mollify", *sys.argv[1:]])


if __name__ == "__main__":
    main()
