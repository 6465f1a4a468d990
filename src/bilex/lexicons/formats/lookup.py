"""Find the format of a file: by name, by extension or by content."""

from __future__ import annotations

from pathlib import Path

from bilex.errors import DictionaryFileError, SettingError
from bilex.lexicons.formats.file_start import FileStart
from bilex.lexicons.formats.format import Format
from bilex.lexicons.formats.text_lines import is_web_page
from bilex.lexicons.formats.text_rows import not_a_text_format
from bilex.lexicons.formats.xml_nodes import root_name, xml_parts
from bilex.registry import plugin_object, plugin_objects

KIND = "format"
"""The kind of plugin: formats are found under the entry-point group `bilex.format`."""


def installed_formats() -> dict[str, Format]:
    """Return all installed formats by name, sorted.

    Raises:
        PluginError: If one of them cannot be loaded or is not a `Format`.
    """
    return plugin_objects(KIND, Format)


def find_format(path: Path, name: str | None = None) -> Format:
    """Return the format to write a file in: the one with this name, or by the file extension.

    Raises:
        UnknownPluginError: If no format has this name.
        SettingError: If no format has the extension of the file.
    """
    if name is not None:
        return plugin_object(KIND, name, Format)
    formats = installed_formats()
    found = _by_extension(path, formats)
    if found is None:
        raise SettingError(
            f"no format has the extension of {path.name!r}: expected one of "
            f"{', '.join(f.extensions[0] for f in formats.values() if f.is_writable)}; or name the "
            "format"
        )
    return found


def find_lexicon_format(path: Path) -> Format | None:
    """Return the format to write a lexicon in, with weights and provenances; None without one."""
    return _by_extension(path, lexicon_formats())


def lexicon_formats() -> dict[str, Format]:
    """Return the formats that hold a lexicon with weights and provenances."""
    return {
        name: form for name, form in installed_formats().items() if form.render_pairs is not None
    }


def find_format_to_read(path: Path, name: str | None = None) -> Format:
    """Return the format of an existing file: the one with this name, or by content and extension.

    A format that is certain of the content is chosen, regardless of the extension. Otherwise the
    extension decides, except between text files with one row per line, where the format that is
    most certain is chosen.

    Raises:
        DictionaryFileError: If there is no such file, or no format fits it.
        UnknownPluginError: If no format has this name.
        SettingError: If the format is only written.
        MissingExtraError: If the format needs a package that is not installed.
    """
    start = FileStart.of(path)
    form = plugin_object(KIND, name, Format) if name is not None else _recognized(start)
    if not form.is_readable:
        readable = [other.name for other in installed_formats().values() if other.is_readable]
        raise SettingError(
            f"{form.name} is written but not read: give a dictionary as one of "
            f"{', '.join(readable)}"
        )
    form.check_packages()
    return form


def check_output(path: Path | str, format: str | None = None) -> None:
    """Raise if a dictionary cannot be written to a path; call this before long work.

    Args:
        path: The file or folder to write.
        format: The name of a format; found by the extension if None.

    Raises:
        UnknownPluginError: If no format has this name.
        SettingError: If no format has the extension of the file, or something else is at the path.
        MissingExtraError: If the format needs a package that is not installed.
    """
    path = Path(path)
    find_format(path, format).check_output(path)


def _recognized(start: FileStart) -> Format:
    formats = installed_formats()
    named = _by_extension(start.path, formats)
    if named is not None and (named.sniff is None or not named.is_readable):
        return named
    certainty = {form: form.certainty(start) for form in formats.values()}
    best = max(certainty, key=lambda form: (certainty[form], form is named))
    is_certain = certainty[best] == 1
    if named is not None and named.read is not None and not is_certain:
        return named  # if the file is damaged, its reader reports where
    if certainty[best] > 0:
        return best
    raise _unrecognized(start, has_known_extension=named is not None)


def _unrecognized(start: FileStart, *, has_known_extension: bool) -> DictionaryFileError:
    """Return the error for a file that no format recognizes, or raise a more specific one."""
    is_markup = start.data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")
    is_xml = root_name(start.data) is not None if has_known_extension else is_markup
    if is_xml and not is_web_page(start.data.partition(b"\n")[0]):
        root = next(xml_parts(start.path, ()))
        return DictionaryFileError(
            start.path,
            f"found <{root.name}>, expected a dictionary in TBX, TEI or LIFT",
            line=root.line,
        )
    return not_a_text_format(start.path)


def _by_extension(path: Path, formats: dict[str, Format]) -> Format | None:
    """Return the format with the longest extension that the file name ends with."""
    best = max(formats.values(), key=lambda form: form.matches(path), default=None)
    return best if best is not None and best.matches(path) else None
