"""The gallery is what the worlds give, and shows what it is there to show."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from supersede.corpus.gallery import chosen_instance, gallery_page, revisions
from supersede.model.instance import Instance
from supersede.prototypes import load_prototype, prototype_ids
from supersede.specs.schema import Specification

PAGE = Path(__file__).parents[2] / "GALLERY.md"


@pytest.fixture(scope="module")
def shown() -> list[tuple[Specification, Instance]]:
    specs = [load_prototype(name) for name in prototype_ids()]
    return [(spec, chosen_instance(spec)) for spec in specs]


def test_the_page_is_what_the_worlds_give(shown: list[tuple[Specification, Instance]]) -> None:
    told = PAGE.read_text(encoding="utf-8").splitlines()
    given = gallery_page(shown).splitlines()
    pairs = enumerate(zip(told, given, strict=False), start=1)
    first = next((n for n, (a, b) in pairs if a != b), min(len(told), len(given)) + 1)
    assert told == given, f"differs from line {first}; write it: supersede gallery -o GALLERY.md"


def test_every_answer_hangs_on_a_revision(shown: list[tuple[Specification, Instance]]) -> None:
    without = [
        spec.id
        for spec, instance in shown
        if not revisions(instance).intersection(instance.answer.evidence)
    ]
    assert without == []


def test_a_world_has_all_of_its_parts(shown: list[tuple[Specification, Instance]]) -> None:
    page = gallery_page(reversed(shown))
    assert page == gallery_page(shown)
    for spec, instance in shown:
        _, _, rest = page.partition(f'<a id="{spec.id}"></a>\n\n### {spec.title}\n')
        section = rest.partition("<a id=")[0]
        assert " ".join(spec.setting.split()) in section
        for record in instance.history.records:
            assert re.search(rf"^{re.escape(record.id)}\b", section, re.MULTILINE), record.id
        assert f"\n{instance.question.text}\n" in section
        assert f"\n{instance.answer.text}\n" in section
        for number, claim in enumerate(instance.answer.checklist, start=1):
            assert f"\n{number}. [{claim.kind}] {claim.text}" in section
        assert f"](#{spec.id})" in page
