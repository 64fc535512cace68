"""The command: `python -m mollify` and `mollify-dp` are `mollify`."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> None:
    """Becomes the command, with this program's arguments."""
    command = Path(__file__).with_name("bin") / "mollify"
    os.execv(command, ["mollify", *sys.argv[1:]])


if __name__ == "__main__":
    main()
