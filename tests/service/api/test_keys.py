"""API keys and their file."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path

import pytest

from bilex.errors import InputFileError, SettingError
from bilex.service.api.keys import WatchedKeys, add_key, read_keys, remove_key
from bilex.service.api.rates import Rate
from conftest_types import Bilex


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "keys.json"


def test_a_token_is_found_and_nothing_else_is(path: Path) -> None:
    token = add_key(path, "search team", ["translate"], Rate(5, 60))
    other = add_key(path, "other", ["glossary", "metrics"], None)
    keys = read_keys(path)
    found = keys.find(token)
    assert found is not None
    assert (found.name, found.scopes, found.rate) == (
        "search team",
        frozenset({"translate"}),
        Rate(5, 60),
    )
    second = keys.find(other)
    assert second is not None
    assert second.name == "other"
    for wrong in (
        "",
        token[:-1],
        token + "0",
        token[:-1] + ("0" if token[-1] != "0" else "1"),
        token[:15] + other[15:],  # the identity of one with the secret of another
        token.upper(),
        "\N{SNOWMAN}",
    ):
        assert keys.find(wrong) is None


def test_a_token_has_256_random_bits_and_only_its_hash_is_stored(path: Path) -> None:
    token = add_key(path, "a", ["translate"], None)
    secret = token.rpartition("_")[2]
    assert len(bytes.fromhex(secret)) == 32
    assert secret not in path.read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_only_the_owner_can_read_the_file_unless_it_was_changed(path: Path) -> None:
    add_key(path, "a", ["translate"], None)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o640)
    add_key(path, "b", ["translate"], None)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_key_that_is_removed_is_not_known_any_more(path: Path) -> None:
    token, kept = (add_key(path, name, ["lexicon"], None) for name in ("a", "b"))
    remove_key(path, "a")
    assert read_keys(path).find(token) is None
    assert read_keys(path).find(kept) is not None
    with pytest.raises(SettingError, match="no key 'a'; there are: b"):
        remove_key(path, "a")


def test_wrong_names_and_scopes_are_refused(path: Path) -> None:
    add_key(path, "a", ["translate"], None)
    with pytest.raises(SettingError, match="there is a key 'a' already"):
        add_key(path, "a", ["translate"], None)
    with pytest.raises(SettingError, match=r"no scope 'translat' \(did you mean 'translate'"):
        add_key(path, "b", ["translat"], None)
    with pytest.raises(SettingError, match="needs a scope"):
        add_key(path, "b", [], None)
    for name in ("", "a\nb", " a", "x" * 61):
        with pytest.raises(SettingError, match="cannot be the name"):
            add_key(path, name, ["translate"], None)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"keys": 3}',
        '{"keys": [3]}',
        '{"keys": [{"name": "a", "id": "b", "sha256": "00", "scopes": [], "rate": null}]}',
        '{"keys": [{"name": "a", "id": "b", "sha256": "x", "scopes": [], "rate": null}]}',
    ],
)
def test_another_file_is_refused(path: Path, text: str) -> None:
    path.write_text(text)
    with pytest.raises(InputFileError, match="not a file of keys"):
        read_keys(path)


def test_a_missing_file_is_an_error_that_says_how_to_make_one(path: Path) -> None:
    with pytest.raises(InputFileError, match="bilex serve keys add"):
        WatchedKeys(path)


def test_changes_of_the_file_are_seen_and_damage_is_not_taken_over(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    token = add_key(path, "a", ["translate"], None)
    watched = WatchedKeys(path, every=0)
    second = add_key(path, "b", ["translate"], None)
    assert watched.current().find(second) is not None
    path.write_text("damaged")
    for _ in range(3):
        assert watched.current().find(token) is not None
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == [
        f"the keys stay as they are: {path}: is not a file of keys (Expecting value: line 1 "
        "column 1 (char 0)): expected one of `bilex serve keys add`"
    ]
    path.unlink()
    assert watched.current().find(token) is not None
    third = add_key(path, "c", ["translate"], None)
    assert watched.current().find(third) is not None
    assert watched.current().find(token) is None


def test_keys_are_made_listed_and_removed_on_the_command_line(bilex: Bilex) -> None:
    made = bilex("serve", "keys", "add", "search", "--rate", "600/minute", "--scopes", "translate")
    assert made.code == 0, made.err
    token = made.out.strip()
    assert read_keys(Path("keys.json")).find(token) is not None
    listed = bilex("serve", "keys", "list")
    assert listed.out.split("\t")[0] == "search"
    assert token not in listed.out
    assert "600/minute" in listed.out
    as_json = json.loads(bilex("serve", "keys", "list", "--json").out)
    assert (as_json["scopes"], as_json["rate"]) == (["translate"], "600/minute")
    wrong = bilex("serve", "keys", "add", "x", "--rate", "many")
    assert (wrong.code, "'many' is not a rate" in wrong.err) == (2, True)
    assert bilex("serve", "keys", "remove", "search").code == 0
    assert bilex("serve", "keys", "list").out == ""


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="needs root")
def test_the_file_still_belongs_to_the_server_when_root_changes_it(path: Path) -> None:
    add_key(path, "a", ["translate"], None)
    os.chown(path, 65534, 65534)
    add_key(path, "b", ["translate"], None)
    assert (path.stat().st_uid, path.stat().st_gid) == (65534, 65534)
