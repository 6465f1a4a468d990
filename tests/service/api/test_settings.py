"""Settings of the server and the pairs that it serves."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from bilex import DictionaryEntry, write_dictionary
from bilex.errors import BilexError, InputFileError, SettingError
from bilex.lexicons.dictionary import Dictionary, DictionaryMetadata
from bilex.service.api.settings import ConfigFile, ServerSettings, make_settings
from bilex.service.api.sources import Sources, pairs_of_arguments
from conftest_types import Bilex
from running_service import plain_model

TABLE = "source\ttarget\nhouse\tcasa\n"


def read(folder: Path, text: str) -> ConfigFile:
    path = folder / "serve.toml"
    path.write_text(text, encoding="utf-8")
    return ConfigFile.read(path)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    plain_model().save(tmp_path / "en-es")
    return tmp_path / "en-es"


def test_options_win_over_the_environment_which_wins_over_the_file(tmp_path: Path) -> None:
    config = read(tmp_path, "[server]\nport = 1\nworkers = 2\nat_once = 3\nkeys = 'k.json'\n")
    variables = {"BILEX_SERVE_WORKERS": "4", "BILEX_SERVE_AT_ONCE": "5", "OTHER": "6"}
    made = make_settings(config, variables, {"at_once": 7, "host": None})
    assert made == ServerSettings(port=1, workers=4, at_once=7, keys=tmp_path / "k.json")


@pytest.mark.parametrize(
    ("variable", "text", "value"),
    [
        ("BILEX_SERVE_HOST", "::1", "::1"),
        ("BILEX_SERVE_OPEN", "true", True),
        ("BILEX_SERVE_LOG", "no", False),
        ("BILEX_SERVE_BODY_SECONDS", "2.5", 2.5),
        ("BILEX_SERVE_DRAIN_SECONDS", "0", 0.0),
        ("BILEX_SERVE_FOLDER", "models", Path("models")),
        ("BILEX_SERVE_PROXIES", "", ""),
    ],
)
def test_every_kind_of_variable_is_read(variable: str, text: str, value: object) -> None:
    made = make_settings(None, {variable: text, "BILEX_SERVE_CONFIG": "x.toml"}, {})
    assert getattr(made, variable.removeprefix("BILEX_SERVE_").lower()) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("port = 3", r"\[port\] is unknown: expected \[server\] and \[\[pairs\]\]"),
        ("[sever]", r"\[sever\] is unknown \(did you mean 'server'\?\)"),
        ("[server]\nprot = 3", r"\[server\]: there is no setting 'prot' \(did you mean 'port'\?\)"),
        ("[server]\nport = 70000", r"\[server\] port is 70000: .*from 0 to 65,535"),
        ("[server]\nport = '8000'", r"\[server\] port is '8000': expected a whole number"),
        ("[server]\nport = true", r"\[server\] port is True: expected a whole number"),
        ("[server]\nworkers = 0", r"\[server\] workers is 0"),
        ("[server]\nbody_seconds = nan", r"\[server\] body_seconds is nan: expected a number"),
        ("[server]\nhost = 3", r"\[server\] host is 3: expected a text"),
        ("[server]\npage = 'no'", r"\[server\] page is 'no': expected true or false"),
        ("[server]\nkeys = ''", r"\[server\] keys is '': expected a path"),
        ("server = 3", "server is not a table"),
        ("pairs = 3", "pairs is not a list of tables"),
        ("x = ", "is not valid TOML"),
        ("[[pairs]]\nname = 'en-es'", r"\[\[pairs\]\] number 1: it has neither"),
        ("[[pairs]]\nmodle = 'x'", r"there is no key 'modle' \(did you mean 'model'\?\)"),
        ("[[pairs]]\nmodel = 3", "model is 3: expected a text"),
        ("[[pairs]]\nmodel = 'x'", "its languages are not known: add source"),
        ("[[pairs]]\nmodel = 'x'\nname = 'en/es'\nsource='en'\ntarget='es'", "'en/es' cannot be"),
        ("[[pairs]]\nmodel = 'en-es'\nsource = 'e n'", "source is 'e n': expected a language tag"),
        (
            "[[pairs]]\nmodel = 'en-es'\n[[pairs]]\nmodel = 'x/en-es'",
            r"two \[\[pairs\]\] are called 'en-es'",
        ),
    ],
)
def test_a_wrong_file_is_refused_with_its_name_and_the_key(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(InputFileError, match=message) as error:
        read(tmp_path, text)
    assert str(tmp_path / "serve.toml") in str(error.value)


@pytest.mark.parametrize(
    ("variables", "options", "message"),
    [
        ({"BILEX_SERVE_PORT": "tcp://10.0.0.1"}, {}, r"\$BILEX_SERVE_PORT is 'tcp"),
        ({"BILEX_SERVE_PROT": "1"}, {}, r"\$BILEX_SERVE_PROT: there is no setting 'prot'"),
        ({"BILEX_SERVE_OPEN": "maybe"}, {}, r"\$BILEX_SERVE_OPEN is 'maybe': expected true"),
        ({}, {"workers": 1_000}, "--workers is 1000: expected a whole number from 1 to 256"),
    ],
)
def test_wrong_variables_and_options_are_refused_by_name(
    variables: dict[str, str], options: dict[str, object], message: str
) -> None:
    with pytest.raises(SettingError, match=message):
        make_settings(None, variables, options)


def test_others_need_keys_unless_somebody_says_that_they_do_not() -> None:
    ServerSettings().check_exposure()
    ServerSettings(host="0.0.0.0", open=True).check_exposure()  # noqa: S104
    ServerSettings(host="0.0.0.0", keys=Path("k")).check_exposure()  # noqa: S104
    with pytest.raises(SettingError, match=r"everybody who reaches 0.0.0.0 could ask: make a key"):
        ServerSettings(host="0.0.0.0").check_exposure()  # noqa: S104
    with pytest.raises(SettingError, match="everybody who reaches a proxy"):
        ServerSettings(proxies="127.0.0.1").check_exposure()
    with pytest.raises(SettingError, match="contradict"):
        ServerSettings(open=True, keys=Path("k")).check_exposure()


def test_defaults_depend_on_who_can_ask() -> None:
    here, elsewhere = ServerSettings(), ServerSettings(host="192.0.2.1", keys=Path("k"))
    assert (here.drain, here.has_page, here.is_local) == (0, True, True)
    assert (elsewhere.drain, elsewhere.has_page, elsewhere.is_local) == (5, False, False)
    assert ServerSettings(keys=Path("k"), page=True, drain_seconds=1.0).has_page


def test_pairs_of_a_file_have_paths_from_its_folder_and_languages_of_their_names(
    tmp_path: Path,
) -> None:
    config = read(
        tmp_path,
        """
        [[pairs]]
        model = "models/en-es"
        decisions = "review.sqlite"
        [[pairs]]
        name = "medicine"
        source = "en"
        target = "pt-BR"
        dictionary = "medicine.tsv"
        decisions = "postgresql://bilex@db/words"
        """,
    )
    one, two = config.pairs
    assert (one.name, one.source, one.target) == ("en-es", "en", "es")
    assert one.model == tmp_path / "models/en-es"
    assert one.decisions == str(tmp_path / "review.sqlite")
    assert (two.name, two.target, two.model) == ("medicine", "pt-BR", None)
    assert two.decisions == "postgresql://bilex@db/words"


def test_arguments_are_models_and_dictionaries_with_or_without_a_name(
    model: Path, tmp_path: Path
) -> None:
    for name in ("en-fr.tsv", "terms.tsv", "a=b-en-de.tsv"):
        (tmp_path / name).write_text(TABLE)
    languages = DictionaryMetadata(source_language="en", target_language="gl")
    odd = Dictionary((DictionaryEntry("house", "casa"),), languages)
    write_dictionary(odd, tmp_path / "odd.tsv")
    made = pairs_of_arguments(
        [
            str(model),
            str(tmp_path / "en-fr.tsv"),
            f"de-en={tmp_path / 'terms.tsv'}",
            str(tmp_path / "odd.tsv"),
        ]
    )
    assert [(one.name, one.source, one.target) for one in made] == [
        ("en-es", "en", "es"),
        ("en-fr", "en", "fr"),
        ("de-en", "de", "en"),
        ("en-gl", "en", "gl"),
    ]
    both = pairs_of_arguments([str(model), f"en-es={tmp_path / 'terms.tsv'}"])
    assert [(one.model, one.dictionary) for one in both] == [(model, tmp_path / "terms.tsv")]


def test_a_folder_may_be_named_by_a_link_or_be_where_we_are(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "release-7").mkdir()
    shutil.copytree(model, tmp_path / "release-7" / "model")
    (tmp_path / "de-fr").symlink_to(tmp_path / "release-7" / "model")
    monkeypatch.chdir(model)
    made = pairs_of_arguments([str(tmp_path / "de-fr"), "."])
    assert [(one.name, one.source) for one in made] == [("de-fr", "de"), ("en-es", "en")]


def test_arguments_that_cannot_be_served_are_refused(model: Path, tmp_path: Path) -> None:
    (tmp_path / "terms.tsv").write_text(TABLE)
    with pytest.raises(SettingError, match="does not exist"):
        pairs_of_arguments([str(tmp_path / "nothing")])
    with pytest.raises(SettingError, match=r"languages of .* not known: write en-es=.*terms.tsv"):
        pairs_of_arguments([str(tmp_path / "terms.tsv")])
    with pytest.raises(SettingError, match="two things to serve are called 'en-es'"):
        pairs_of_arguments([str(model), f"en-es={model}"])
    with pytest.raises(SettingError, match="cannot be the name of a pair"):
        pairs_of_arguments([f"en es={model}"])


def test_a_folder_is_looked_at_each_time(
    model: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    wanted = Sources(folder=folder)
    assert wanted() == []
    shutil.copytree(model, folder / "en-es")
    shutil.copytree(model, folder / ".en-fr.part")
    shutil.copytree(model, folder / "model")
    (folder / "README").write_text("")
    for _ in range(2):
        assert [one.name for one in wanted()] == ["en-es"]
    assert [record.message for record in caplog.records] == [
        f"{folder / 'model'} is not served: give it a name such as en-es"
    ]
    shutil.rmtree(folder / "en-es")
    assert wanted() == []
    with pytest.raises(SettingError, match="is not a folder"):
        Sources(folder=tmp_path / "nothing")


def test_a_review_beside_a_model_is_used_unless_the_file_says_no(
    model: Path, tmp_path: Path
) -> None:
    path = tmp_path / "serve.toml"
    path.write_text(f"[[pairs]]\nmodel = '{model}'\n")
    wanted = Sources(config=path)
    assert [one.decisions for one in wanted()] == [None]
    beside = tmp_path / "en-es.review.sqlite"
    beside.write_bytes(b"")
    assert [one.decisions for one in wanted()] == [str(beside)]
    path.write_text(f"[[pairs]]\nmodel = '{model}'\ndecisions = false\n")
    assert [one.decisions for one in wanted()] == [None]


def test_the_file_is_read_again_and_the_first_of_a_name_is_served(
    model: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "serve.toml"
    path.write_text("[server]\nport = 1\n")
    given = pairs_of_arguments([str(model)])
    wanted = Sources(given, path)
    assert [one.name for one in wanted()] == ["en-es"]
    path.write_text(
        "[server]\nport = 2\n[[pairs]]\nmodel = 'other/en-es'\n[[pairs]]\nmodel = 'en-fr'\n"
    )
    assert [(one.name, one.model) for one in wanted()] == [
        ("en-es", model),
        ("en-fr", tmp_path / "en-fr"),
    ]
    assert "restart the server to use the new [server]" in caplog.text
    path.write_text("[[pairs]")
    with pytest.raises(BilexError, match="not valid TOML"):
        wanted()


def test_mistakes_on_the_command_line_are_one_line(bilex: Bilex, model: Path) -> None:
    for arguments, message in (
        ((), "nothing to serve: give a model or a dictionary"),
        (("en-es", "--host", "0.0.0.0"), "everybody who reaches 0.0.0.0 could ask"),  # noqa: S104
        (("en-es", "--keys", "k.json"), "k.json: no such file; make a key"),
        (("--config", "x.toml"), "x.toml: no such file"),
        (("--folder", "nothing"), "nothing is not a folder"),
        (("en-es", "--host", "192.0.2.1", "--open"), "cannot listen on 192.0.2.1"),
    ):
        finished = bilex("serve", *arguments)
        assert (finished.code, finished.out) == (2, "")
        assert message in finished.err
        assert len(finished.err.splitlines()) == 1
    assert os.environ.get("PROMETHEUS_MULTIPROC_DIR") is None
