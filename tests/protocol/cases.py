"""Builders for cases of the vectors; protocol/vectors/README.md defines their fields."""

from typing import Any

from packing import As, meaning, pack

Case = dict[str, Any]
Pieces = list[tuple[bytes, int]]

TOKEN = "0123456789abcdef0123456789abcdef"  # noqa: S105 - guards nothing
ID = 1
"""Id of the call before every reply of the vectors; 1 because True and 1.0 are not 1."""


def valid_reply(name: str, about: str, message: Any, *, answers: str | None, **more: Any) -> Case:
    """Return a valid reply with its meaning."""
    case = _case(name, about, "reply", message)
    return {**case, "answers": answers, **more, "valid": True, **_said(message)}


def broken_reply(
    name: str,
    about: str,
    message: Any,
    *,
    answers: str | None,
    rule: str,
    outcome: str,
    **more: Any,
) -> Case:
    """Return a reply that breaks a rule, with the required outcome."""
    case = _case(name, about, "reply", message)
    return {**case, "answers": answers, **more, "valid": False, "rule": rule, "outcome": outcome}


def valid_call(name: str, about: str, message: Any, reply: Any, **more: Any) -> Case:
    """Return a call with the required reply of a bot, None for no reply."""
    case = _case(name, about, "call", message)
    return {**case, "valid": True, **_said(message), **more, "reply": reply}


def broken_call(name: str, about: str, message: Any, *, rule: str, bot: str, **more: Any) -> Case:
    """Return a call that breaks a rule; a bot must detect it or may ignore it."""
    case = _case(name, about, "call", message)
    return {**case, "valid": False, "rule": rule, **more, "bot": bot}


def _case(name: str, about: str, direction: str, message: Any) -> Case:
    return {"name": name, "about": about, "direction": direction, "hex": _hex(message)}


def _hex(message: Any) -> Any:
    if isinstance(message, list) and message and isinstance(message[0], tuple):
        return [[piece.hex(), times] for piece, times in message]
    return message.hex() if isinstance(message, bytes) else pack(message).hex()


def _said(message: Any) -> Case:
    """Return the message as JSON, or None if it is given as pieces, too long to print."""
    return {"message": meaning(message)} if isinstance(message, dict | As) else {}
