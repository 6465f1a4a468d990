"""The hub, and the way of each language to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bilex.errors import SettingError
from bilex.fleet import Fleet, load_fleet
from bilex.fleet.fleet import SeedFile
from bilex.fleet.links import find_links
from fleet_data import fleet_text, write_fleet, write_languages

CODES = ("en", "fr", "oc", "ca", "eu")
SEEDS = {"en-fr": 50, "fr-oc": 20, "ca-oc": 30, "fr-ca": 10}


def fleet(folder: Path, hub: str, seeds: dict[str, int]) -> Fleet:
    listed = "".join(f'{pair} = "{pair}.tsv"\n' for pair in seeds)
    languages = "".join(f"[languages.{code}]\n" for code in CODES)
    text = f'hub = "{hub}"\nvectors = "{{language}}.vec"\n{languages}[seeds]\n{listed}'
    return load_fleet(write_fleet(folder, text))


def count(file: SeedFile) -> int:
    return SEEDS["-".join(file.pair)]


def test_a_language_without_seeds_of_the_hub_goes_through_another(tmp_path: Path) -> None:
    links = find_links(fleet(tmp_path, "en", SEEDS), count)

    assert links.parents == {"fr": "en", "oc": "fr", "ca": "oc", "eu": "en"}
    assert links.way("ca") == ("ca", "oc", "fr", "en")
    assert links.way("en") == ("en",)


def test_the_hub_is_the_language_with_most_seeds(tmp_path: Path) -> None:
    assert find_links(fleet(tmp_path, "auto", SEEDS), count).hub == "fr"
    with pytest.raises(SettingError, match="no seeds to choose it by"):
        find_links(fleet(tmp_path, "auto", {}), count)


def test_no_file_is_read_if_nothing_depends_on_it(tmp_path: Path) -> None:
    seeds = {"en-fr": 1, "oc-en": 1, "en-ca": 1, "eu-en": 1, "fr-oc": 1}

    def fail(file: SeedFile) -> int:
        raise AssertionError(file)

    links = find_links(fleet(tmp_path, "en", seeds), fail)
    assert set(links.parents.values()) == {"en"}


def test_of_equal_languages_the_one_with_better_vectors_is_the_hub(tmp_path: Path) -> None:
    write_languages(tmp_path, ("fr", "en"))
    lines = (tmp_path / "fr.vec").read_text().splitlines()
    lines[1] = lines[1].split()[0] + " 0" * 12
    (tmp_path / "fr.vec").write_text("\n".join(lines) + "\n")
    text = fleet_text(("fr", "en")).replace('hub = "en"', 'hub = "auto"')

    assert find_links(load_fleet(write_fleet(tmp_path, text))).hub == "en"
