"""Loading word vectors: the front door for all formats."""

from __future__ import annotations

from pathlib import Path

from bilex.embeddings.cache import CacheEntry
from bilex.embeddings.compression import ByteStream
from bilex.embeddings.fasttext_binary import read_fasttext_binary
from bilex.embeddings.gensim_file import read_gensim
from bilex.embeddings.report import LoadedEmbeddings, Progress, Selection
from bilex.embeddings.safetensors_file import read_safetensors
from bilex.embeddings.sniffing import recognize
from bilex.embeddings.store import read_store
from bilex.embeddings.text import read_text
from bilex.embeddings.word2vec_binary import read_word2vec_binary
from bilex.errors import VectorFileError


def load_embeddings(
    path: str | Path,
    *,
    limit: int | None = None,
    lowercase: bool = False,
    cache: str | Path | None = None,
    on_progress: Progress | None = None,
) -> LoadedEmbeddings:
    """Load word vectors from a file of any known format, told by its content and not its name.

    Known are text (word2vec, fastText `.vec`, GloVe) and word2vec `.bin`, both also compressed by
    gzip, bzip2, xz, zstd or zip; fastText `.bin`, whose space also spells vectors for unknown
    words; gensim's `KeyedVectors.save`; `.safetensors` and store folders of `save_embeddings`.
    Of equal words the first, most frequent one is kept. No code in a file is ever run.

    Args:
        path: The file, or the folder of a store or of a `model.safetensors`.
        limit: Keep this many distinct words, the first and so most frequent ones, and stop
            reading there; None keeps all.
        lowercase: Put words into lower case and keep the most frequent of those that become
            equal.
        cache: A folder to remember parsed files in, so that loading one again only maps it into
            memory. A file that has changed is parsed anew.
        on_progress: Called now and then with the bytes read and the size of the file; both are
            that size in the last call.

    Raises:
        VectorFileError: If the file is missing, damaged or not a file of word vectors.
        SettingError: If `limit` is below 1.
        MissingExtraError: If reading this compression needs a package that is not installed.

    Example:
        >>> english = load_embeddings("wiki.en.vec", limit=200_000).space  # doctest: +SKIP
    """
    path, selection = Path(path), Selection(limit, lowercase)
    try:
        if path.is_dir():
            shared = path / "model.safetensors"
            if shared.is_file():
                return read_safetensors(shared, selection)
            return read_store(path, selection)
        entry = CacheEntry.of(Path(cache), path, selection) if cache is not None else None
        remembered = entry.recall() if entry is not None else None
        if remembered is not None:
            return remembered
        loaded = _read_file(path, selection, on_progress)
    except (FileNotFoundError, NotADirectoryError):
        raise VectorFileError(path, "no such file; check the path") from None
    except PermissionError:
        raise VectorFileError(
            path, "no permission to read it; change its permissions or copy it"
        ) from None
    except OSError as error:
        raise VectorFileError(path, f"cannot be read ({error.strerror}); check the disk") from error
    if on_progress is not None:
        on_progress(path.stat().st_size, path.stat().st_size)
    if entry is not None and loaded.report.format != "safetensors":  # which is as fast itself
        entry.remember(loaded)
    return loaded


def _read_file(path: Path, selection: Selection, on_progress: Progress | None) -> LoadedEmbeddings:
    with ByteStream(path) as stream:
        format = recognize(stream.head, path)
        if format == "text":
            return read_text(stream, selection, on_progress)
        if format == "word2vec-bin":
            return read_word2vec_binary(stream, selection, on_progress)
        compression = stream.compression
    if compression is not None:
        raise VectorFileError(
            path,
            f"found a {format} file compressed by {compression}; "
            "this format is read in place: decompress it first",
        )
    if format == "fasttext-bin":
        return read_fasttext_binary(path, selection, on_progress)
    if format == "gensim":
        return read_gensim(path, selection)
    return read_safetensors(path, selection)
