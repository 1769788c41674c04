"""The installed package: its version, where it is, and the variable that asks it for completion."""

import os

__version__ = "0.1.0"

DIRECTORY = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # of the package `trapcli`
ROOT = os.path.dirname(DIRECTORY)  # on sys.path: site-packages, or a checkout
COMPLETION = "_TRAPCLI_COMPLETE"  # the variable that completion scripts set, for both names of the program
