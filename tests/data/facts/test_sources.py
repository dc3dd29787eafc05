"""Sources of facts: the same facts again, and a hash that notices when they are not."""

from dataclasses import replace

import pytest

from attnlab.data.facts.sources import PEOPLE, FactSource, HashedSource, World
from attnlab.data.worlds.biographies.biographies import biographies
from attnlab.data.worlds.strangers import strangers
from attnlab.errors import ArgumentError, FileError
from attnlab.settings import read, write


def test_the_generated_world():
    source = FactSource.of("biographies", 30)
    opened = source.open()
    assert opened.facts.counts.names == 30
    assert read(FactSource, write(source)).open() == opened
    assert FactSource.of("biographies").people == PEOPLE
    assert FactSource.of("biographies", 30, 1).open().facts.lines != opened.facts.lines


def test_the_generated_world_can_be_dialled():
    dials = {"rewrites": 2, "orders": 3, "resembling": 0.5, "colliding": 0.2}
    source = FactSource.of("biographies", 30, world={**dials, "seed": 7})
    assert source.world == World(**dials, seed=7)
    assert read(FactSource, write(source)) == source
    facts = source.open().facts
    assert facts.counts.lines == 30 * 2 * 3
    assert facts.lines == biographies(30, distractors=0, seed=7, **dials).lines
    assert facts.counts.names == 27  # three pairs have one name each
    assert not {line.name for line in facts.lines} & {
        line.name for line in FactSource.of("biographies").open().facts.lines
    }


def test_strangers_are_of_one_kind_wherever_the_facts_are_from():
    opened = FactSource.of("biographies").open()
    assert opened.strangers == strangers(opened.facts)
    assert len(opened.strangers) == 200
    known = {word for line in opened.facts.lines for word in line.name.split()}
    assert {word for fact in opened.strangers for word in fact.name.split()} <= known


def test_a_folder_is_kept_by_its_whole_path_and_its_strangers_are_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "lines.txt").write_text("Ada Berg. Born in Oslo.\nBo Dahl. Born in Rome.\n")
    for name, person in (("training.tsv", "Ada Berg"), ("held_out.tsv", "Bo Dahl")):
        (folder / name).write_text(f"Where was {person} born?\tOslo\n")
    source = FactSource.of("mine")
    assert source == FactSource(str(folder))
    assert {fact.name for fact in source.open().strangers} == {"Ada Dahl", "Bo Berg"}


def test_the_hash_notices_any_change():
    opened = FactSource.of("biographies", 10).open()
    assert opened.sha256 == FactSource.of("biographies", 10).open().sha256
    first, *rest = opened.facts.held_out
    changed = replace(opened.facts, held_out=(replace(first, answer="Nowhere"), *rest))
    moved = replace(opened.facts, training=(*opened.facts.training, first), held_out=tuple(rest))
    hashes = {replace(opened, facts=facts).sha256 for facts in (opened.facts, changed, moved)}
    assert len(hashes) == 3


def test_what_cannot_be_used_is_refused():
    with pytest.raises(ArgumentError, match=r"people: works with biographies only.*got birthplaces"):
        FactSource.of("birthplaces", 5)
    with pytest.raises(ArgumentError, match="people: expected 2 to 100,000 people, got -1"):
        FactSource.of("biographies", -1).open()
    with pytest.raises(ArgumentError, match="people: expected 2 to 100,000 people, got 0"):
        FactSource.of("biographies", 0).open()
    with pytest.raises(ArgumentError, match=r"distractors: works with biographies only.*got birthplaces"):
        FactSource.of("birthplaces", distractors=1)
    with pytest.raises(ArgumentError, match="distractors: expected a whole number from 0 to 2, got 3; try 2"):
        FactSource.of("biographies", distractors=3).open()
    with pytest.raises(ArgumentError, match=r"orders: works with biographies only.*got birthplaces"):
        FactSource.of("birthplaces", world={"orders": 2})
    with pytest.raises(ArgumentError, match="orders: expected a whole number from 1 to 6, got 7; try 6"):
        FactSource.of("biographies", world={"orders": 7}).open()
    with pytest.raises(ArgumentError, match=r"colliding: works with biographies only.*got birthplaces"):
        FactSource.of("birthplaces", world={"colliding": 0.1})
    with pytest.raises(ArgumentError, match="colliding: expected a number from 0 to 1, got 2; try 1"):
        FactSource.of("biographies", world={"colliding": 2}).open()
    with pytest.raises(ArgumentError, match=r"resembling: expected resembling \+ colliding to be at most 1, got 1.1"):
        FactSource.of("biographies", world={"colliding": 0.9})
    with pytest.raises(ArgumentError, match=r"world\.colour: there is no such setting; expected rewrites, orders, "):
        FactSource.of("biographies", world={"colour": 1})
    with pytest.raises(ArgumentError, match=r"world\.seed: expected a whole number, got 'x'"):
        read(FactSource, {"name": "biographies", "people": 5, "world": {"seed": "x"}})
    with pytest.raises(ArgumentError, match="people: expected 2 to 100,000 people, got 0"):
        read(FactSource, {"name": "biographies"})
    with pytest.raises(ArgumentError, match="sha256: the value is missing"):
        read(HashedSource, {"name": "birthplaces"})
    with pytest.raises(ArgumentError, match="people: expected 2 to 100,000 people, got 0"):
        read(HashedSource, {"name": "biographies", "sha256": "0"})
    with pytest.raises(FileError, match="there is no such folder; expected a folder or a name: "):
        FactSource.of("none").open()
