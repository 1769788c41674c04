"""The installed package: its version, and where it is."""

import os

__version__ = "0.1.0"

DIRECTORY = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # of the package `trapcli`
ROOT = os.path.dirname(DIRECTORY)  # on sys.path: site-packages, or a checkout
