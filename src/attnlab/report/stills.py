"""Charts as still images, drawn by vl-convert: for image files, and for pages where no script runs."""

from typing import Any

import vl_convert

PNG_SCALE = 2
"""Pixels per unit: 2 is sharp on dense screens and in print."""


def svg(spec: dict[str, Any]) -> str:
    """The chart as SVG."""
    return vl_convert.vegalite_to_svg(_still(spec))


def png(spec: dict[str, Any]) -> bytes:
    """The chart as PNG."""
    return vl_convert.vegalite_to_png(_still(spec), scale=PNG_SCALE)


def _still(spec: dict[str, Any]) -> dict[str, Any]:
    """The chart without the invisible layers, which only carry tooltips."""
    if "hconcat" in spec:
        return spec | {"hconcat": [_still(panel) for panel in spec["hconcat"]]}
    if "layer" in spec:
        return spec | {"layer": [layer for layer in spec["layer"] if layer["mark"].get("opacity") != 0]}
    return spec
