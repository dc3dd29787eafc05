"""The maps of 12 × 12 heads on 1,024 tokens: the time to load, and frames a second while one scrolls.

The model has GPT-2's shape and random weights, larger than GPT-2's at its start: its heads attend sharply, so that the
page has as many arcs to draw as it ever draws.
"""

import itertools
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

import torch
from playwright.sync_api import Page
from safetensors.torch import save

from attnlab.data.texts.prose import prose
from attnlab.models.kinds import make_model
from attnlab.models.layouts.gpt2 import as_gpt2
from attnlab.models.transformer import GPT2, Transformer
from attnlab.text import train_tokenizer
from attnlab.text.library import library_files
from server import PATIENCE, Row, chromium, middle_and_95, studio

VOCABULARY, SHARPER, TOKENS = 512, 0.08, 1023
"""The model puts its start token before the text, so that it sees 1,024."""
SECONDS, PACE, STEP = 4.0, 1 / 60, 40
"""How long to scroll, the seconds between two turns of the wheel, and its pixels."""
FEWEST = 30.0
COUNT = """() => { window.frames_at = []; const note = (now) => { frames_at.push(now); window.counting &&
  requestAnimationFrame(note); }; window.counting = true; requestAnimationFrame(note); }"""
COUNTED = "() => { window.counting = false; return frames_at.splice(0); }"
SHOWN = (
    "() => document.querySelector('.heads [aria-pressed=\"true\"]') && document.querySelector('#chosen').textContent"
)


def measure() -> Iterator[Row]:
    """The rows of this part."""
    with TemporaryDirectory() as place, chromium() as browser:
        text = write_model(Path(place) / "model")
        with studio(Path(place)) as server:
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.set_default_timeout(1000 * PATIENCE)
            page.goto(server.url)
            page.get_by_text("There are no runs").wait_for()  # torch is imported
            began = time.perf_counter()
            page.goto(f"{server.home}#inside?{urlencode({'model': 'hf:model', 'text': text, 'view': 'heads'})}")
            page.wait_for_function(SHOWN)
            yield Row("maps of 144 heads on 1,024 tokens: until they are shown", f"{time.perf_counter() - began:.1f} s")
            yield from _scrolls(page)


def write_model(folder: Path) -> str:
    """Write the model, and return a text with as many tokens as it sees."""
    tokenizer = train_tokenizer("byte-pairs", prose()[:20_000], vocabulary=VOCABULARY)
    model = make_model(replace(GPT2, context=TOKENS + 1), VOCABULARY, seed=1)
    assert isinstance(model, Transformer)
    draw = torch.Generator().manual_seed(2)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "norm" not in name:
                parameter.add_(SHARPER * torch.randn(parameter.shape, generator=draw))
    layout = as_gpt2(model)
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(layout.config))
    (folder / "model.safetensors").write_bytes(save(layout.tensors, {"format": "pt"}))
    for name, content in library_files(tokenizer).items():
        (folder / name).write_bytes(content)
    return tokenizer.decode(tokenizer.encode(prose()).ids[:TOKENS].tolist())


def _scrolls(page: Page) -> Iterator[Row]:
    """The page with the wheel; the text with its arcs, sideways; and the pointer over the large map."""
    page.locator(".heads").hover()
    yield _row("the page", *_frames(page, lambda move: page.mouse.wheel(0, STEP if move // 40 % 2 == 0 else -STEP)))
    page.locator("#strip").scroll_into_view_if_needed()
    page.locator("#strip").hover()
    wheel = _frames(page, lambda move: page.mouse.wheel(STEP if move // 60 % 2 == 0 else -STEP, 0))
    yield _row("the text with its arcs", *wheel)
    page.locator("#map").scroll_into_view_if_needed()
    box = page.locator("#map").bounding_box()
    assert box is not None
    left, top, side = box["x"], box["y"], box["width"]
    _, told = _frames(page, lambda move: page.mouse.move(left + 0.2 * side, top + side * (30 + 0.6 * move % 60) / 100))
    yield Row("the pointer over the large map: every move is another query", told)


def _row(what: str, rate: float, told: str) -> Row:
    return Row(f"scrolling: {what}", told, f"at least {FEWEST:.0f}", rate >= FEWEST)


def _frames(page: Page, act: Callable[[int], None]) -> tuple[float, str]:
    """Act for some seconds, and count the frames: how many there are in a second, and the same in words."""
    page.evaluate(COUNT)
    began = time.perf_counter()
    for move in range(int(SECONDS / PACE)):
        time.sleep(max(0.0, began + move * PACE - time.perf_counter()))
        act(move)
    times = page.evaluate(COUNTED)
    rate = 1000 * (len(times) - 1) / (times[-1] - times[0])
    _, slow = middle_and_95([after - before for before, after in itertools.pairwise(times)])
    return rate, f"{rate:.0f} frames a second, 95 % of the frames within {slow:.0f} ms"
