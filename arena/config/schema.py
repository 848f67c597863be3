"""The JSON Schema of configs, for editors: `arena schema`."""

import ast
import inspect
import json
import textwrap
from functools import cache
from itertools import pairwise
from typing import Any

from arena.bots.manifest import ManifestSection
from arena.config.model import EventSection
from arena.reading.checking import Section
from arena.reading.quantities import DURATION_PATTERN, SIZE_PATTERN, format_duration, format_size
from referee.catalog import game_class, game_names
from referee.foreign import FOREIGN
from referee.options import game_model

_WRITTEN = {DURATION_PATTERN: format_duration, SIZE_PATTERN: format_size}


def config_schema() -> dict[str, Any]:
    """Return the schema of a config file, with the options of every game."""
    schema = _tidied(EventSection.model_json_schema())
    defs = schema["$defs"]
    _describe(schema, EventSection)
    for section in Section.__subclasses__():
        if section.__name__ in defs:
            _describe(defs[section.__name__], section)
    games = [_game_schema(name, defs) for name in (*game_names(), FOREIGN)]
    properties = schema["properties"]
    properties["game"] = {
        "title": "Game",
        "description": properties["game"]["description"],
        "discriminator": {"propertyName": "name"},
        "oneOf": games,
    }
    bot = {"type": "string", "minLength": 1, "description": "A shipped bot, or a path."}
    best = {
        "type": "object",
        "description": "The best bots of an earlier event.",
        "properties": {
            "from": {"type": ["string", "integer"], "description": "Name or number of the event."},
            "top": {"type": "integer", "minimum": 1, "description": "Number of bots to take."},
        },
        "required": ["from", "top"],
        "additionalProperties": False,
    }
    bots = properties["bots"]
    bots["items"] = {"anyOf": [bot, bots["items"], best]}
    listed = {key: bots.pop(key) for key in ("type", "items", "maxItems")}
    bots["anyOf"] = [listed, best]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def schema_text() -> str:
    """Return the schema as text, as in `configs/schema.json`."""
    return json.dumps(config_schema(), indent=2, ensure_ascii=False) + "\n"


def _describe(part: dict[str, Any], cls: type) -> None:
    """Add the docstrings of the fields; only here, since reading the source takes time."""
    for name, doc in option_docs(cls).items():
        field = part["properties"][name]
        head = {key: field.pop(key) for key in ("additionalProperties", "default") if key in field}
        part["properties"][name] = {**head, "description": doc, **field}


def _game_schema(name: str, defs: dict[str, Any]) -> dict[str, Any]:
    cls = game_class(name)
    options: dict[str, Any] = _tidied(game_model(cls).model_json_schema())
    defs.update(options.pop("$defs", {}))
    _describe(options, cls)
    options["title"] = name
    options["description"] = cls.summary
    options["properties"] = {
        "name": {"const": name, "title": "Name", "description": cls.summary},
        **options.get("properties", {}),
    }
    options["required"] = ["name", *options.get("required", [])]
    return options


def manifest_schema() -> dict[str, Any]:
    """Return the schema of a bot.yaml."""
    schema: dict[str, Any] = _tidied(ManifestSection.model_json_schema())
    _describe(schema, ManifestSection)
    return schema


@cache
def option_docs(cls: type) -> dict[str, str]:
    """Return the docstrings under the fields of a class, read from its source."""
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
    body = node.body if isinstance(node, ast.ClassDef) else []
    docs = {}
    for field, text in pairwise(body):
        if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
            continue
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
            docs[field.target.id] = inspect.cleandoc(str(text.value.value))
    return docs


def _tidied(schema: Any) -> Any:
    """Return a schema with `_tidy` applied to each of its parts."""
    if isinstance(schema, dict):
        _tidy(schema)
    for value in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(value, dict | list):
            _tidied(value)
    return schema


def _tidy(part: dict[str, Any]) -> None:
    """Describe values as in a file: without null, times and sizes as text."""
    choices = part.get("anyOf")
    if isinstance(choices, list) and {"type": "null"} in choices:
        rest = [choice for choice in choices if choice != {"type": "null"}]
        del part["anyOf"]
        part.update(rest[0] if len(rest) == 1 else {"anyOf": rest})
    if part.get("default", ...) is None:
        del part["default"]
    write = _WRITTEN.get(str(part.get("pattern")))
    if write and isinstance(part.get("default"), int):
        part["default"] = write(part["default"])
