"""Who is alone in a project, and what is theirs."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.novels.made import book

from supersede.annotation.people import FIRST, alone, let_in
from supersede.errors import UsageError
from supersede.novels.desk import Desk
from supersede.novels.project import Project


def test_the_first_who_comes_annotates_everything(tmp_path: Path) -> None:
    with Project(tmp_path, create=True) as made:
        made.add_book(book())
        single = alone(made)
        assert single is not None
        assert (single.person.id, single.created, single.assigned) == (FIRST, True, ("mill",))
        made.add_book(book("inn"))
        again = alone(made)
        assert again is not None
        assert (again.created, again.assigned) == (False, ("inn",))


def test_an_adjudicator_who_is_alone_still_adjudicates(tmp_path: Path) -> None:
    with Project(tmp_path, create=True) as made:
        made.add_book(book())
        let_in(made, "cat", "adjudicator")
        single = alone(made)
        assert single is not None
        assert single.assigned == ()
        assert Desk(made, "cat").adjudicates("mill")


def test_where_everybody_is_shut_out_it_is_said(tmp_path: Path) -> None:
    with Project(tmp_path, create=True) as made:
        alone(made)
        made.shut_out(FIRST)
        with pytest.raises(UsageError, match=f"everybody is shut out. .*--new-token {FIRST}"):
            alone(made)
        made.new_token(FIRST)
        assert alone(made) is not None
