"""Files that the kernel of this machine cannot start: refused before play, with the cause."""

import struct
import sys
from pathlib import Path

import pytest
from builds import MakeBot

from arena.bots import machine_code
from arena.bots.machine_code import foreign_objection, head_of, is_32_bit
from arena.bots.prepare import prepare
from arena.bots.programs import start_objection
from arena.errors import BotError

X86, ARM, ARM_32, OWN_32 = 62, 183, 40, 3
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:dd7b\nsize 1395\n"


def elf(machine: int, *, bits: int = 64, order: str = "<") -> bytes:
    kind = bytes([bits // 32, 1 if order == "<" else 2, 1]) + bytes(9)
    return b"\x7fELF" + kind + struct.pack(f"{order}HHI", 2, machine, 1) + bytes(40)


@pytest.fixture(autouse=True)
def machine(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of the kernel's other kinds of programs, on a machine of x86-64."""
    kinds = tmp_path_factory.mktemp("binfmt")
    monkeypatch.setattr(machine_code, "_BINFMT", kinds)
    monkeypatch.setattr(machine_code, "_own_machine", lambda: X86)
    return kinds


@pytest.mark.parametrize(
    ("name", "head", "says"),
    [
        ("bot", elf(ARM), "is a program for 64-bit ARM, not for this machine's x86-64"),
        ("bot", elf(ARM_32, bits=32), "is a program for 32-bit ARM, not for this"),
        ("bot", elf(22, order=">"), "is a program for IBM Z, not for this machine's x86-64"),
        ("bot", elf(999), "is a program for another machine (number 999 of ELF), not for"),
        ("bot.exe", b"MZ\x90\0", "is a program of Windows; build it for Linux"),
        ("bot", b"\xcf\xfa\xed\xfe\x07", "is a program of macOS; build it for Linux"),
        ("bot", b"\xca\xfe\xba\xbe\0\0\0\x02", "is a program of macOS; build it for Linux"),
        ("Bot.class", b"\xca\xfe\xba\xbe\0\0\0\x37", "is a class of Java; write run: [java, Bot]"),
        ("b.jar", b"PK\x03\x04", "is an archive; if it is Java's, write run: [java, -jar, b.jar]"),
        ("net", POINTER, "is a pointer of Git LFS, not the file itself; fetch it: git lfs pull"),
        ("run.sh", "#!/bin/sh\n".encode("utf-16"), "is UTF-16 text; save it as UTF-8"),
        ("run.sh", b"\xef\xbb\xbf#!/bin/sh\n", "begins with a byte order mark; save it as"),
        ("main.py", b"import sys\n", "lacks the first line #!/usr/bin/env python3; add it, or"),
        ("main.py", b"import sys\n", 'or write run: ["{python}", main.py] in bot.yaml'),
        ("main.rb", b"puts 1\n", "lacks the first line #!/usr/bin/env ruby; add it, or write"),
    ],
)
def test_a_program_of_another_machine_is_refused(
    make_bot: MakeBot, cache: Path, name: str, head: bytes, says: str
) -> None:
    manifest = make_bot(sources={name: ""}, run=[f"./{name}"])
    program = manifest.path.parent / name
    program.write_bytes(head)
    program.chmod(0o755)
    # what is not copied, like a class, is named in the folder itself
    objection = start_objection(manifest.path.parent, name)

    assert objection is not None
    assert says in objection
    with pytest.raises(BotError):
        prepare(manifest, cache)


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("bot", elf(X86)),
        ("bot", elf(OWN_32, bits=32)),
        ("bot", b"\x7fELF\x02"),
        ("run", b"echo\n"),
        ("run", b""),
        ("run.sh", b"echo\n"),
    ],
)
def test_a_program_of_this_machine_and_a_script_of_the_shell_are_not(
    name: str, head: bytes
) -> None:
    assert foreign_objection(head, Path(name)) is None


def test_python_itself_is_a_program_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()

    assert foreign_objection(head_of(Path(sys.executable)), Path(sys.executable)) is None


def test_what_the_kernel_starts_by_an_emulator_is_accepted(machine: Path) -> None:
    (machine / "register").mkdir()  # cannot be read
    arm = elf(ARM)
    about = f"enabled\ninterpreter /usr/bin/qemu\nflags: F\noffset 0\nmagic {arm[:20].hex()}\n"
    (machine / "qemu-aarch64").write_text(f"{about}mask {'ff' * 7}{'00' * 9}feffffff\n")

    assert foreign_objection(arm, Path("bot")) is None
    assert foreign_objection(elf(ARM_32, bits=32), Path("bot")) is not None
    (machine / "qemu-aarch64").write_text(about.replace("enabled", "disabled"))
    assert foreign_objection(arm, Path("bot")) is not None


def test_a_program_of_32_bits_is_known(tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(elf(OWN_32, bits=32))
    (tmp_path / "new").write_bytes(elf(X86))

    assert is_32_bit(tmp_path / "old")
    assert not any(
        map(is_32_bit, [tmp_path / "new", tmp_path / "none", Path("a\0b"), Path("/x" * 9999)])
    )
