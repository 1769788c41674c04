"""`python -m trapcli`: the same program as `trapcli` and `trap`."""

import sys

from trapcli.system.package import module_path

sys.path[:] = module_path()  # before anything else is imported

from trapcli.cli import main  # noqa: E402

sys.exit(main())
