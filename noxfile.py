"""Tasks of a developer: `nox -s fast` while you write code, `nox` before a commit, `nox -l` for a list."""

import nox

nox.options.sessions = ["lint", "types", "all"]
nox.options.reuse_existing_virtualenvs = True


def install(session: nox.Session) -> None:
    """Install the checkout in editable mode, with what tests, linter and type checker need."""
    session.install("-q", "-e", ".[test]")


@nox.session
def fast(session: nox.Session) -> None:
    """Run the tests that take no longer than a moment each: the loop while you write code."""
    install(session)
    session.run("pytest", "-q", "-n", "2", "-m", "fast", *session.posargs)


@nox.session
def all(session: nox.Session) -> None:
    """Run every test and measure branch coverage."""
    install(session)
    session.run("pytest", "-q", "-n", "2", "--cov", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and formatting."""
    install(session)
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")


@nox.session
def types(session: nox.Session) -> None:
    """Check the types of the packages and of the tests."""
    install(session)
    session.run("mypy")


@nox.session
def docs(session: nox.Session) -> None:
    """Run what the documentation shows, and compare what it prints."""
    install(session)
    session.run("pytest", "-q", "tests/test_readme.py", *session.posargs)
