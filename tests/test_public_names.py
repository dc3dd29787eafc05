"""The names that are public, written out: one that comes or goes is a change that somebody decided on."""

import inspect
from types import ModuleType

import pytest

import attnlab
from attnlab import answers, attention, claims, text
from attnlab.attention import constructions, design, noise

PUBLIC = {
    attnlab: [
        "ArgumentError",
        "AttnlabError",
        "FileError",
        "GivenText",
        "StoppedError",
        "__version__",
        "answers",
        "attention",
        "audit",
        "check",
        "claims",
        "classify",
        "compare",
        "construct",
        "datasets",
        "design",
        "download",
        "export",
        "extract",
        "grade",
        "heads",
        "knowledge",
        "open",
        "perplexity",
        "problems",
        "recipes",
        "remedies",
        "resume",
        "robustness",
        "run",
        "runs",
        "studio",
        "train",
        "weigh",
    ],
    answers: [
        "CheckedSample",
        "CheckedSamples",
        "FormulaError",
        "Grade",
        "Grades",
        "Problem",
        "Problems",
        "Verdict",
        "check",
        "check_samples",
        "find_problem",
        "grade",
        "graded_path",
        "list_problems",
        "load_problem",
        "problems",
        "read_problem",
    ],
    claims: [
        "Claim",
        "ClaimList",
        "ClaimResult",
        "Family",
        "Finding",
        "Findings",
        "Quantity",
        "WrittenReport",
        "list_claims",
        "report",
        "run_claims",
    ],
    attention: [
        "Attention",
        "AveragingQuestion",
        "Best",
        "Containment",
        "Dependency",
        "Design",
        "Distribution",
        "Bounded",
        "Extraction",
        "Impossible",
        "NoisyKeys",
        "Remedy",
        "SharedDirection",
        "attend",
        "average_heads",
        "average_query",
        "average_scale",
        "best_queries",
        "best_scale",
        "causal_mask",
        "concatenate_heads",
        "copy_query",
        "copy_scale",
        "distribution",
        "extractor",
        "mask_logits",
        "mix",
        "mix_query",
        "noisy_keys",
        "remedies",
        "scale_for",
        "scores",
        "softmax",
    ],
    text: [
        "Encoding",
        "Normalisation",
        "Tokenizer",
        "load_tokenizer",
        "save_tokenizer",
        "tokenizer_from_json",
        "tokenizer_hash",
        "train_tokenizer",
    ],
    noise: ["Distribution", "Bounded", "NoisyKeys", "distribution", "noisy_keys"],
    design: [
        "Containment",
        "Dependency",
        "Design",
        "Limit",
        "average_query",
        "average_scale",
        "copy_query",
        "copy_scale",
        "mix_query",
        "scale_for",
    ],
    constructions: [
        "Construction",
        "Exhausted",
        "Inputs",
        "Obstacle",
        "OutsideHull",
        "SameQuery",
        "SelfAttention",
        "TooFewDirections",
        "beta_within",
        "error_bounds",
        "evaluate",
        "format_matrix",
        "format_rows",
        "format_sum",
        "limit",
        "margins",
        "parse_inputs",
        "parse_matrix",
        "parse_wants",
        "solve",
    ],
}

each_module = pytest.mark.parametrize("module", PUBLIC, ids=lambda module: module.__name__)


@each_module
def test_the_public_names_are_these(module):
    assert sorted(module.__all__) == sorted(PUBLIC[module])
    assert len(set(module.__all__)) == len(module.__all__)


@each_module
def test_each_of_them_exists_and_says_what_it_is(module):
    for name in PUBLIC[module]:
        thing = getattr(module, name)
        if inspect.isclass(thing) or inspect.isfunction(thing) or isinstance(thing, ModuleType):
            assert inspect.getdoc(thing), name
            # A dataclass without a docstring gets its signature for one.
            assert not (inspect.getdoc(thing) or "").startswith(f"{name}("), name


@each_module
def test_nothing_of_ours_is_public_by_accident(module):
    assert ours(module) <= set(PUBLIC[module])


def test_an_accident_would_be_noticed():
    module = ModuleType("attnlab.accident")
    exec("import math\nfrom pathlib import Path\ndef stray(): ...\ndef _hidden(): ...", module.__dict__)
    assert ours(module) == {"stray"}


def ours(module: ModuleType) -> set[str]:
    """The names without an underscore of what the package itself defines; modules are reached by their own name."""
    return {
        name
        for name, thing in vars(module).items()
        if not name.startswith("_")
        and not isinstance(thing, ModuleType)
        and str(getattr(thing, "__module__", "")).startswith("attnlab")
    }


def test_a_bench_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'attnlab' has no attribute 'language'"):
        _ = attnlab.language  # pyright: ignore[reportAttributeAccessIssue]
