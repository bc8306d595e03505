"""`python -m surgeon` is the command `surgeon`."""

import sys

from surgeon.cli import main

sys.exit(main())
