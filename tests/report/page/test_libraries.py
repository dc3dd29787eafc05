"""The code that draws charts is put together once, and then read from a file."""

from importlib.metadata import version

import vl_convert

from attnlab.report.page.libraries import vega_code


def test_the_code_is_kept_and_made_again_if_the_file_is_damaged(tmp_path, monkeypatch):
    made = []
    monkeypatch.setenv("ATTNLAB_CACHE", str(tmp_path))
    monkeypatch.setattr(vl_convert, "javascript_bundle", lambda code: made.append(code) or f"var a;\r\n{code}")

    def asked() -> str:
        vega_code.cache_clear()
        return vega_code()

    first = asked()
    assert asked() == first == "var a;\r\nwindow.vegaEmbed = vegaEmbed;"
    assert len(made) == 1
    (kept,) = tmp_path.iterdir()
    assert kept.name == f"vega-{version('vl-convert-python')}.js"
    kept.write_bytes(kept.read_bytes()[:-1] + b"!")
    assert asked() == first
    assert asked() == first
    assert len(made) == 2
    vega_code.cache_clear()


def test_without_a_folder_to_keep_it_the_code_is_made(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("ATTNLAB_CACHE", str(tmp_path / "file"))
    monkeypatch.setattr(vl_convert, "javascript_bundle", lambda code: code)
    vega_code.cache_clear()
    assert vega_code() == "window.vegaEmbed = vegaEmbed;"
    vega_code.cache_clear()
