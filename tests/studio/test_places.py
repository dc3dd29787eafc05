"""The folders that the studio may read."""

import pytest

from attnlab.errors import FileError
from attnlab.studio.places import Places


def test_links_are_followed_before_a_path_is_judged(tmp_path):
    root, outside = tmp_path / "root", tmp_path / "outside"
    (root / "inner").mkdir(parents=True)
    outside.mkdir()
    (root / "out").symlink_to(outside)
    (outside / "back").symlink_to(root / "inner")
    places = Places(root)
    assert places.folder("inner") == root / "inner"
    assert places.folder("inner/../inner") == root / "inner"
    assert places.folder(str(outside / "back")) == root / "inner"
    with pytest.raises(FileError, match="is outside the folder of the studio"):
        places.folder("out")
    assert places.open("out") == outside
    assert places.folder("out") == outside


def test_a_root_that_is_a_link_is_its_target(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert Places(tmp_path / "link").folder(".") == tmp_path / "real"


@pytest.mark.parametrize("path", ["/", "/proc/self/root", "/proc/self/cwd", "/dev/../", "/dev", "/proc/self", "/sys"])
def test_devices_are_never_opened(tmp_path, path):
    with pytest.raises(FileError, match="devices"):
        Places(tmp_path).open(path)
