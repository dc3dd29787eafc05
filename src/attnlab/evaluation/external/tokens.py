"""The tokenizer of a Hugging Face folder, with its start token and its unknown token."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from attnlab.errors import FileError
from attnlab.evaluation.external.hugging_face import opened, transformers
from attnlab.evaluation.external.sizes import check_tokenizer
from attnlab.files import read_json
from attnlab.text.case_and_spaces.code import CaseAndSpacesCode
from attnlab.text.external import ExternalTokenizer, no_panic
from attnlab.text.library import CASE_AND_SPACES, OLDER

AS_IT_IS = ("PreTrainedTokenizerFast", "TokenizersBackend")
"""The classes that use tokenizer.json as it is; other classes change it."""
AS_GPT2 = ("GPT2Tokenizer", "GPT2TokenizerFast")
END_OF_TEXT = "<|endoftext|>"


@dataclass(frozen=True)
class Vocabulary:
    """A tokenizer with its special tokens.

    `start` is the token before every text: the beginning-of-text token or, if there is none, the end-of-text token, as
    in GPT-2's training. If the unknown token is one of these two, `unknown` is None: byte pairs can encode everything.
    """

    tokenizer: ExternalTokenizer
    start: int | None
    unknown: int | None


def open_vocabulary(folder: Path, config: Mapping[str, Any]) -> Vocabulary:
    """The tokenizer of a folder; needs `transformers` if tokenizer.json is not enough."""
    settings: dict[str, Any] = {}
    if (folder / "tokenizer_config.json").is_file():
        settings = read_json(folder / "tokenizer_config.json", "a tokenizer's settings")
    if (folder / "tokenizer.json").is_file():
        check_tokenizer(folder / "tokenizer.json")
    found = _read(folder, settings, str(config.get("model_type"))) or _asked(folder)
    return replace(found, tokenizer=replace(found.tokenizer, case_and_spaces=_case_and_spaces(folder)))


def _case_and_spaces(folder: Path) -> CaseAndSpacesCode | None:
    """The code that `attnlab export` wrote; None if the model is from elsewhere."""
    path = next((folder / name for name in (CASE_AND_SPACES, OLDER) if (folder / name).is_file()), None)
    if path is None:
        return None
    try:
        return CaseAndSpacesCode.from_json(read_json(path, "a code of case and spaces"))
    except ValueError as error:
        raise FileError(path, str(error)) from error


def _read(folder: Path, settings: Mapping[str, Any], model: str) -> Vocabulary | None:
    """The tokenizer from its files alone; None if `transformers` would make another one of them."""
    path, called = folder / "tokenizer.json", settings.get("tokenizer_class", AS_GPT2[0] if model == "gpt2" else "")
    if not path.is_file() or called not in AS_IT_IS + AS_GPT2 or settings.get("add_prefix_space"):
        return None
    from tokenizers import Tokenizer

    try:
        with no_panic("its reader fails"):
            library = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing narrower
        raise FileError(path, f"expected a tokenizer of the library tokenizers: {error}") from error
    named = {name: value for name, value in settings.items() if name.endswith("_token")}
    names = {name: _content(value) for name, value in named.items() if isinstance(value, str | dict)}
    if called in AS_GPT2:
        names = dict.fromkeys(("bos_token", "eos_token", "unk_token"), END_OF_TEXT) | names
    library.add_special_tokens([name for name in names.values() if name])
    tokenizer = ExternalTokenizer(library)
    if called in AS_GPT2 and not tokenizer.plain:
        return None
    ids = {name: library.token_to_id(content) for name, content in names.items() if content}
    return _vocabulary(tokenizer, ids.get("bos_token"), ids.get("eos_token"), ids.get("unk_token"))


def _asked(folder: Path) -> Vocabulary:
    library = transformers()
    with no_panic("its reader fails"):
        found = opened(folder, "tokenizer", lambda: library.AutoTokenizer.from_pretrained(folder, **SAFELY))
    if not getattr(found, "is_fast", False):
        raise FileError(folder, "expected a fast tokenizer, got a slow one, which has no character positions")
    tokenizer = ExternalTokenizer(found.backend_tokenizer)
    return _vocabulary(tokenizer, found.bos_token_id, found.eos_token_id, found.unk_token_id)


SAFELY = {"local_files_only": True, "trust_remote_code": False}
"""Options for opening a folder: downloads nothing, and runs no code of the model."""


def _vocabulary(tokenizer: ExternalTokenizer, first: int | None, last: int | None, unknown: int | None) -> Vocabulary:
    unknown = tokenizer.unknown if unknown is None else unknown
    return Vocabulary(tokenizer, last if first is None else first, None if unknown in (first, last) else unknown)


def _content(value: Any) -> str | None:
    """The text of a special token, which is a string or a dictionary."""
    content = value.get("content") if isinstance(value, dict) else value
    return content if isinstance(content, str) else None
