"""The tokenizer of a Hugging Face folder, and which of its tokens stand for the beginning and for the unknown."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attnlab.errors import FileError
from attnlab.evaluation.external.hugging_face import opened, transformers
from attnlab.files import read_json
from attnlab.text.foreign import ForeignTokenizer

AS_IT_IS = ("PreTrainedTokenizerFast", "TokenizersBackend")
"""The classes that take tokenizer.json as it is; others put together what they think it should be."""
AS_GPT2 = ("GPT2Tokenizer", "GPT2TokenizerFast")
END_OF_TEXT = "<|endoftext|>"


@dataclass(frozen=True)
class Vocabulary:
    """A tokenizer with its special tokens.

    `start` is what every text begins after: the token for the beginning or, where there is none, that for the end, as
    GPT-2 was trained. A token for the unknown that is one of these is none: byte pairs know everything.
    """

    tokenizer: ForeignTokenizer
    start: int | None
    unknown: int | None


def open_vocabulary(folder: Path, config: Mapping[str, Any]) -> Vocabulary:
    """The tokenizer of a folder; `transformers` is needed where tokenizer.json does not tell all."""
    settings: dict[str, Any] = {}
    if (folder / "tokenizer_config.json").is_file():
        settings = read_json(folder / "tokenizer_config.json", "a tokenizer's settings")
    return _read(folder, settings, str(config.get("model_type"))) or _asked(folder)


def _read(folder: Path, settings: Mapping[str, Any], model: str) -> Vocabulary | None:
    """The tokenizer from its files alone, if that is the one that `transformers` would make of them."""
    path, called = folder / "tokenizer.json", settings.get("tokenizer_class", AS_GPT2[0] if model == "gpt2" else "")
    if not path.is_file() or called not in AS_IT_IS + AS_GPT2 or settings.get("add_prefix_space"):
        return None
    from tokenizers import Tokenizer

    try:
        library = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing narrower
        raise FileError(path, f"expected a tokenizer of the library tokenizers: {error}") from error
    named = {name: value for name, value in settings.items() if name.endswith("_token")}
    names = {name: _content(value) for name, value in named.items() if isinstance(value, str | dict)}
    if called in AS_GPT2:
        names = dict.fromkeys(("bos_token", "eos_token", "unk_token"), END_OF_TEXT) | names
    library.add_special_tokens([name for name in names.values() if name])
    tokenizer = ForeignTokenizer(library)
    if called in AS_GPT2 and not tokenizer.plain:
        return None
    ids = {name: library.token_to_id(content) for name, content in names.items() if content}
    return _vocabulary(tokenizer, ids.get("bos_token"), ids.get("eos_token"), ids.get("unk_token"))


def _asked(folder: Path) -> Vocabulary:
    library = transformers()
    found = opened(folder, "tokenizer", lambda: library.AutoTokenizer.from_pretrained(folder, **SAFELY))
    if not getattr(found, "is_fast", False):
        raise FileError(folder, "expected a tokenizer that knows which characters a token covers, got a slow one")
    tokenizer = ForeignTokenizer(found.backend_tokenizer)
    return _vocabulary(tokenizer, found.bos_token_id, found.eos_token_id, found.unk_token_id)


SAFELY = {"local_files_only": True, "trust_remote_code": False}
"""What a folder is opened with: nothing is fetched, and no code of its own is run."""


def _vocabulary(tokenizer: ForeignTokenizer, first: int | None, last: int | None, unknown: int | None) -> Vocabulary:
    unknown = tokenizer.unknown if unknown is None else unknown
    return Vocabulary(tokenizer, last if first is None else first, None if unknown in (first, last) else unknown)


def _content(value: Any) -> str | None:
    """The text of a special token, which is written alone or with what else is known of it."""
    return value.get("content") if isinstance(value, dict) else value
