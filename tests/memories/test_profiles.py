"""The table of models, row by row against what is published."""

from __future__ import annotations

import json
from typing import Any

import pytest

from supersede.errors import UsageError
from supersede.memories import find_profile, profile_of
from supersede.memories.profiles import (
    OURS,
    PROFILES,
    PUBLISHED,
    Decoding,
    expanded,
    vllm_flags,
)
from supersede.memories.server_limit import limit_in_models, limit_in_props, server_limit

DEFAULT = Decoding(0.7, 0.8, 20, 0.0)
SHARP = Decoding(0.6, 0.95, 20)
GEMINI = Decoding(0.0, 0.95, 40)

ROWS = {
    "vllm/Qwen/Qwen3-4B-Instruct-2507": ("Qwen3-4B", 262_144, DEFAULT, 4096, False),
    "Qwen/Qwen3-8B": ("Qwen3-8B", 131_072, DEFAULT, 4096, False),
    "Qwen/Qwen3-30B-A3B-Instruct-2507": ("Qwen3-30B", 262_144, DEFAULT, 4096, False),
    "Qwen/Qwen3-30B-A3B-Thinking-2507": ("Qwen3-30B-Thinking", 262_144, SHARP, 4096, True),
    "Qwen/Qwen3-Next-80B-A3B-Instruct": ("Qwen3-Next-80B", 262_144, SHARP, 4096, False),
    "Qwen/Qwen3-235B-A22B-Instruct-2507": ("Qwen3-235B", 133_000, DEFAULT, 4096, False),
    "Qwen/Qwen2.5-7B-Instruct": ("Qwen2.5-7B", 131_072, DEFAULT, 4096, False),
    "openai-api/local/openai/gpt-oss-20b": ("GPT-OSS-20B", 131_072, DEFAULT, 4096, False),
    "openai/gpt-oss-120b": ("GPT-OSS-120B", 131_072, DEFAULT, 4096, False),
    "google/gemma-3-4b-it": ("Gemma 3-4B", 131_072, DEFAULT, 4096, False),
    "google/gemma-3-27b-it": ("Gemma 3-27B", 131_072, DEFAULT, 4096, False),
    "google/gemini-2.5-flash": ("Gemini 2.5 Flash", 1_000_000, GEMINI, 4096, True),
    "google/gemini-2.5-pro": ("Gemini 2.5 Pro", 1_000_000, GEMINI, 4096, True),
    "google/gemini-3-pro-preview": ("Gemini 3 Pro", 1_000_000, Decoding(), 32_768, True),
}


@pytest.mark.parametrize("model", ROWS)
def test_a_published_model_has_its_published_settings(model: str) -> None:
    found = profile_of(model)
    got = found.name, found.context_limit, found.decoding, found.max_tokens, found.thinking
    assert got == ROWS[model]


def test_the_fourteen_published_configurations_are_there() -> None:
    assert {row.name for row in PUBLISHED} == {row[0] for row in ROWS.values()}
    assert len(PUBLISHED) == 14


def test_every_row_says_where_its_limit_is_from_and_is_reached_by_its_own_patterns() -> None:
    for row in PROFILES:
        assert row.source == OURS or row.source.startswith("O-1")
        assert all(find_profile(one.replace("*", "-")) is not None for one in row.patterns)
    assert [row.name for row in PUBLISHED if row.source == OURS] == ["Qwen3-Next-80B"]


def test_gemini_thinks_up_to_8192_tokens_beside_its_answer() -> None:
    assert profile_of("gemini-2.5-pro").reserve == 4096 + 8192
    assert profile_of("Qwen3-4B").reserve == 4096


def test_yarn_stretches_the_two_that_need_it_by_four() -> None:
    assert [row.name for row in PROFILES if row.yarn_factor] == ["Qwen3-8B", "Qwen2.5-7B"]
    flags = vllm_flags(profile_of("Qwen3-8B"))
    assert flags[:2] == ("--max-model-len", "131072")
    rope = json.loads(flags[-1])["rope_parameters"]
    assert (rope["factor"], rope["original_max_position_embeddings"]) == (4.0, 32_768)
    assert "--hf-overrides" not in vllm_flags(profile_of("Qwen3-235B"))


@pytest.mark.parametrize(
    ("native", "needed", "yarn", "window"),
    [
        (32_768, 20_000, 131_072, 32_768),
        (32_768, 32_768, 131_072, 32_768),
        (32_768, 32_769, 131_072, 131_072),
        (32_768, 500_000, 131_072, 131_072),
        (32_768, 500_000, None, 32_768),
    ],
)
def test_a_window_is_stretched_only_where_needed_and_possible(
    native: int, needed: int, yarn: int | None, window: int
) -> None:
    assert expanded(native, needed, yarn_limit=yarn) == window


def test_an_unknown_model_needs_a_limit() -> None:
    with pytest.raises(UsageError, match="--context-limit"):
        profile_of("acme/thinker-9")
    given = profile_of("acme/thinker-9", context_limit=5000)
    assert (given.context_limit, given.source, given.decoding) == (5000, "given", DEFAULT)


def test_a_limit_that_is_given_overrides_the_table() -> None:
    given = profile_of("Qwen3-4B", context_limit=40_960)
    assert (given.name, given.context_limit, given.source) == ("Qwen3-4B", 40_960, "given")
    with pytest.raises(UsageError, match="below 1"):
        profile_of("Qwen3-4B", context_limit=0)


def test_the_embedded_model_and_the_baselines_are_known() -> None:
    assert profile_of("supersede/smollm2").context_limit == 8192
    assert profile_of("supersede/oracle").context_limit is None
    assert vllm_flags(profile_of("supersede/oracle")) == ()


@pytest.mark.parametrize(
    ("answer", "limit"),
    [
        ({"data": [{"id": "m", "max_model_len": 4096}]}, 4096),
        ({"data": [{"id": "other", "max_model_len": 4096}]}, 4096),
        ({"data": [{"id": "m", "max_model_len": 1}, {"id": "n", "max_model_len": 2}]}, 1),
        ({"data": [{"id": "a", "max_model_len": 1}, {"id": "b", "max_model_len": 2}]}, None),
        ({"data": [{"id": "m", "meta": {"n_ctx_train": 8192}}]}, None),
        ({"data": []}, None),
        (["?"], None),
        (None, None),
    ],
)
def test_a_list_of_models_may_tell_the_limit(answer: Any, limit: int | None) -> None:
    assert limit_in_models(answer, "m") == limit


def test_the_limit_of_a_llama_cpp_slot_is_read() -> None:
    assert limit_in_props({"default_generation_settings": {"n_ctx": 2048}}) == 2048
    assert limit_in_props({"error": "no"}) is None


def test_a_server_that_is_not_there_says_nothing() -> None:
    assert server_limit("http://127.0.0.1:9/v1", "m") is None
