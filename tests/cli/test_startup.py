"""`bilex --help`, `--version` and shell completion start fast: they import only what they need."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from bilex.storage.version import __version__

HEAVY = {"torch", "numpy", "rich", "rapidfuzz", "sklearn"}


def modules_after(*arguments: str) -> tuple[str, set[str]]:
    """Return the output of a command, and the modules it imported that typer does not need."""
    code = (
        "import sys, typer\n"
        "before = set(sys.modules)\n"
        "import bilex.cli.app\n"
        f"sys.argv = ['bilex', *{arguments!r}]\n"
        "try:\n    bilex.cli.app.main()\n"
        "except SystemExit as end:\n    assert not end.code\n"
        "print('\\n'.join(['MODULES', *set(sys.modules) - before]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    output, _, modules = done.stdout.partition("MODULES\n")
    return output, set(modules.splitlines())


@pytest.mark.parametrize(
    ("arguments", "start"),
    [(("--help",), "Usage: bilex "), (("--version",), f"bilex {__version__}\n")],
)
def test_help_and_version_import_no_command(arguments: tuple[str, ...], start: str) -> None:
    output, modules = modules_after(*arguments)
    assert output.startswith(start)
    assert not HEAVY & modules
    assert not {"bilex.cli.fit", "bilex.cli.bench"} & modules


def test_the_help_of_a_command_imports_that_command_alone() -> None:
    output, modules = modules_after("fit", "-h")
    assert output.startswith("Usage: bilex fit ")
    assert "bilex.cli.fit" in modules
    assert "bilex.cli.bench" not in modules
    assert not HEAVY & modules


def test_listing_suites_imports_no_method() -> None:
    output, modules = modules_after("bench", "list")
    assert "smoke\t" in output
    assert not HEAVY & modules


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("bilex tr", {"translate"}),
        ("bilex ", {"fit", "bench", "demo"}),
        ("bilex data ", {"list", "get"}),
        ("bilex presets sh", {"show"}),
        ("bilex fit --res", {"--resume"}),
    ],
)
def test_a_shell_completes_commands_and_options(typed: str, found: set[str]) -> None:
    request = {
        "_BILEX_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split(" ")) - 1),
    }
    code = "from bilex.cli.app import main; main()"
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code], env=os.environ | request, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert found <= set(done.stdout.split())
    assert done.stderr == ""


@pytest.mark.slow
@pytest.mark.parametrize(("code", "most"), [("from bilex.cli.app import main", 0.4), ("", 0.1)])
def test_starting_is_fast(code: str, most: float) -> None:
    """Take the best of ten runs: help in 0.4 s, and `import bilex` in 0.1 s more than Python."""

    def best(text: str) -> float:
        times = []
        for _ in range(10):
            begin = time.perf_counter()
            subprocess.run([sys.executable, "-c", text], capture_output=True, check=False)  # noqa: S603
            times.append(time.perf_counter() - begin)
        return min(times)

    if code:
        assert best(f"import sys; sys.argv = ['bilex', '--help']; {code}; main()") <= most
    else:
        assert best("import bilex") - best("pass") <= most
