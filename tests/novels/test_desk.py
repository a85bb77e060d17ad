"""What one person sees and does: nobody sees or changes another's blind work."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.novels.made import book, project, question

from supersede.errors import UsageError
from supersede.novels.annotations import (
    Flag,
    FlagReason,
    Mark,
    MarkKind,
    Option,
    Reformulation,
)
from supersede.novels.changes import mark_change
from supersede.novels.desk import Desk
from supersede.novels.project import Project
from supersede.novels.refusals import Forbidden, StaleEdit


def test_a_page_has_the_chunk_and_the_persons_own_answers(tmp_path: Path) -> None:
    with project(tmp_path) as made:
        ann, bob = Desk(made, "ann"), Desk(made, "bob")
        span = made.span("mill", 1, 0, 22)
        ann.choose("mill", "q1", 0, "a", base=0)
        revision = ann.choose("mill", "q1", 1, "b", base=0, evidence=[span])
        bob.choose("mill", "q1", 1, "c", base=0)
        cells = [ann.page("mill", n).questions[0].cell for n in range(4)]
        assert tuple(cells) == ann.timeline("mill", "q1").cells
        assert [cell.option for cell in cells] == ["a", "b", "b", "b"]
        assert ann.page("mill", 1).questions[0].cell_revision == revision
        assert bob.page("mill", 0).questions[0].cell.option is None
        assert ann.progress("mill").confirmed == {"q1": 2, "q2": 0}
        assert ann.progress("mill").next_open == (0, "q2")
        assert ann.progress("mill", start=1).next_open == (1, "q2")
        assert ann.progress("mill", start=4).next_open == (0, "q2")
        assert ann.page("mill", 1).questions[0].others == ()
        assert ann.page("mill", 2).chunk.text == "Bert spoke of Anna."


def test_pages_show_lapsed_confirmations_as_the_timeline_does(tmp_path: Path) -> None:
    with project(tmp_path) as made:
        ann = Desk(made, "ann")
        ann.choose("mill", "q1", 0, "a", base=0)
        for chunk in (1, 2, 3):
            ann.confirm("mill", "q1", chunk, "a", base=0)
        assert ann.progress("mill").confirmed["q1"] == 4
        seen = ann.page("mill", 1).questions[0]
        ann.choose("mill", "q1", 1, "b", base=seen.cell_revision)
        pages = [ann.page("mill", n).questions[0].cell for n in range(4)]
        assert tuple(pages) == ann.timeline("mill", "q1").cells
        assert ann.progress("mill").confirmed["q1"] == 2
        ann.undo("mill")
        assert ann.progress("mill").confirmed["q1"] == 4


def test_what_is_carried_is_confirmed_only_as_it_was_seen(tmp_path: Path) -> None:
    with project(tmp_path) as made:
        one, two = Desk(made, "ann"), Desk(made, "ann")  # two tabs
        with pytest.raises(UsageError, match="no answer to confirm"):
            one.confirm("mill", "q1", 0, "a", base=0)
        one.choose("mill", "q1", 0, "a", base=0)
        shown = two.page("mill", 1).questions[0]
        one.choose("mill", "q1", 0, "b", base=one.page("mill", 0).questions[0].cell_revision)
        with pytest.raises(StaleEdit) as refused:
            two.confirm("mill", "q1", 1, str(shown.cell.option), base=shown.cell_revision)
        assert refused.value.current == {"option": "b"}


def test_blind_annotators_see_nothing_of_each_other(tmp_path: Path) -> None:
    with project(tmp_path) as made:
        ann, bob, cat = (Desk(made, name) for name in ("ann", "bob", "cat"))
        new = ann.add_option("mill", "q1", "In a tent")
        ann.choose("mill", "q1", 2, new, base=0, note="<script>alert(1)</script>")
        ann.raise_flag("mill", Flag("bob", "q1", 2, FlagReason.SEVERAL_VALID, "unsure"))
        ann.propose("mill", "q1", "Where is Anna now?", Reformulation.TEMPORAL_ANCHORING, base=0)
        seen = repr(
            [
                bob.page("mill", 2),
                bob.questions("mill"),
                bob.timeline("mill", "q1"),
                bob.flags("mill"),
                bob.wordings("mill"),
                bob.progress("mill"),
                bob.books(),
            ]
        )
        for word in ("tent", "script", "unsure", "Where is Anna now", "ann.1", "'ann'"):
            assert word not in seen
        for look in (
            lambda: bob.timeline("mill", "q1", "ann"),
            lambda: bob.timelines("mill", "q1"),
            lambda: bob.rulings("mill", "q1"),
            lambda: bob.progress("mill", "ann"),
        ):
            with pytest.raises(Forbidden):
                look()
        with pytest.raises(Exception, match="there is no option"):
            bob.choose("mill", "q1", 2, new, base=0)
        with pytest.raises(Forbidden, match="only your own options"):
            bob.edit_option("mill", "q1", Option(new, "Mine now", author="bob"), base=1)
        assert [flag.annotator for flag, _ in cat.flags("mill")] == ["ann"]
        assert "In a tent" in repr(cat.page("mill", 2))


def test_an_adjudicator_who_annotates_a_book_is_blind_on_it(tmp_path: Path) -> None:
    with project(tmp_path) as made:
        made.assign("mill", "cat")
        cat = Desk(made, "cat")
        with pytest.raises(Forbidden):
            cat.timeline("mill", "q1", "ann")
        with pytest.raises(Forbidden):
            cat.set_stage("mill", "adjudicating", base=0)


def test_a_stranger_sees_no_book_and_a_wrong_id_reads_the_same(tmp_path: Path) -> None:
    with project(tmp_path) as made:
        made.add_annotator("dan", "Dan")
        dan = Desk(made, "dan")
        assert dan.books() == ()
        messages = set()
        for name in ("mill", "mull"):
            with pytest.raises(Forbidden) as refused:
                dan.page(name, 0)
            messages.add(str(refused.value).replace(name, "BOOK"))
            with pytest.raises(Forbidden):
                dan.choose(name, "q1", 0, "a", base=0)
        assert len(messages) == 1


def test_only_assigned_questions_are_shown_and_answered(tmp_path: Path) -> None:
    with project(tmp_path) as made:
        made.assign("mill", "ann", ["q2"])
        ann = Desk(made, "ann")
        assert [seen.question.id for seen in ann.page("mill", 0).questions] == ["q2"]
        with pytest.raises(Forbidden, match="no question of yours"):
            ann.choose("mill", "q1", 0, "a", base=0)
        with pytest.raises(Forbidden, match="no question of yours"):
            ann.raise_flag("mill", Flag("ann", "q1", 0, FlagReason.ONE_CHUNK))


def test_two_annotators_disagree_and_a_third_decides(tmp_path: Path) -> None:
    with project(tmp_path) as made:
        ann, bob, cat = (Desk(made, name) for name in ("ann", "bob", "cat"))
        ann.choose("mill", "q1", 1, "b", base=0)
        bob.choose("mill", "q1", 2, "b", base=0)
        with pytest.raises(Forbidden, match="adjudicating first"):
            cat.choose("mill", "q1", 1, "b", base=0)
        cat.set_stage("mill", "adjudicating", base=0)
        for late in (
            lambda: ann.choose("mill", "q1", 0, "a", base=0),
            lambda: ann.undo("mill"),
            lambda: ann.add_option("mill", "q1", "Elsewhere"),
        ):
            with pytest.raises(Forbidden, match="stands still"):
                late()
        seen = cat.page("mill", 1).questions[0]
        assert [(who, cell.option) for who, cell in seen.others] == [("ann", "b"), ("bob", None)]
        assert seen.cell.option is None
        both = cat.timelines("mill", "q1")
        assert [line.change_points for line in both] == [(1,), (2,)]
        cat.choose("mill", "q1", 0, "a", base=0, evidence=[made.span("mill", 0, 0, 23)])
        cat.choose("mill", "q1", 1, "b", base=0)
        cat.confirm("mill", "q1", 2, "b", base=0)
        found = made.annotations("mill")
        decided = found.decided("q1")
        assert decided is not None
        assert decided.answers == ("a", "b", "b", "b")
        assert found.decided("q2") is None
        assert ann.timeline("mill", "q1", "bob").change_points == (2,)
        assert cat.progress("mill").confirmed["q1"] == 3


def test_an_adjudicator_rewords_drops_and_merges(tmp_path: Path) -> None:
    with project(tmp_path) as made:
        ann, cat = Desk(made, "ann"), Desk(made, "cat")
        seen = cat.page("mill", 0).questions[0]
        cat.reword(
            "mill", "q1", "Where is Anna?", Reformulation.TEMPORAL_ANCHORING, base=seen.revision
        )
        (first, second) = made.questions("mill")
        assert (first.text, first.original) == ("Where is Anna?", "Where does Anna live now?")
        with pytest.raises(StaleEdit):
            cat.drop("mill", "q1", "stitched", base=seen.revision)
        with pytest.raises(Forbidden, match="adjudicator's to change"):
            ann.reword("mill", "q1", "?", Reformulation.OTHER, base=0)
        assert second.original == ""
        new = ann.add_option("mill", "q1", "The mill")
        now = cat.page("mill", 0).questions[0]
        merged = Option(new, "The mill", author="ann", shared=True, same_as="a")
        cat.edit_option("mill", "q1", merged, base=now.option_revisions[new])
        assert made.questions("mill")[0].canonical(new) == "a"
        with pytest.raises(Forbidden, match="only your own options"):
            ann.edit_option("mill", "q1", merged, base=made.store.last)
        now = cat.page("mill", 0).questions[1]
        cat.drop("mill", "q2", "stitched", base=now.revision)
        assert [seen.question.id for seen in ann.page("mill", 0).questions] == ["q1"]


def test_a_token_opens_the_door_until_there_is_a_newer_one(tmp_path: Path) -> None:
    with Project(tmp_path, create=True) as made:
        token = made.add_annotator("ann", "Ann")
        person = made.sign_in(token)
        assert person is not None
        assert person.id == "ann"
        assert made.sign_in("") is None
        assert made.sign_in(token + "x") is None
        newer = made.new_token("ann")
        assert made.sign_in(token) is None
        assert made.sign_in(newer) == person
        made.shut_out("ann")
        assert made.sign_in(newer) is None
        assert made.sign_in("") is None
        assert token not in repr(list(made.store.events()))
        with pytest.raises(UsageError, match="Did you mean 'ann'"):
            made.new_token("anne")


def test_settings_are_kept_for_each_person(tmp_path: Path) -> None:
    with project(tmp_path) as made:
        Desk(made, "ann").remember("place", {"book": "mill", "chunk": 3})
        Desk(made, "ann").remember("place", {"book": "mill", "chunk": 2})
        assert Desk(made, "ann").settings() == {"place": {"book": "mill", "chunk": 2}}
        assert Desk(made, "bob").settings() == {}


def test_marks_of_a_question_outlive_its_being_dropped(tmp_path: Path) -> None:
    with project(tmp_path) as made:
        made.act("ann", "mill", [mark_change("mill", "q1", "ann", Mark(0, MarkKind.CHOICE, "a"))])
        cat = Desk(made, "cat")
        cat.drop("mill", "q1", "one state only", base=cat.page("mill", 0).questions[0].revision)
        assert made.annotations("mill").of("q1")[0].answers[0] == "a"
        with pytest.raises(Forbidden, match="'q1' is out: one state only"):
            Desk(made, "bob").choose("mill", "q1", 0, "a", base=0)
        assert made.questions("mill")[0].dropped == "one state only"


def test_an_option_that_is_added_moves_no_other(tmp_path: Path) -> None:
    with project(tmp_path) as made:
        ann, bob = Desk(made, "ann"), Desk(made, "bob")
        options = tuple(Option(f"o{n}", f"Place {n}") for n in range(1, 12))
        made.add_questions("mill", [replace(question("q3"), options=options)])
        there = [option.id for option in options]
        added = [ann.add_option("mill", "q3", f"In tent {n}") for n in range(11)]

        def shown(desk: Desk) -> list[str]:
            return [option.id for option in desk.page("mill", 0).questions[2].question.options]

        assert shown(ann) == there + added
        assert shown(bob) == there
        assert shown(Desk(made, "cat")) == there + added


def test_whoever_never_answered_is_nobody_to_agree_with(tmp_path: Path) -> None:
    with project(tmp_path) as made:
        made.add_annotator("away", "Away")
        made.assign("mill", "away")
        ann, bob, cat = (Desk(made, name) for name in ("ann", "bob", "cat"))

        def heard(desk: Desk) -> list[str]:
            return [who for who, _ in desk.page("mill", 2).questions[0].others]

        assert heard(cat) == []
        ann.choose("mill", "q1", 0, "a", base=0)
        bob.choose("mill", "q2", 3, "a", base=0)
        assert heard(cat) == ["ann", "bob"]  # bob has no answer to q1, and is at work
        cat.set_stage("mill", "adjudicating", base=0)
        assert heard(ann) == ["bob"]


def test_who_is_alone_adds_questions_and_takes_them_back(tmp_path: Path) -> None:
    with Project(tmp_path / "project", create=True) as made:
        made.add_book(book())
        made.add_annotator("ann", "Ann")
        made.assign("mill", "ann")
        ann = Desk(made, "ann")
        ann.add_question("mill", question("q1"))
        assert ann.undo("mill")
        assert ann.questions("mill") == ()
        assert ann.redo("mill")
        assert ann.page("mill", 0).may_ask
        ann.choose("mill", "q1", 0, "a", base=0)
        made.add_annotator("bob", "Bob")
        assert not ann.page("mill", 0).may_ask
        with pytest.raises(Forbidden, match="adjudicator's to add"):
            ann.add_question("mill", question("q2"))
        made.shut_out("bob")
        ann.add_question("mill", question("q2"))
        with pytest.raises(Forbidden):
            ann.drop("mill", "q2", "another reason", base=1)


def test_a_closed_book_takes_no_question(tmp_path: Path) -> None:
    with project(tmp_path) as made:
        cat = Desk(made, "cat")
        with pytest.raises(Forbidden, match="adjudicator's to add"):
            Desk(made, "ann").add_question("mill", question("q3"))
        cat.add_question("mill", question("q3"))
        cat.set_stage("mill", "closed", base=0)
        assert not cat.page("mill", 0).may_ask
        with pytest.raises(Forbidden, match="closed"):
            cat.add_question("mill", question("q4"))
