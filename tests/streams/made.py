"""Hand-made streams for tests of scoring and of the ladder."""

from supersede.model.stream import Evidence, Stream, StreamQuestion


def where(name: str, *answers: str) -> StreamQuestion:
    """A tracking question with one accepted answer at each interval."""
    evidence = tuple(None if a == "Unknown" else Evidence(0, a) for a in answers)
    return StreamQuestion(
        name, f"Where is {name}?", "tracking", tuple((a,) for a in answers), evidence
    )


def small(name: str = "s1") -> Stream:
    """Six chunks; a question of four phases and one of three."""
    chunks = (
        "Once upon a time.",
        "Mo went to the hall.",
        "Nothing about the kitchen is known. Yet.",
        "Mo went to the kitchen, and then to the hall. No: to the Kitchen.",
        "It rained in the hallway.",
        "Mo is in the garden; Ann in the hall.",
    )
    mo = where("mo", "Unknown", "hall", "hall", "kitchen", "kitchen", "garden")
    ann = where("ann", "garden", "garden", "garden", "Unknown", "hall", "hall")
    return Stream(name, chunks, (mo, ann), "babi")


def choice() -> Stream:
    """Four chunks and one question of multiple choice."""
    chunks = ("Once.", "A sailor came.", "The cook took it.", "The cook slept.")
    answers = ("Nobody knows", "A sailor", "The cook", "The cook")
    return Stream(
        "novel",
        chunks,
        (
            StreamQuestion(
                "novel_q0",
                "Who has the map?",
                "choice",
                tuple((a,) for a in answers),
                options=("The cook", "Nobody knows", "A sailor", "The captain"),
                catch_all=1,
            ),
        ),
        "novel",
    )
