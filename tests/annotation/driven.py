"""Somebody at the web app, in a real browser, with nothing but a keyboard."""

from __future__ import annotations

import json
import time
from typing import Any, Self

from tests.reports.browser import Browser

_PATIENCE = 12.0
_NAMED = {
    "Enter": ("Enter", "Enter", 13, "\r"),
    "Escape": ("Escape", "Escape", 27, ""),
    "Tab": ("Tab", "Tab", 9, ""),
    "Backspace": ("Backspace", "Backspace", 8, ""),
    "ArrowLeft": ("ArrowLeft", "ArrowLeft", 37, ""),
    "ArrowUp": ("ArrowUp", "ArrowUp", 38, ""),
    "ArrowRight": ("ArrowRight", "ArrowRight", 39, ""),
    "ArrowDown": ("ArrowDown", "ArrowDown", 40, ""),
    "Space": (" ", "Space", 32, " "),
}
_CTRL, _SHIFT = 2, 8


class Person:
    """Somebody who presses keys.

    Args:
        browser: A page of theirs.
        address: Where the app is.
    """

    def __init__(self, browser: Browser, address: str) -> None:
        self.browser, self.address = browser, address
        browser.home = address

    def come(self, token: str = "", *, new: bool = True) -> Self:
        """Opens the app, signs in with a token, and waves the first words away."""
        self.browser.go(self.address)
        if token:
            self.until("!!document.querySelector('dialog[open] input[type=password]')")
            self.type(token)
            self.press("Enter")
        self.until("!!document.querySelector('#card h2, #text h1')")
        if new:
            self.until("document.querySelector('dialog[open] h2')?.textContent.length > 0")
            self.press("Enter")
            self.until("!document.querySelector('dialog[open]')")
            self.until(  # that they were read is saved
                "performance.getEntriesByType('resource').some((one) =>"
                " one.name.endsWith('/api/settings') && one.responseEnd > 0)"
            )
        return self

    def goes(self, chunk: int) -> Self:
        """Goes to a chunk, counted from 0."""
        self.press("g").until("!!document.querySelector('dialog[open] input[type=number]')")
        self.type(str(chunk + 1)).press("Enter")
        self.until("!document.querySelector('dialog[open]')")
        return self.at(chunk)

    def press(self, *keys: str) -> Self:
        """Presses keys: a letter, a name such as `Enter`, or one after `Ctrl+` or `Shift+`."""
        for key in keys:
            held, _, name = key.rpartition("+") if len(key) > 1 else ("", "", key)  # Ctrl or Shift
            key_name, code, number, text = _NAMED.get(
                name, (name, f"Key{name.upper()}", ord(name.upper()[0]), name)
            )
            if name.isdigit():
                code = f"Digit{name}"
            shift = _SHIFT if held == "Shift" or (len(name) == 1 and name.isupper()) else 0
            modifiers = (_CTRL if held == "Ctrl" else 0) | shift
            down: dict[str, Any] = {
                "key": key_name,
                "code": code,
                "windowsVirtualKeyCode": number,
                "modifiers": modifiers,
            }
            if text and held != "Ctrl":
                down |= {"text": text, "unmodifiedText": text}
            kind = "keyDown" if "text" in down else "rawKeyDown"
            self.browser.call("Input.dispatchKeyEvent", type=kind, **down)
            self.browser.call(
                "Input.dispatchKeyEvent", type="keyUp", key=key_name, code=code,
                windowsVirtualKeyCode=number, modifiers=modifiers,
            )  # fmt: skip
        return self

    def type(self, text: str) -> Self:
        """Types a text into the field that has the focus."""
        self.browser.call("Input.insertText", text=text)
        return self

    def value(self, expression: str) -> Any:
        """What an expression gives on the page."""
        return self.browser.value(expression)

    def until(self, expression: str) -> Any:
        """Waits until an expression is true, and gives it."""
        end = time.monotonic() + _PATIENCE
        while True:
            found = self.value(expression)
            if found:
                return found
            assert time.monotonic() < end, f"never: {expression}\n{self.said}"
            time.sleep(0.02)

    def saved(self) -> Self:
        """Waits until everything is saved."""
        self.until("document.body.dataset.save === 'saved'")
        return self

    def at(self, chunk: int) -> Self:
        """Waits until a chunk is shown, counted from 0."""
        self.until(f"document.querySelector('#where strong')?.textContent === '{chunk + 1}'")
        return self

    def mark(self, words: str) -> Self:
        """Finds words by keyboard while evidence is chosen, and saves with their sentence."""
        self.until("document.querySelector('#text').classList.contains('picking')")
        self.press("/")
        self.until("!!document.querySelector('dialog[open] input[type=search]')")
        self.type(words)
        self.press("Enter")
        self.until("!document.querySelector('dialog[open]')")
        here = "document.querySelector('.s.cursor')?.textContent ?? ''"
        self.until(f"({here}).includes({json.dumps(words)})")
        self.press("Enter")
        self.until("!document.querySelector('#text').classList.contains('picking')")
        return self

    def offline(self, off: bool = True) -> Self:
        """Pulls the connection, or plugs it in again."""
        self.browser.call(
            "Network.emulateNetworkConditions",
            offline=off, latency=0, downloadThroughput=-1, uploadThroughput=-1,
        )  # fmt: skip
        return self

    @property
    def said(self) -> str:
        """All that the page shows, for a person or a failed test."""
        return str(self.value("document.body.innerText"))

    @property
    def state(self) -> str:
        """What the save state says."""
        return str(self.value("document.querySelector('#save').textContent"))

    @property
    def dialog(self) -> str:
        """What the open dialog says; empty where there is none."""
        return str(self.value("document.querySelector('dialog[open]')?.innerText ?? ''"))
