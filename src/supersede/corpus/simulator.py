"""The built-in engine behind the `Simulator` protocol: five steps, each a pure function."""

from __future__ import annotations

from supersede.corpus.instances import writer_of
from supersede.model.instance import InstanceKey, Message
from supersede.model.question import Answer, Question
from supersede.model.record import Exclusion, History
from supersede.questions import answer, ask, intermediate
from supersede.specs.schema import Specification
from supersede.worlds.ledger import Ledger
from supersede.worlds.plan import plan_of
from supersede.worlds.program import compile_specification
from supersede.worlds.replay import replay
from supersede.worlds.sample import sample
from supersede.worlds.streams import history_seed, stream
from supersede.worlds.tiers import Dials, dials_for


class BuiltInSimulator:
    """One specification as a simulator (E-035, E-036).

    `make_instance` does the same in one pass; a test holds the two together.
    """

    def __init__(self, spec: Specification) -> None:
        """The simulator of a specification that `supersede spec check` accepts."""
        self.spec = spec
        self.world = compile_specification(spec).world

    def sample(self, key: InstanceKey) -> History:
        """The history of a key.

        Raises:
            SampleError: The world cannot go on.
        """
        return sample(self.spec, key)

    def replay(
        self, history: History, *, cut: int | None = None, exclude: Exclusion | None = None
    ) -> Ledger:
        """The ledger after a history, cut off or without some records."""
        return replay(self.world, history, cut=cut, exclude=exclude)

    def ask(self, history: History, key: InstanceKey) -> Question:
        """The final question of a key on its history."""
        question, _ = ask(
            self.spec,
            self.world,
            self.replay(history),
            stream(f"{history_seed(key)}/{key.operator}", "question"),
            operator=key.operator,
            depth=int(self._dials(key).depth),
        )
        return question

    def answer(self, history: History, question: Question) -> Answer:
        """The reference answer to a question, computed by replay."""
        return answer(self.world, history, question)

    def render(self, history: History, question: Question, key: InstanceKey) -> tuple[Message, ...]:
        """The messages that show a history, intermediate questions included."""
        seed = history_seed(key)
        plan = plan_of(self.spec, self._dials(key), stream(seed, "plan"))
        turns = stream(seed, "turns")
        ledger = Ledger(self.world)
        records = iter(history.records)
        record = next(records, None)
        asked: list[tuple[int, str, str]] = []
        for block in range(1, history.blocks + 1):
            while record is not None and record.block == block:
                ledger.post(record)
                record = next(records, None)
            if plan.asked[block - 1]:
                asked.append((block, *intermediate(self.spec, self.world, ledger, block, turns)))
        return writer_of(self.spec).messages(
            history, stream(seed, "phrasing"), question=question.text, intermediate=asked
        )

    def _dials(self, key: InstanceKey) -> Dials:
        return dials_for(key.tier, self.spec.difficulty.dials, dict(key.dials))
