"""Where the checkout under test is, and where a process that a test starts finds its modules."""

from pathlib import Path

SUPPORT = Path(__file__).resolve().parent
TESTS = SUPPORT.parent
ROOT = TESTS.parent
MODULES = (SUPPORT, TESTS, ROOT)  # for PYTHONPATH: the tests' support, then the packages under test
