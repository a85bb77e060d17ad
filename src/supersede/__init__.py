"""Facts that later facts overwrite: synthesise and measure information evolution.

The names below are loaded when they are first used, so that `import supersede` stays light::

    from supersede import instance_key, make_instance

    instance = make_instance(instance_key("soccer-timeline", "short", index=7))
    print(instance.question.text, instance.answer.text)

and, for streams::

    from supersede import load_streams, score_predictions, score_traces

    streams = load_streams("babi.jsonl")
    report = score_traces(score_predictions(streams, predictions).traces)
    print(report.measures["accuracy"].estimate.value)
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from supersede.corpus.build import iter_corpus
    from supersede.corpus.instances import instance_key, make_instance
    from supersede.corpus.text_proof import prove_instance
    from supersede.metrics.stream_report import score_traces
    from supersede.model.instance import Instance, InstanceKey, Message, Split, Tier
    from supersede.model.question import Answer, Claim, Grade, Outcome, Question
    from supersede.model.record import History, Record
    from supersede.model.stream import (
        Evidence,
        Prediction,
        Reply,
        Stream,
        StreamQuestion,
        Trace,
    )
    from supersede.prototypes import load_prototype
    from supersede.questions import grade
    from supersede.streams.files import load_stream, load_streams
    from supersede.streams.scoring import score_predictions

__all__ = [
    "Answer",
    "Claim",
    "Evidence",
    "Grade",
    "History",
    "Instance",
    "InstanceKey",
    "Message",
    "Outcome",
    "Prediction",
    "Question",
    "Record",
    "Reply",
    "Split",
    "Stream",
    "StreamQuestion",
    "Tier",
    "Trace",
    "grade",
    "instance_key",
    "iter_corpus",
    "load_prototype",
    "load_stream",
    "load_streams",
    "make_instance",
    "prove_instance",
    "score_predictions",
    "score_traces",
]

__version__ = "0.1.0"

_HOMES = {
    "supersede.corpus.build": ("iter_corpus",),
    "supersede.corpus.instances": ("instance_key", "make_instance"),
    "supersede.corpus.text_proof": ("prove_instance",),
    "supersede.metrics.stream_report": ("score_traces",),
    "supersede.model.instance": ("Instance", "InstanceKey", "Message", "Split", "Tier"),
    "supersede.model.question": ("Answer", "Claim", "Grade", "Outcome", "Question"),
    "supersede.model.record": ("History", "Record"),
    "supersede.model.stream": (
        "Evidence",
        "Prediction",
        "Reply",
        "Stream",
        "StreamQuestion",
        "Trace",
    ),
    "supersede.prototypes": ("load_prototype",),
    "supersede.questions": ("grade",),
    "supersede.streams.files": ("load_stream", "load_streams"),
    "supersede.streams.scoring": ("score_predictions",),
}
"""Module -> public names that it defines."""


def __getattr__(name: str) -> object:
    """A public name, loaded on first use.

    Raises:
        AttributeError: There is no such name.
    """
    for home, names in _HOMES.items():
        if name in names:
            value: object = getattr(import_module(home), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
