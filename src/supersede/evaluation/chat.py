"""Our messages as those of Inspect."""

from __future__ import annotations

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
)

from supersede.model.instance import Message

__all__ = ["chat_message"]


def chat_message(message: Message) -> ChatMessage:
    """The message as Inspect has it."""
    if message.role == "system":
        return ChatMessageSystem(content=message.content)
    if message.role == "user":
        return ChatMessageUser(content=message.content)
    return ChatMessageAssistant(content=message.content)
