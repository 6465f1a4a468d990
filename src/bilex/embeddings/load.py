"""`load_embeddings`: word vectors from a file of any known format."""

from __future__ import annotations

from pathlib import Path

from bilex.embeddings.cache import CacheEntry
from bilex.embeddings.collector import Selection
from bilex.embeddings.compression import ByteStream
from bilex.embeddings.fasttext_binary import read_fasttext_binary
from bilex.embeddings.format_detection import detect_format
from bilex.embeddings.gensim_file import read_gensim
from bilex.embeddings.safetensors_file import read_safetensors
from bilex.embeddings.store import read_store
from bilex.embeddings.text import HEADER, read_text
from bilex.embeddings.word2vec_binary import read_word2vec_binary
from bilex.errors import BilexError, VectorFileError
from bilex.storage.files import recover
from bilex.values import EmbeddingSpace, Progress


def load_embeddings(
    path: str | Path,
    *,
    limit: int | None = None,
    lowercase: bool = False,
    cache: str | Path | None = None,
    on_progress: Progress | None = None,
) -> EmbeddingSpace:
    """Load word vectors from a file of any known format; `report` says what was found in it.

    The format is detected from the content, not from the file name: text (word2vec, fastText
    `.vec`, GloVe) and word2vec `.bin`, both also compressed with gzip, bzip2, xz, zstd or zip;
    fastText `.bin`, which also gives vectors for unknown words; gensim's `KeyedVectors.save`;
    `.safetensors` and store folders of `save_embeddings`. If a word is repeated, the first
    vector is kept. Code in a file is never run.

    Args:
        path: The file, or the folder of a store or of a `model.safetensors`.
        limit: Keep only the first (most frequent) distinct words, this many, and stop reading
            there; None keeps all.
        lowercase: Lowercase the words; of those that become equal, keep the first.
        cache: A folder that keeps parsed files, so that loading one again only maps it into
            memory. A file that has changed is parsed again.
        on_progress: Called with the bytes read so far and the size of the file; in the last
            call both are equal.

    Raises:
        VectorFileError: If the file is missing, damaged or not a file of word vectors.
        SettingError: If `limit` is below 1.
        MissingExtraError: If reading this compression needs a package that is not installed.

    Example:
        >>> english = load_embeddings("wiki.en.vec", limit=200_000)  # doctest: +SKIP
    """
    path, selection = Path(path), Selection(limit, lowercase)
    recover(path)
    try:
        if path.is_dir():
            shared = path / "model.safetensors"
            if shared.is_file():
                return read_safetensors(shared, selection)
            return read_store(path, selection)
        entry = CacheEntry.of(Path(cache), path, selection) if cache is not None else None
        cached = entry.read() if entry is not None else None
        if cached is not None:
            return cached
        space = _read_file(path, selection, on_progress)
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
    report = space.report
    if entry is not None and report is not None and report.format != "safetensors":  # fast already
        entry.write(space, report)
    return space


def declared_size(path: str | Path) -> tuple[int, int] | None:
    """Return the number of words and of dimensions in the header of a file.

    None if the first line is not a header, or the file cannot be read.
    """
    try:
        with ByteStream(Path(path)) as stream:
            header = HEADER.match(stream.head)
    except (OSError, BilexError):
        return None
    return None if header is None else (int(header[1]), int(header[2]))


def _read_file(path: Path, selection: Selection, on_progress: Progress | None) -> EmbeddingSpace:
    with ByteStream(path) as stream:
        format = detect_format(stream.head, path)
        if format == "text":
            return read_text(stream, selection, on_progress)
        if format == "word2vec-bin":
            return read_word2vec_binary(stream, selection, on_progress)
        compression = stream.compression
    if compression is not None:
        raise VectorFileError(
            path,
            f"found a {format} file compressed with {compression}, which cannot be read: "
            "decompress it first",
        )
    if format == "fasttext-bin":
        return read_fasttext_binary(path, selection, on_progress)
    if format == "gensim":
        return read_gensim(path, selection)
    return read_safetensors(path, selection)
