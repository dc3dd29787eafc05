"""Named data sets: their files, and where these are on this machine.

A set is looked for in the folder that ATTNLAB_DATA names, then among the downloads (~/.cache/attnlab, or the folder
that ATTNLAB_CACHE names). Files in ATTNLAB_DATA are used as they are; downloads must have the expected hash.
"""

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from attnlab.errors import ArgumentError, FileError


@dataclass(frozen=True)
class DataFile:
    """A file of a data set: its path in a data folder, alternative paths, and its addresses."""

    path: str
    bytes: int
    """The size of the published file."""
    others: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    """Tried in order; empty for a file that cannot be downloaded."""
    sha256: str = ""


@dataclass(frozen=True)
class DataSet:
    """A named data set."""

    name: str
    about: str
    terms: str
    files: tuple[DataFile, ...]
    origin: str
    """The authors or the source."""

    @property
    def bytes(self) -> int:
        """The size of the set as it is published."""
        return sum(file.bytes for file in self.files)


SHAKESPEARE = DataSet(
    "tinyshakespeare",
    "1.1 million characters of Shakespeare's plays; the first 90 % train, the rest validates",
    "public domain",
    (
        DataFile(
            "tinyshakespeare/input.txt",
            1_115_394,
            urls=("https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/input.txt",),
            sha256="86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed",
        ),
    ),
    "char-rnn's data folder",
)

WIKITEXT2 = DataSet(
    "wikitext2",
    "2 million words of good Wikipedia articles, tokenised, rare words as <unk>; train, validation, test",
    "CC BY-SA",
    (
        DataFile(
            "wikitext-2-v1.zip",
            4_475_746,
            urls=(
                "https://wikitext.smerity.com/wikitext-2-v1.zip",
                "https://s3.amazonaws.com/research.metamind.io/wikitext/wikitext-2-v1.zip",
            ),
            sha256="92675f1d63015c1c8b51f1656a52d5bdbc33aafa60cc47a218a66e7ee817488c",
        ),
    ),
    "Merity et al. 2016",
)

# There is no reliable public address for all three files, so they are looked for, but not downloaded.
BIRTHPLACES = DataSet(
    "birthplaces",
    "a line on each of 2,937 people to pretrain on; 2,000 questions where one was born to finetune on; 500 to report",
    "Wikipedia text, CC BY-SA",
    (
        DataFile("birthplaces/wiki.txt", 419_253),
        DataFile("birthplaces/birth_places_train.tsv", 79_923),
        DataFile("birthplaces/birth_dev.tsv", 20_041),
    ),
    "Stanford CS224N, assignment 5",
)

IMDB = DataSet(
    "imdb",
    "50,000 film reviews with their ratings, half of them to train on",
    "research use",
    (
        DataFile(
            "aclImdb_v1.tar.gz",
            84_125_825,
            ("aclImdb.tar.gz",),
            ("https://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz",),
            "c40f74a18d3b61f90feba1e17730e0d38e8b97c05fde7008942e91923d1658fe",
        ),
    ),
    "Maas et al. 2011",
)

GLOVE = DataSet(
    "glove",
    "word vectors of 400,000 words from 6 billion, with 50 to 300 dimensions",
    "PDDL",
    (
        DataFile(
            "glove.6B.zip",
            862_182_613,
            ("glove/glove.6B.zip", "glove/glove.6B.100d.txt.gz", "glove/glove.6B.100d.txt"),
            ("https://nlp.stanford.edu/data/glove.6B.zip",),
            "617afb2fe6cbd085c235baf7a465b96f4112bd7f7ccb2b2cbd649fed9cbcf2fb",
        ),
    ),
    "Pennington et al. 2014",
)

# Not published on their own: looked for, not downloaded.
PASSAGES = DataSet(
    "passages",
    "two passages on which language models are compared: a speech from Coriolanus, and Wikipedia on New Zealand",
    "public domain; Wikipedia text, CC BY-SA",
    (
        DataFile("passages/shakespeare_for_perplexity.txt", 1_753),
        DataFile("passages/wikipedia_for_perplexity.txt", 6_643),
    ),
    "the coursework",
)

BUILT_IN = {
    "topics": "comes with Python",
    "repeats": "is generated",
    "reviews": "is generated",
    "biographies": "is generated",
}
"""Names that need no file, and why."""

SETS = {each.name: each for each in (SHAKESPEARE, WIKITEXT2, BIRTHPLACES, IMDB, GLOVE, PASSAGES)}


def find_set(name: str) -> DataSet:
    """The data set of that name.

    >>> find_set("imdb").origin
    'Maas et al. 2011'
    """
    if name in SETS:
        return SETS[name]
    raise ArgumentError.unknown("NAME", name, SETS)


def data_folder() -> Path | None:
    """The folder that ATTNLAB_DATA names, if it names one."""
    named = os.environ.get("ATTNLAB_DATA", "")
    if not named:
        return None
    if not Path(named).is_dir():
        raise FileError(named, "there is no such folder; ATTNLAB_DATA must name an existing folder")
    return Path(named)


def cache_folder() -> Path:
    """The folder that downloads go to. Raises for a user without a home folder, unless ATTNLAB_CACHE names one."""
    found = Path(os.environ.get("ATTNLAB_CACHE") or os.path.expanduser("~/.cache/attnlab"))
    if found.parts[:1] == ("~",):
        raise ArgumentError("ATTNLAB_CACHE", "this user has no home folder; set it to a folder for downloads")
    return found


def locate(name: str) -> dict[str, Path] | None:
    """The path of each file of a data set, by its path in a data folder; None if a file is missing."""
    found: dict[str, Path] = {}
    folders = [folder for folder in (data_folder(),) if folder]
    with contextlib.suppress(ArgumentError):  # without a home folder, nothing was downloaded
        folders.append(cache_folder())
    for file in find_set(name).files:
        places = [folder / path for folder in folders for path in (file.path, *file.others)]
        here = next((place for place in places if place.is_file()), None)
        if here is None:
            return None
        found[file.path] = here
    return found


def files_of(name: str) -> dict[str, Path]:
    """The path of each file of a data set; raises, with advice, if a file is missing."""
    found = locate(name)
    if found is None:
        raise ArgumentError(name, f"not on this machine: {advice(find_set(name))}")
    return found


def advice(wanted: DataSet) -> str:
    """How to get a data set onto this machine."""
    if all(file.urls for file in wanted.files):
        return f"run attnlab data get {wanted.name}"
    paths = ", ".join(file.path for file in wanted.files)
    return f"it cannot be downloaded; put {paths} (of {wanted.origin}) into a folder and set ATTNLAB_DATA to it"
