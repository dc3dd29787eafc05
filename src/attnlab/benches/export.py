"""Trained models in the formats of others: a Transformer and its tokenizer as a folder that `transformers` opens, an
n-gram model as an ARPA file, which KenLM and SRILM read."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from safetensors.torch import save

from attnlab.arguments import checked
from attnlab.calls import Call
from attnlab.errors import ArgumentError, FileError
from attnlab.evaluation.external.names import ARPA
from attnlab.files import check_new_file, new_folder, write_whole
from attnlab.models.kinds import parameter_count
from attnlab.models.layouts import as_layout
from attnlab.models.layouts.layout import CONFIG, WEIGHTS
from attnlab.models.ngrams.arpa import Arpa
from attnlab.models.ngrams.arpa.writing import arpa_pieces
from attnlab.models.ngrams.backoff import Backoff
from attnlab.models.ngrams.ngram import NGram
from attnlab.models.transformer import Transformer
from attnlab.records import Record, record
from attnlab.runs.loading import Trained, load_trained
from attnlab.text.library import library_files
from attnlab.text.words import WordTokenizer


@record
class Exported(Record):
    """An exported run: its folder, its checkpoint, and its files with their sizes."""

    shown_by: ClassVar[str] = "data.exported"

    run: Path
    folder: Path
    step: int
    parameters: int
    tokens: str
    files: Mapping[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Everything about the folder."""
        return {
            "run": str(self.run),
            "step": self.step,
            "parameters": self.parameters,
            "tokens": self.tokens,
            "folder": str(self.folder),
            "files": dict(self.files),
        }

    @property
    def call(self) -> Call:
        """The call that writes it again."""
        return Call("export", (self.run,), {"to": self.folder})


@record
class ExportedNGrams(Record):
    """An n-gram model that was exported: its ARPA file, and how many n-grams of each length it has."""

    shown_by: ClassVar[str] = "data.exported_ngrams"

    run: Path
    path: Path
    ngrams: tuple[int, ...]
    bytes: int
    sentences: bool
    """Whether each line of a text is a sentence; else the model reads a text as one row of words."""
    spaced: bool
    """Whether words are what stands between spaces, as in KenLM; else signs are words of their own."""

    def to_dict(self) -> dict[str, Any]:
        """Everything about the file."""
        numbers = {"ngrams": list(self.ngrams), "bytes": self.bytes, "sentences": self.sentences, "spaced": self.spaced}
        return {"run": str(self.run), "path": str(self.path), **numbers}

    @property
    def call(self) -> Call:
        """The call that writes it again."""
        return Call("export", (self.run,), {"to": self.path})


@checked
def export(run: Path | str, to: Path | str) -> Exported | ExportedNGrams:
    """Write a run as a Hugging Face folder, or as an ARPA file if the name ends with .arpa; completely or not at
    all."""
    run, to = Path(run), Path(to)
    if to.suffix == ARPA:
        check_new_file(to)
    trained = load_trained(run)
    if to.suffix == ARPA:
        return _export_ngrams(run, to, trained)
    try:
        files = exported_files(trained)
    except ArgumentError as error:
        raise FileError(run, f"cannot be exported: {error.message}") from error
    with new_folder(to) as folder:
        for name, content in files.items():
            folder.write(name, content)
    sizes = {name: len(content) for name, content in files.items()}
    kind = trained.tokenizer.kind
    return Exported(run, to, trained.checkpoint.step, parameter_count(trained.model), kind, sizes)


def _export_ngrams(run: Path, to: Path, trained: Trained) -> ExportedNGrams:
    if not isinstance(trained.model, NGram):
        raise FileError(run, f"cannot be exported as {ARPA}: expected an n-gram model; give --to a folder instead")
    if not isinstance(trained.tokenizer, WordTokenizer):
        kind = trained.tokenizer.kind
        raise FileError(
            run, f"cannot be exported as {ARPA}: expected words as tokens, got {kind}; train with --tokens words"
        )
    model = Backoff.of(trained.model)
    try:
        content = arpa_pieces(Arpa(trained.tokenizer.vocabulary, model))
    except ArgumentError as error:
        raise FileError(run, f"cannot be exported: {error.message}") from error
    write_whole(to, content)
    counts = tuple(level.keys.size for level in model.levels if level.keys.size)
    spaced = trained.tokenizer.normalisation.split == "whitespace"
    return ExportedNGrams(run, to, counts, to.stat().st_size, model.boundary is not None, spaced)


def exported_files(trained: Trained) -> dict[str, bytes]:
    """The files of a trained model, by name. Raises if no layout or the library `tokenizers` cannot hold it."""
    if not isinstance(trained.model, Transformer):
        kind = type(trained.model).__name__.lower()
        instead = "train with --model transformer"
        if isinstance(trained.model, NGram):
            instead = f"an n-gram model becomes a file: --to NAME{ARPA}"
        raise ArgumentError("model", f"expected a transformer, got {kind}; {instead}")
    layout = as_layout(trained.model)
    return {
        CONFIG: (json.dumps(layout.config, indent=2) + "\n").encode(),
        WEIGHTS: save(layout.tensors, {"format": "pt"}),
        **library_files(trained.tokenizer),
    }
