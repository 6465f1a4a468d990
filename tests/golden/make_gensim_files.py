"""Makes the golden files that only gensim can write: run with gensim installed, from anywhere.

gensim-fasttext.bin   a tiny fastText model, with n-grams
gensim-fasttext.json  vectors of known and unknown words, as gensim computes them from that model
gensim.kv             `KeyedVectors.save`, all in one pickle
gensim-apart.kv       the same with its vectors in a `.npy` file beside
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from gensim.models import FastText, KeyedVectors
from gensim.models.fasttext import load_facebook_vectors, save_facebook_model

FOLDER = Path(__file__).parent
WORDS = ["haus", "straße", "привет", "мир", "日本語", "😀", "a", "new york"]
UNKNOWN = ["straßen", "приветик", "日本", "häuser", "b", "😀😀"]


def main() -> None:
    model = FastText(
        [WORDS] * 5, vector_size=4, min_count=1, bucket=40, min_n=2, max_n=4, workers=1, seed=1
    )
    save_facebook_model(model, str(FOLDER / "gensim-fasttext.bin"))
    vectors = load_facebook_vectors(str(FOLDER / "gensim-fasttext.bin"))
    expected = {word: [float(x) for x in vectors[word]] for word in [*WORDS, *UNKNOWN]}
    text = json.dumps(expected, ensure_ascii=False, indent=1)
    (FOLDER / "gensim-fasttext.json").write_text(text + "\n", encoding="utf-8")
    keyed = KeyedVectors(4)
    rows = np.arange(4 * len(WORDS), dtype=np.float32).reshape(-1, 4) / 8
    keyed.add_vectors(WORDS, rows)
    keyed.lifecycle_events = None  # else the files tell where and on what system they were made
    keyed.save(str(FOLDER / "gensim.kv"))
    keyed.save(str(FOLDER / "gensim-apart.kv"), sep_limit=0)


if __name__ == "__main__":
    main()
