"""How data sets, and exported models, are shown."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from attnlab.report.blocks import Presentation, borderless

if TYPE_CHECKING:
    from attnlab.benches.data import DataFiles, DataSets
    from attnlab.benches.export import Exported, ExportedNGrams


def data_sets(found: DataSets) -> Presentation:
    """Every data set: its size, description, terms and place."""
    rows = [
        (row.name, size_in_words(row.bytes), row.about, row.terms, ", ".join(row.where) or f"not here: {row.advice}")
        for row in found.rows
    ]
    table = borderless(("name", "size", "what it is", "terms", "where"), rows, words=5)
    return Presentation([table], rows=[asdict(row) | {"where": ", ".join(row.where)} for row in found.rows])


def data_files(found: DataFiles) -> Presentation:
    """The paths, one per line."""
    rows = [{"file": name, "path": path} for name, path in found.files.items()]
    return Presentation(list(found.files.values()), rows=rows)


def exported(found: Exported) -> Presentation:
    """The files of the folder, and how to open the model."""
    held = {
        "config.json": "the model's shape",
        "model.safetensors": f"{found.parameters:,} parameters, of step {found.step:,}",
        "tokenizer.json": f"the tokenizer, {found.tokens}",
        "tokenizer_config.json": "how transformers loads the tokenizer",
        "attnlab_case_and_spaces.json": "how the tokenizer's words are usually written, for attnlab",
    }
    lines = [f"{found.folder / name}: {held[name]}, {size:,} bytes" for name, size in found.files.items()]
    rows = [{"file": name, "bytes": size} for name, size in found.files.items()]
    opened = f'open it: transformers.AutoModelForCausalLM.from_pretrained("{found.folder}")'
    return Presentation([*lines, opened], rows=rows)


def exported_ngrams(found: ExportedNGrams) -> Presentation:
    """The ARPA file, and how to open it."""
    total = f"{sum(found.ngrams):,} n-grams of up to {len(found.ngrams)} words"
    reads = "each line is a sentence" if found.sentences else "a text is one row of words, without sentences"
    lines = [f"{found.path}: {total}, {found.bytes:,} bytes; {reads}"]
    if not found.spaced:
        lines += ["signs are words in it: write a space between all words and signs of a text that it should read"]
    opened = f'open it: attnlab.open("{found.path}"), or KenLM\'s build_binary {found.path} model.bin'
    rows = [{"length": n, "ngrams": count} for n, count in enumerate(found.ngrams, start=1)]
    return Presentation([*lines, opened], rows=rows)


def size_in_words(size: int) -> str:
    """A number of bytes, rounded.

    >>> size_in_words(1_115_394), size_in_words(374_077)
    ('1.1 MB', '374 kB')
    """
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"
