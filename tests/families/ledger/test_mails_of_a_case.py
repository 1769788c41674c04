"""Closes with customers who write mails: their account, their mails, and what missing them leads to."""

import re
from dataclasses import replace
from decimal import Decimal

from families.ledger.close import FAMILY as CLOSE
from families.ledger.solver import close_answer
from trapcli.core.contract import Case
from trapcli.core.output import output_of
from trapcli.judging.judge import judge_output


def test_the_mails_are_files_named_by_their_days(mail_closes: list[Case]) -> None:
    """Each mail is a file of its own in correspondence/, and the README has the section about them."""
    for case in mail_closes:
        mails = [path for path in case.files if path.startswith("correspondence/")]
        assert len(mails) == 40
        assert all(re.fullmatch(r"correspondence/2026-\d\d-\d\d-\d\d\.txt", path) for path in mails)
        assert "## Customers' mails" in case.files["README.md"]
        assert "on it no rest is ever written off" in case.files["README.md"]
        assert "mails_unread" in case.mistakes


def test_the_question_names_both_accounts(mail_closes: list[Case]) -> None:
    """The account of those who write has files of its own from its first month on."""
    for case in mail_closes:
        match = re.search(r"Accounts (\d+ .+) and (\d+ .+), taken together", case.files["question.md"])
        assert match
        sheets = [text for path, text in case.files.items() if path.startswith("ledgers/")]
        assert sum(text.startswith(f"Account {match[2]}\n") for text in sheets) >= 3


def test_the_memo_shows_nothing_of_those_who_write(mail_closes: list[Case]) -> None:
    """No line of the memo names a voucher of their account."""
    for case in mail_closes:
        match = re.search(r" and (\d+ .+), taken together", case.files["question.md"])
        assert match
        for path, text in case.files.items():
            if path.startswith("ledgers/") and text.startswith(f"Account {match[1]}\n"):
                for voucher in re.findall(r"[A-Z]{2}26\d\d-\d{3}", text):
                    assert voucher not in case.files["policy/allocation-memo.md"]


def test_each_instruction_missed_is_wrong_and_named(mail_closes: list[Case]) -> None:
    """Whoever misses one instruction is 100.00 or more off, and the verdict names its mail."""
    for case in mail_closes:
        assert len(case.facts["instructions"]) == 12
        known = {record["answer"] for record in case.facts["wrong_answers"]}
        for one in case.facts["instructions"]:
            assert abs(Decimal(one["answer"]) - Decimal(case.gold)) >= 100
            assert all(path in case.files for path in one["mails"])
            verdict = judge_output(CLOSE, case, output_of(f"ANSWER: {one['answer']}"))
            assert not verdict.passed
            assert verdict.mistake.startswith("an instruction in correspondence/") or one["answer"] in known


def test_the_solver_reads_the_mails(mail_closes: list[Case]) -> None:
    """Without a mail that instructs the solver comes to another answer; other mails do not matter."""
    case = mail_closes[0]
    telling = {path for one in case.facts["instructions"] for path in one["mails"]}
    right = close_answer(case.files)
    assert f"{right / 100:.2f}" == case.gold
    silent = [path for path in case.files if path.startswith("correspondence/") and path not in telling]
    assert silent
    assert close_answer({p: t for p, t in case.files.items() if p not in silent}) == right
    wrong = 0
    for path in sorted(telling):
        wrong += close_answer({p: t for p, t in case.files.items() if p != path}) != right
    assert wrong >= len(telling) // 2


def test_an_unclear_mail_is_no_answer(mail_closes: list[Case]) -> None:
    """If a sentence matches no pattern the solver says so, and the case is found broken."""
    case = mail_closes[0]
    path = case.facts["instructions"][0]["mails"][0]
    broken = replace(case, files={**case.files, path: "Date: tomorrow\n"})
    assert "Undecided" in CLOSE.solve(broken.files)
    assert list(CLOSE.check(broken))
