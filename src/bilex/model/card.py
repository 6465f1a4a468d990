"""The model card of published vectors: what they are and how they were made."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bilex.config import to_toml
from bilex.errors import InputFileError, SettingError
from bilex.storage.version import __version__
from bilex.values import TrainingReport

_TAGS = ("word-embeddings", "cross-lingual", "bilingual-lexicon-induction")
_MEASURES = {"p_at_1": "P@1", "p_at_5": "P@5", "p_at_10": "P@10", "mrr": "MRR"}

_USE = """## Use

With numpy and safetensors alone, from inside this folder:

```python
from safetensors.numpy import load_file

source, target = (load_file(f"{{name}}/model.safetensors") for name in ("{0}", "{1}"))
words = [bytes(side["words"]).decode().split("\\n") for side in (source, target)]
nearest = (target["vectors"] @ source["vectors"][0]).argmax()
print(words[0][0], "is most similar to", words[1][nearest])
```

The words are also in `{0}/vocab.txt` and `{1}/vocab.txt`, one per line. With bilex:

```python
from bilex import load_embeddings

source, target = (load_embeddings(name) for name in ("{0}", "{1}"))
```
"""

_LIMITS = """## Limits

- A search by cosine similarity favors hubs, words that are near many others. `bilex translate`
  corrects for them if the model ranks by CSLS, so its answers can differ from such a search.
- A word has one vector, even if it has several meanings. Words outside the vocabularies have none.
- The vectors reflect the texts they were trained on, including prejudice, and are subject to the
  license of the original vectors.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFacts:
    """The facts in a card."""

    names: tuple[str, str]
    words: tuple[int, int]
    dim: int
    seeds: int
    random_state: int
    config: dict[str, dict[str, object]]
    report: TrainingReport
    license: str | None = None
    scores: Mapping[str, object] | None = None


def card(facts: CardFacts) -> str:
    """Return the card: YAML between two lines of dashes, then Markdown."""
    source, target = facts.names
    sections = [
        "\n".join(_front_matter(facts)),
        f"# Word vectors of {source} and {target} in one space",
        f"The vectors of {source} were mapped into the space of {target} by bilex "
        f"{__version__}, so that words with the same meaning are near each other. Every "
        "vector has length 1: the dot product of two is their cosine similarity.",
        f"| | {source} (source, mapped) | {target} (target) |\n|---|---|---|\n"
        f"| words | {facts.words[0]:,} | {facts.words[1]:,} |\n"
        f"| dimensions | {facts.dim} | {facts.dim} |",
        _USE.format(source, target).strip(),
        "\n".join(["## How they were made", "", *_training(facts)]),
        f"The settings of the method:\n\n```toml\n{to_toml(facts.config).strip()}\n```",
        "\n".join(["## Scores", "", *_scores(facts.scores)]),
        _LIMITS.strip(),
    ]
    return "\n\n".join(sections) + "\n"


def read_scores(path: Path) -> dict[str, Any]:
    """Read the output of `bilex evaluate --json`.

    Raises:
        InputFileError: If the file has no scores.
    """
    try:
        scores = json.loads(path.read_bytes())
        "\n".join(_scores(scores))
    except OSError as error:
        raise InputFileError(path, f"cannot be read ({error.strerror}); check the path") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputFileError(
            path, "has no scores: give the output of `bilex evaluate MODEL test.tsv --json`"
        ) from None
    return dict(scores)


def license_tag(name: str) -> str:
    """Return a license as the Hub writes it.

    Raises:
        SettingError: If it is not a license name.
    """
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.+-]*", name):
        raise SettingError(f"license is {name!r}: expected a name such as CC-BY-SA-4.0 or MIT")
    return name.lower()


def _front_matter(facts: CardFacts) -> Iterator[str]:
    yield "---"
    languages = [name for name in facts.names if re.fullmatch("[a-z]{2,3}", name)]
    if languages:  # in quotes, as YAML takes a bare no for false
        yield from ("language:", *(f'- "{name}"' for name in languages))
    yield f"license: {'unknown' if facts.license is None else license_tag(facts.license)}"
    yield "library_name: bilex"
    yield from ("tags:", *(f"- {tag}" for tag in _TAGS))
    yield "---"


def _training(facts: CardFacts) -> Iterator[str]:
    report = facts.report
    if not facts.seeds:
        yield "- Trained without seed pairs, from the vectors and the spelling of words."
    else:
        used = None if report.seeds is None else report.seeds.pairs
        known = f", {used:,} of them with both words in the vectors" if used is not None else ""
        yield f"- Trained on {facts.seeds:,} seed pairs{known}."
    yield f"- Random state: {facts.random_state}."
    if not report.finished:
        yield "- Training was interrupted: the map is from the last finished round."
    for warning in report.warnings:
        yield f"- Warning from training: {warning}"
    yield "- Sizes, versions and hashes of all files are in `manifest.json`."


def _scores(scores: Mapping[str, Any] | None) -> Iterator[str]:
    if scores is None:
        yield "Not measured. `bilex evaluate` measures them."
        return
    rankers = {n: s for n, s in scores.items() if isinstance(s, Mapping) and "p_at_1" in s}
    yield (
        f"Measured by `bilex evaluate` with the rules of {scores['rules']}: "
        f"{scores['covered']:,} of {scores['total']:,} test units were covered; copying the "
        f"source word scores {scores['copy_baseline']:.2%}."
    )
    yield from ("", f"| | {' | '.join(_MEASURES.values())} |", "|---" * (len(_MEASURES) + 1) + "|")
    for name, found in rankers.items():
        cells = [f"{found[key]:.3f}" if key == "mrr" else f"{found[key]:.2%}" for key in _MEASURES]
        yield f"| {name} | {' | '.join(cells)} |"
    yield from _by_spelling(rankers)
    if scores.get("leaked_pairs"):
        leaked = scores["leaked_pairs"]
        yield f"\n{leaked:,} test pairs were also training pairs: these scores are too high."


def _by_spelling(rankers: Mapping[str, Any]) -> Iterator[str]:
    """Return P@1 by spelling similarity, if the scores have it."""
    known = {
        name: found["by_spelling"] for name, found in rankers.items() if "by_spelling" in found
    }
    if not known:
        return
    bands = next(iter(known.values()))
    heads = [f"{band} ({share['n']:,} units)" for band, share in bands.items()]
    yield "\nP@1 by spelling similarity of the source word and its translation (1 is equal):\n"
    yield f"| | {' | '.join(heads)} |"
    yield "|---" * (len(heads) + 1) + "|"
    for name, found in known.items():
        cells = [f"{share['p_at_1']:.2%}" for share in found.values()]
        yield f"| {name} | {' | '.join(cells)} |"
