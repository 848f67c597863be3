"""Places of errors in the output of compilers."""

from pathlib import Path

import pytest

from arena.bots.compiler_errors import SHOWN_ERRORS, compiler_errors
from arena.errors import Problem

FOLDER = Path("/bots/ann")
FILES = {"main.c", "Main.java", "src/main.rs", "main.go", "main.ts"}


GCC = """\
main.c: In function 'main':
main.c:3:13: error: 'retrun' undeclared (first use in this function)
    3 | int main(){ retrun 0; }
main.c:3:13: note: each undeclared identifier is reported only once
main.c:4:1: warning: unused variable
"""
JAVAC = """\
Main.java:7: error: incompatible types: String cannot be converted to int
class A { int x = "s"; }
"""
MAVEN = """\
[ERROR] COMPILATION ERROR :
[ERROR] Main.java:[24,18] ';' expected
[ERROR] Failed to execute goal
[ERROR] Main.java:[24,18] ';' expected
"""
RUST = """\
warning: unused variable: `y`
 --> src/main.rs:1:20
error[E0308]: mismatched types
 --> src/main.rs:1:25
  |
note: required here
 --> src/main.rs:9:1
"""
GO = "# bot\n./main.go:2:14: declared and not used: x\n"
TYPESCRIPT = "main.ts(1,5): error TS2322: Type 'string' is not assignable to type 'number'.\n"


@pytest.mark.parametrize(
    ("output", "file", "line", "column", "detail"),
    [
        (GCC, "main.c", 3, 13, "'retrun' undeclared (first use in this function)"),
        ("main.c:2:1: fatal error: a.h: No such file\n", "main.c", 2, 1, "a.h: No such file"),
        (JAVAC, "Main.java", 7, 0, "incompatible types: String cannot be converted to int"),
        (MAVEN, "Main.java", 24, 18, "';' expected"),
        (RUST, "src/main.rs", 1, 25, "mismatched types"),
        (GO, "main.go", 2, 14, "declared and not used: x"),
        (TYPESCRIPT, "main.ts", 1, 5, TYPESCRIPT.strip().partition("error ")[2]),
    ],
)
def test_an_error_has_the_place_its_compiler_names(
    output: str, file: str, line: int, column: int, detail: str
) -> None:
    problem = Problem(f"/bots/ann/{file}", detail, line, column)

    assert compiler_errors(output, FOLDER, FILES) == (problem,)


@pytest.mark.parametrize(
    "place",
    [
        *("/etc/passwd:1:1", "../bob/main.c:1:1", "kit.c:1:1", "src/../../ann/main.c:1:1"),
        *("main.c:0:1", "main.c:99999999:1", "main.c:-1:1", "main.c:1:1:1", "main.c\\n:1:1"),
    ],
)
def test_only_files_of_the_bot_and_their_lines_are_places(place: str) -> None:
    assert compiler_errors(f"{place}: error: forged\n", FOLDER, FILES) == ()


def test_the_errors_of_a_build_are_limited() -> None:
    lines = [f"main.c:{number}:1: error: {'x' * 9000}" for number in range(1, 100)]

    found = compiler_errors("\n".join(lines), FOLDER, FILES)

    assert [problem.line for problem in found] == list(range(1, SHOWN_ERRORS + 1))
    assert {len(problem.detail) for problem in found} == {500}
