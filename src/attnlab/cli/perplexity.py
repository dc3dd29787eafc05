"""attnlab perplexity: models measured on texts, in units that compare, or refused."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from tyro.conf import Positional, arg

from attnlab.cli.measuring import Measured, Measuring, Precision, advancing, compared
from attnlab.cli.outcome import Outcome
from attnlab.errors import ArgumentError, FileError

if TYPE_CHECKING:
    from attnlab.data.texts.slices import TextSlice
    from attnlab.evaluation.scoring.preprocessed import Preprocessed
    from attnlab.evaluation.scoring.subjects import Subject


@dataclass(frozen=True)
class Perplexity:
    """Measure models on texts: perplexity, and bits per byte, which compare; each number is audited or refused.

    A model is the folder of a run, or hf:FOLDER for a causal language model of Hugging Face's. Each is measured with
    disjoint windows, and strided so that every token has much before it. Unknown words are not free: they are spelled.

    Example: attnlab perplexity first-run --text notes.txt --explain
    """

    models: Positional[Annotated[tuple[str, ...], arg(metavar="MODEL ...")]]
    """Folders of runs, or hf:FOLDER."""
    text: Annotated[tuple[str, ...], arg(metavar="FILE ...")]
    """Text files, or names of texts (attnlab data list), of which the part held out for reports is taken."""
    context: Annotated[int | None, arg(metavar="TOKENS", help_behavior_hint="")] = None
    """How many tokens a model sees at most (default: all that it can)."""
    stride: Annotated[int | None, arg(metavar="TOKENS", help_behavior_hint="")] = None
    """How far strided windows move on (default: half the context)."""
    explain: bool = False
    """Say where the cost comes from; of two models on a text, or a model on two texts, why they differ."""
    html: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """With --explain, write the text here with each token shaded by its surprise."""
    plot: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """With --explain, write the chart of the parts here: .png, .svg or .html."""
    preprocess: Annotated[str, arg(metavar="STEP,STEP,...", help_behavior_hint="")] = ""
    """Measure also after these steps, and what each throws away: lower, punctuation, numbers, quotes, whitespace …"""
    precision: Precision = "auto"
    """auto: bfloat16 where a sample says that it is faster and changes no digit that is printed; else float32."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where networks run; auto: on a GPU where there is one."""
    force: bool = False
    """Print a number that failed its audit too, marked as unsound."""
    json: bool = False
    """Print one JSON value instead of tables."""

    def run(self) -> Outcome:
        """Measure every model on every text; explain, where that is asked for."""
        from attnlab.cli.perplexity_table import compared_lines, measured_lines, preprocessed_lines
        from attnlab.evaluation.scoring.subjects import open_subject

        self._check()
        texts = {name: open_text(name) for name in self.text}
        subjects = [open_subject(name, self._device()) for name in dict.fromkeys(self.models)]
        how = self._how
        found = [how.measured(subject, name, texts[name]) for name in texts for subject in subjects]
        sound = all(each.certificate.sound for each in found)
        value: dict[str, Any] = {"measured": [each.as_json(force=self.force) for each in found]}
        shown = measured_lines(found, {name: each.size for name, each in texts.items()}, force=self.force)
        if sound or self.force:
            pairs = compared(found)
            value["compared"] = [each.as_json() for each in pairs]
            shown += compared_lines(pairs)
            if self.preprocess:
                tried = self._preprocessed(subjects, texts)
                value["preprocessed"] = [
                    {"model": model, "text": name, "after": trial, **each.as_json()}
                    for model, name, rows in tried
                    for trial, each in rows.items()
                ]
                shown += preprocessed_lines(tried)
            if self.explain:
                told, lines = self._explained(subjects, texts, found)
                value["explained"] = told
                shown += lines
        return Outcome(value, shown, holds=sound)

    def _check(self) -> None:
        """Refuse what cannot be done before anything is loaded."""
        from attnlab.text.preprocessing import find_steps

        if not self.models:
            raise ArgumentError("MODEL", "expected at least one, before --text, which takes all that follows it")
        if not self.text:
            raise ArgumentError("text", "expected at least one")
        for name in ("context", "stride"):
            given = getattr(self, name)
            if given is not None and given < 1:
                raise ArgumentError(name, f"expected at least 1, got {given}")
        self._check_files()
        models, texts = len(set(self.models)), len(set(self.text))
        if self.explain and (models, texts) not in ((1, 1), (1, 2), (2, 1)):
            raise ArgumentError("explain", f"expected a model or two on a text, or one on two; got {models} on {texts}")
        if self.plot is not None:
            from attnlab.report.charts import check_plot_path

            if (models, texts) == (1, 1):
                raise ArgumentError("plot", "expected two models or two texts, whose gap has parts")
            check_plot_path(self.plot)
        find_steps(self._steps())

    def _check_files(self) -> None:
        """Refuse files that must not be written."""
        for name in ("html", "plot"):
            if getattr(self, name) is not None and not self.explain:
                raise ArgumentError(name, "expected --explain with it")
        if self.html is not None and self.html.suffix.lower() not in (".html", ".htm"):
            raise ArgumentError("html", f"expected a file that ends in .html, got {str(self.html)!r}")
        for path in filter(None, (self.html, self.plot)):
            if path.resolve() in {Path(each).resolve() for each in self.text}:
                raise FileError(path, "expected another file to write to than the text that is measured")

    def _steps(self) -> list[str]:
        return [step.strip() for step in self.preprocess.split(",") if step.strip()]

    @property
    def _how(self) -> Measuring:
        return Measuring(self.context, self.stride, self.precision, self.force)

    def _device(self) -> str:
        import torch

        if self.device == "cuda" and not torch.cuda.is_available():
            raise ArgumentError("device", "expected cpu, since torch sees no GPU here; got cuda")
        return "cuda" if self.device != "cpu" and torch.cuda.is_available() else "cpu"

    def _preprocessed(
        self, subjects: list[Subject], texts: dict[str, TextSlice]
    ) -> list[tuple[str, str, dict[str, Preprocessed]]]:
        """For each model and text, what each step buys, and all of them together."""
        from attnlab.evaluation.scoring.preprocessed import measure_preprocessed

        steps = self._steps()
        trials = {"as it is": [], **{step: [step] for step in steps}}
        if len(steps) > 1:
            trials["all of them"] = steps
        found = []
        for name, text in texts.items():
            whole = whole_text(name, text)
            for subject in subjects:
                policy = self._how.policies(subject)[0]
                rows = {trial: measure_preprocessed(subject, whole, some, policy) for trial, some in trials.items()}
                found.append((subject.name, name, rows))
        return found

    def _explained(
        self, subjects: list[Subject], texts: dict[str, TextSlice], found: list[Measured]
    ) -> tuple[dict[str, Any], list[Any]]:
        """Why two measurements differ, or where the cost of one comes from."""
        from attnlab.cli.gap import explained_lines
        from attnlab.cli.surprise import write_parts, write_surprise
        from attnlab.evaluation.explanation.explaining import explain, work

        whole, names = [whole_text(name, text) for name, text in texts.items()], short_names(list(texts))
        policies = [self._how.policies(each)[0] for each in subjects]
        tokens = [each.measures[0].tokens for each in found]
        with advancing("explaining", work(subjects, policies, tokens)) as advance:
            explained = explain(subjects, policies, whole, names, advance)
        lines = ["", *explained_lines(explained)]
        if self.html is not None:
            write_surprise(self.html, explained, found, names)
            lines += ["", f"the text shaded by its surprise is in {self.html}"]
        if self.plot is not None:
            write_parts(self.plot, explained)
            lines.append(f"the chart of the parts is in {self.plot}")
        return explained.as_json(), lines


def open_text(name: str) -> TextSlice:
    """A file, or the part of a named text that is held out for reports."""
    from attnlab.data.texts.loading import TEXTS, load_text
    from attnlab.data.texts.slices import TextSlice

    if name in TEXTS:
        parts = load_text(name).parts
        return parts.get("test") or parts["validation"]
    found = TextSlice.of([Path(name)])
    if not found.size:
        raise FileError(Path(name), "the file is empty")
    return found


def short_names(paths: list[str]) -> list[str]:
    """The files' own names, where these can be told apart.

    >>> short_names(["texts/a.txt", "b.txt"]), short_names(["one/a.txt", "two/a.txt"])
    (['a.txt', 'b.txt'], ['one/a.txt', 'two/a.txt'])
    """
    names = [Path(each).name for each in paths]
    return names if len(set(names)) == len(paths) else paths


def whole_text(name: str, text: TextSlice) -> str:
    """A text at once, which preprocessing and explanations need."""
    from attnlab.evaluation.explanation.words import LARGEST

    if text.size > LARGEST:
        raise FileError(
            Path(name), f"expected at most {LARGEST:,} bytes for this, got {text.size:,}; take a part of it"
        )
    return text.read()
