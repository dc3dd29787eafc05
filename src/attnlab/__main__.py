"""`python -m attnlab` is the command `attnlab`."""

import sys

from attnlab.cli import main

sys.exit(main())
