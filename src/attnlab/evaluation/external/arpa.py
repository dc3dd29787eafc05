"""Models of other n-gram tools, such as KenLM and SRILM: ARPA files, with a tokenizer that reads a text as they do."""

from pathlib import Path

from attnlab.errors import FileError
from attnlab.evaluation.scoring.predictors import NGramPredictor
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.models.ngrams.arpa.reading import read_arpa
from attnlab.text.normalisation import LINE_END, Normalisation
from attnlab.text.words import WordTokenizer


def open_arpa(name: str) -> Subject:
    """Opens an ARPA file. Words are what stands between spaces. If the model has sentences, each line is one: the end
    of a line is </s>, and the text begins after <s>."""
    found = read_arpa(Path(name))
    words, boundary = found.words, found.model.boundary
    if boundary is not None:
        if LINE_END in words:
            said = f"expected no word {LINE_END} beside </s>: both stand for the end of a line"
            raise FileError(Path(name), said)
        words = (*words[: boundary - 1], LINE_END, *words[boundary:])
    tokenizer = WordTokenizer(words, Normalisation(split="whitespace", lines=LINE_END in words))
    return Subject(name, tokenizer, NGramPredictor(found.model), start=boundary, unknown=0)
