"""``python -m tabletalk`` is the command ``tabletalk``."""

import sys

from .command import main

sys.exit(main())
