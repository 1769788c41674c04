"""`python -m trapcli`: the same program as `trapcli` and `trap`."""

import sys

from trapcli.cli import main

sys.exit(main())
