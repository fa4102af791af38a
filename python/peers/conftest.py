"""The games and settings of the other tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from playable import _quiet, game, short  # noqa: E402, F401
