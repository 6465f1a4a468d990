"""The help of every command: complete, in plain English, with examples that are valid."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from bilex.cli.app import COMMANDS, app
from bilex.cli.help_text import first_line
from conftest_types import Bilex

RAW_TYPES = re.compile(
    r"<\w+|\b(bool|int|str|float|BOOLEAN|INTEGER|FLOAT|DIRECTORY|UUID|None|x>=\d|TEXT RANGE)\b"
)


def all_commands() -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every command and group with the words that call it."""

    def within(path: tuple[str, ...], group: Any) -> Iterator[tuple[tuple[str, ...], Any]]:  # noqa: ANN401
        yield path, group
        for name in getattr(group, "list_commands", lambda _: [])(None):
            yield from within((*path, name), group.get_command(None, name))

    yield from within((), typer.main.get_command(app))


EVERY = dict(all_commands())
every_command = pytest.mark.parametrize("path", EVERY, ids=" ".join)


@every_command
def test_h_is_help_without_raw_types(bilex: Bilex, path: tuple[str, ...]) -> None:
    short, long = bilex(*path, "-h"), bilex(*path, "--help")
    assert (short.code, short.err) == (0, "")
    assert short.out == long.out
    assert short.out.startswith(f"Usage: {' '.join(['bilex', *path])} ")
    assert not RAW_TYPES.search(short.out), RAW_TYPES.search(short.out)
    assert "-h, --help" in short.out


@every_command
def test_every_option_has_a_help_and_a_name_for_its_value(path: tuple[str, ...]) -> None:
    for param in EVERY[path].params:
        assert param.help, param.name
        assert param.help.endswith((".", ")", "…")), param.help
        if param.param_type_name == "argument" or not param.is_flag:
            assert param.metavar or param.name in ("install_completion", "show_completion")


@every_command
def test_a_command_has_examples_that_are_valid(path: tuple[str, ...]) -> None:
    command = EVERY[path]
    if path in {
        ("bench",),
        ("data",),
        ("fleet",),
        ("seeds",),
        ("review", "users"),
        ("serve", "keys"),
    }:
        return
    title, *examples = command.epilog.splitlines()
    assert title in ("Example:", "Examples:")
    called = set()
    for example in examples:
        program, *arguments = shlex.split(example.partition("#")[0].partition("|")[0])
        assert program == "bilex"
        words = [word for word in arguments if word not in "<>"]
        names = next(words[:n] for n in (3, 2, 1) if tuple(words[:n]) in EVERY)
        called.add(tuple(names))
        found = EVERY[tuple(names)]
        found.make_context("bilex", words[len(names) :], resilient_parsing=True)
    assert not path or path in called


def test_the_list_of_commands_repeats_the_first_lines_of_their_helps() -> None:
    for name, listed in COMMANDS.items():
        assert listed.help == first_line(EVERY[(name,)].help)


def test_the_program_lists_its_commands_by_section(bilex: Bilex) -> None:
    done = bilex("--help").out
    sections = {listed.section for listed in COMMANDS.values()}
    assert all(f"\n{section}:\n" in done for section in sections)
    for name, listed in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(listed.help)}$", done, re.MULTILINE)


def test_options_are_in_sections(bilex: Bilex) -> None:
    done = bilex("fit", "-h").out
    titles = re.findall(r"^(\w[\w ]+):$", done, re.MULTILINE)
    assert titles == [
        "Arguments",
        "Options",
        "Method",
        "Model folder",
        "Reading files",
        "Computing",
        "Examples",
    ]
    assert "-o, --output FOLDER  Model folder to write. [required]" in done
    assert "--calibrate / --no-calibrate" in done
    assert "[default: 512MiB]" in done


@pytest.mark.parametrize("columns", ["40", "80", "200"])
def test_no_option_is_divided_at_a_hyphen(
    bilex: Bilex, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    done = bilex("translate", "-h").out
    assert "--any-case" in done
    assert not re.search(r"--?\w+-$", done, re.MULTILINE)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["translaet", "m"], "There is no command 'translaet' (did you mean 'translate'?)"),
        (["data", "lsit"], "There is no command 'lsit' (did you mean 'list'?)"),
        (["presets", "css"], "'css' is a preset: `bilex presets show css` prints it"),
        (["fit", "a", "b", "-o", "c", "--limt", "5"], "--limit"),
        (["translate"], "Missing argument 'MODEL'"),
        (["fit", "a", "b"], "Missing option '--output' / '-o'"),
    ],
)
def test_a_wrong_call_is_explained(bilex: Bilex, arguments: list[str], message: str) -> None:
    done = bilex(*arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert "Usage: bilex" in done.err
    assert "-h' for help" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["translate", "m", "-k", "many"], "Invalid value for '-k'"),
        (["translate", "m", "-k", "0"], "Invalid value for '-k'"),
        (["fit", "a", "b", "-o", "c", "--mode", "slow"], "Invalid value for '--mode'"),
        (["induce", "m", "--min-precision", "high"], "Invalid value for '--min-precision'"),
    ],
)
def test_a_wrong_value_is_explained(bilex: Bilex, arguments: list[str], message: str) -> None:
    done = bilex(*arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert "<" not in done.err
