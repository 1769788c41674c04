"""Words of a command that only a shell would understand get a hint; other words do not."""

import pytest

from trapcli.calibration.solutions.command import split_command
from trapcli.calibration.solutions.shell_syntax import shell_hint


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("cat a | grep b", "|"),
        ("python agent.py > out.txt", ">"),
        ("python agent.py >out.txt", ">out.txt"),
        ("python agent.py 2>&1", "2>&1"),
        ("python agent.py < in.txt", "<"),
        ("python agent.py >> log", ">>"),
        ("setup && python agent.py", "&&"),
        ("true || python agent.py", "||"),
        ("python agent.py &", "&"),
        ("true ; python agent.py", ";"),
        ("true; python agent.py", "true;"),
        ("python agent.py --model $MODEL", "$MODEL"),
        ("python agent.py --model=${MODEL}", "--model=${MODEL}"),
        ("python agent.py $(cat key)", "$(cat"),
        ("python ~/agent.py", "~/agent.py"),
        ("ls ~", "~"),
    ],
)
def test_shell_syntax_gets_a_hint(line: str, word: str) -> None:
    """The hint quotes the word, and says how to have a shell."""
    hint = shell_hint(split_command(line))
    assert f"'{word}' is passed on as it is" in hint and "sh -c" in hint


@pytest.mark.parametrize(
    "line",
    [
        "python agent.py --model big",
        "sh -c 'cat a | grep b > c'",
        "sh -c '$AGENT'",
        "python agent.py --price 5$ --name a~b",
        "agent --prompt 'Is 3 > 2; or not?'",
        "curl https://host/v1?a=1&b=2",
        "agent --pattern 'a|b'",
        "agent --cost $5",
        "builtin:solve",
    ],
)
def test_other_words_do_not(line: str) -> None:
    """Quoted lines of shell, addresses, patterns and amounts are what a command may well be given."""
    assert shell_hint(split_command(line)) == ""
