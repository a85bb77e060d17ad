from __future__ import annotations

import pytest

from supersede.evaluation.stream_role import role_model


@pytest.mark.parametrize(
    ("options", "model"),
    [
        ((), None),
        (("--temperature", "0"), None),
        (("--model-role", "grader=a/b"), None),
        (("--model-role", "memory=a/b"), "a/b"),
        (("--model-role=memory=a/b", "--display", "none"), "a/b"),
        (("--model-role", "memory=a/b", "--model-role", "memory=c/d"), "c/d"),
        (("--model-role", "memory={model: a/b, temperature: 0.5}"), "a/b"),
        (("--model-role", 'memory={"model": "a/b"}'), "a/b"),
        (("--model-role",), None),
        (("--model-role", "memory={model"), "{model"),
    ],
)
def test_the_model_of_memories_is_read_as_inspect_reads_it(
    options: tuple[str, ...], model: str | None
) -> None:
    assert role_model(options) == model
