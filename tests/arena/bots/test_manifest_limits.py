"""Limits of the fields of a stranger's bot.yaml."""

from pathlib import Path

import pytest

from arena.bots.manifest import read_manifest
from arena.bots.shipped import MAX_MANIFEST_BYTES
from arena.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name: '=cmd|calc'\nrun: [sh]\n", "begin with a letter or a digit"),
        ("name: '@x'\nrun: [sh]\n", "begin with a letter or a digit"),
        ('name: "a\\u202eb"\nrun: [sh]\n', "must consist of letters, digits, spaces and"),
        ('name: "a\\u3164"\nrun: [sh]\n', "must consist of letters, digits, spaces and"),
        ('name: "bot\\u05d0"\nrun: [sh]\n', "must be written from left to right"),
        ('name: "a\\u0663"\nrun: [sh]\n', "must be written from left to right"),
        ('name: "greed\\u0443"\nrun: [sh]\n', "must not mix scripts with letters that look alike"),
        ('name: "\\ua4d0ot"\nrun: [sh]\n', "must not mix scripts with letters that look alike"),
        ('name: "a\\u0301\\u0301\\u0301\\u0301"\nrun: [sh]\n', "must have 2 marks at most"),
        ('name: "<b>"\nrun: [sh]\n', "must consist of letters, digits, spaces and"),
        ("name: ..\nrun: [sh]\n", "must consist of letters, digits, spaces and"),
        ('summary: "a\\e[2J"\nrun: [sh]\n', "must be one printable line"),
        ('summary: "a\\u202e"\nrun: [sh]\n', "must be one printable line"),
        ('language: "a\\nb"\nrun: [sh]\n', "must be one printable line"),
        ("summary: " + "x" * 201 + "\nrun: [sh]\n", "must be 200 characters or fewer"),
        ("games: [" + "pente, " * 101 + "]\nrun: [sh]\n", "must have 100 or fewer items"),
        ("protocol: '../../x'\nrun: [sh]\n", "unknown protocol"),
        ("files: [" + "main.txt, " * 201 + "]\nrun: [sh]\n", "must have 200 or fewer items"),
        (
            "files: ['" + "a/../" * 1000 + "main.txt']\nrun: [sh]\n",
            "4096 characters or fewer",
        ),
        ('files: [""]\nrun: [sh]\n', "must be 1 characters or more"),
        ('files: ["a\\0b"]\nrun: [sh]\n', "U+0000 is not allowed in text"),
        ('run: [sh, "a\\0b"]\n', "U+0000 is not allowed in text"),
        ('run: [sh, "\\ud800"]\n', "U+D800 is not allowed in text"),
        ('build: ["\\ud800"]\nrun: [sh]\n', "U+D800 is not allowed in text"),
        ("run: [" + "x, " * 201 + "]\n", "must have 200 or fewer items"),
        ("run: [" + "x" * 4097 + "]\n", "4096 characters or fewer"),
        ('run: ["./a\\n::error::b"]\n', "must begin with a program, one printable line of text"),
        ('build: ["\\e[2J"]\nrun: [sh]\n', "must begin with a program, one printable line"),
        ("run: [[sh]]\n", "must be text"),
        ("run: {sh: x}\n", "must be a list"),
        ("run: [sh]\nisolation: none\n", 'unknown key "isolation"'),
        ("run: [sh]\nshare: [/]\n", 'unknown key "share"'),
        ("run: &a [sh]\nbuild: *a\n", "anchors"),
        ("run: !!python/object/apply:os.system [id]\n", "tags"),
        ("%YAML 1." + "1" * 5000 + "\n---\nrun: [sh]\n", "is not YAML"),
        ('run: ["\\U00110000"]\n', "is not YAML"),
        ('run: ["\\Uffffffff"]\n', "is not YAML"),
        ("run: " + "[" * 1000 + "\n", "nested deeper than 32 levels"),
        ("run: [sh]\n#" + "x" * MAX_MANIFEST_BYTES, "is larger than 64 KiB"),
        ("{" + "".join(f"a{n}: 1, " for n in range(5000)) + "}", "and 4980 more"),
    ],
)
def test_every_field_enforces_its_limits(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "bot.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as refused:
        read_manifest(path)

    message = str(refused.value)
    assert says in message
    assert all(line.isprintable() for line in message.split("\n"))
    assert len(message) < 20_000
