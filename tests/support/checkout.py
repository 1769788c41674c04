"""Where the checkout under test is, and where a process that a test starts finds its modules."""

from pathlib import Path

SUPPORT = Path(__file__).resolve().parent
TESTS = SUPPORT.parent
ROOT = TESTS.parent
MODULES = (SUPPORT, TESTS, ROOT)  # for PYTHONPATH: what tests share, then the packages under test
