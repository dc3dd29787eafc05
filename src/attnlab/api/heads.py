"""Heads: `al.heads(model)` scores the heads of a model; `al.heads.look`, `.ablate`, `.theory` and
`.composition` say more of them."""

from pathlib import Path
from typing import Unpack

from attnlab.api.options import AblationOptions, ScoreOptions, TheoryOptions
from attnlab.arguments import checked
from attnlab.benches.heads.ablation import Ablation, ablate
from attnlab.benches.heads.composition import Composition, composition
from attnlab.benches.heads.look import HeadPatterns, look
from attnlab.benches.heads.over_time import HeadsOverTime, over_time
from attnlab.benches.heads.scores import HeadScores, score
from attnlab.benches.heads.theory import Theory, theory
from attnlab.benches.language import LanguageModel, TrainedRun
from attnlab.benches.perplexity import GivenText
from attnlab.evaluation.heads.settings import AblationSettings, ScoreSettings, TheorySettings
from attnlab.observers import watching
from attnlab.parallel import Workers
from attnlab.settings import Device, read

__all__ = ["heads"]

Model = str | Path | LanguageModel | TrainedRun
Text = str | Path | GivenText


class Heads:
    """What the heads of a trained model do. Called with a model, it scores every head."""

    @checked
    def __call__(self, model: Model, text: Text | None = None, **options: Unpack[ScoreOptions]) -> HeadScores:
        """Score every head of a model: what it attends to, how sharply, and what it copies.

        A model is an opened model or run, the folder of a run, "hf:FOLDER" or "hf:NAME". A text is a file, the name of
        a text, or a `GivenText("…")`; by default, the held-out part of the text that the run was trained on.
        """
        return score(model, text, read(ScoreSettings, options), watching())

    @checked
    def look(
        self, model: Model, text: str, head: str = "", query: int | None = None, device: Device = "auto"
    ) -> HeadPatterns:
        """Look at a text, given as a string, as heads see it: how much attention each token gives to those before it.

        `head` is one head, "2.1", or some, "0.3,2.1"; by default all heads. `query` is the position of the token whose
        attention a terminal shows; by default the last one. `.weights("2.1")` is a NumPy array.
        """
        return look(model, text, head, query, device, watching())

    @checked
    def over_time(
        self, run: str | Path | TrainedRun, text: Text | None = None, **options: Unpack[ScoreOptions]
    ) -> HeadsOverTime:
        """Score the heads of a run at every checkpoint that it kept, beside the loss: train it with `keep_every=50`."""
        return over_time(run, text, read(ScoreSettings, options), watching())

    @checked
    def ablate(
        self,
        model: Model,
        text: Text | None = None,
        reference: Text | None = None,
        jobs: int = 0,
        cluster: str = "",
        **options: Unpack[AblationOptions],
    ) -> Ablation:
        """Switch off every head in turn: how many bits per byte more the text costs without it, by zero and by its mean
        over the reference text (by default the same text); the first-order estimate beside it; how many heads can go.

        `heads=("0.1", "2.3")` names some heads, `pairs=True` switches off every two of them together. The columns
        are measured in up to `jobs` processes (0: one for each core), or on a Dask `cluster`, "tcp://HOST:8786".
        """
        how = read(AblationSettings, options)
        return ablate(model, text, reference, how, watching(), Workers(jobs, cluster))

    @checked
    def theory(
        self, model: Model, text: Text | None = None, head: str = "", **options: Unpack[TheoryOptions]
    ) -> Theory:
        """Hold the theory of attention against the heads of a model, or against one, "2.1", or some, "0.3,2.1": the
        spread of its weights beside the exact law, what equal key lengths cost, the best query, the logit scale, and
        the first token's attention in parts."""
        return theory(model, text, head, read(TheorySettings, options), watching())

    @checked
    def composition(self, model: Model) -> Composition:
        """How strongly each later head reads what each earlier head writes, in its queries, keys or values: from the
        matrices of the model alone, and with the scores of random heads."""
        return composition(model, watching())


heads = Heads()
