"""Builds of bots, each in a sandbox like that of a bot, with a separate folder and caches."""

import functools
import hashlib
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent

from pydantic import TypeAdapter, ValidationError

from arena.bots.compiler_errors import compiler_errors
from arena.bots.installations import hidden
from arena.bots.manifest import Manifest, read_manifest
from arena.bots.shipped import data_root, shipped_bots
from arena.bots.sources import OUTPUTS, collect
from arena.bots.workshops import workshop
from arena.errors import BuildError, MachineError
from arena.reading.choices import Isolation, NetworkAccess
from arena.reading.quantities import MB
from arena.text import plural
from protocol.wording import aligned, escaped
from referee.cache import arena_cache
from referee.job import SECOND_NS
from referee.sandbox import (
    TIERS,
    BuildOrder,
    Built,
    Limits,
    Tier,
    find_tier,
    remove_directory,
    rust_toolchain,
    without_shims,
)

BUILD_S = 600
LIMITS = Limits(
    memory_bytes=4096 * MB,
    processes=1024,
    files=4096,
    disk_bytes=4096 * MB,
)
"""Resource limits of a build."""
DEPENDENCIES = ("Cargo.toml", "go.mod", "package.json", "pom.xml")
"""Files with a list of packages to fetch."""
PACKAGES = "packages"
"""Marker beside caches with packages: the hash of the bot's `DEPENDENCIES`."""
_ADVICE = (
    "builds have no network, only the packages that the starter of the language uses and those of"
    " earlier builds;\nif it needs others: --build-network allow, or build_network: allow in the"
    " config of an event"
)
_NETWORK_WANTED = re.compile(
    "could not resolve|name resolution|name or service not known|unknown ?host|no such host"
    "|getaddrinfo|eai_again|enotfound|network is unreachable|enetunreach|connection refused"
    "|econnrefused|failed to establish a new connection|error sending request"
    "|dial tcp|dial udp|goproxy=off|no matching package|offline mode|--offline"
    "|enotcached|only-if-cached|no matching distribution"
    "|(socket|connect).{0,200}operation not permitted",
    re.IGNORECASE | re.DOTALL,
)
"""Texts of resolvers, sockets and package managers that a build without network runs into."""
_COLOUR = re.compile(r"\\x1b\[[0-9;]*m")  # the output is escaped
SHOWN_LINES = 40
QUIET_S = 2.0
"""Time in s until a build is announced in a pipe; a terminal shows the build at once."""
_PASSED_ON = (
    *("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"),
    *("GOPROXY", "GOSUMDB", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"),
)
"""Environment variables of a build with network access. None of them is for secrets."""
_OFFLINE = {"CARGO_NET_OFFLINE": "true", "GOPROXY": "off", "npm_config_offline": "true"}
"""Variables of a build without network: toolchains use their caches at once, without waiting."""


@dataclass(frozen=True, kw_only=True)
class BuildTerms:
    """The organiser's terms for builds of bots."""

    isolation: Isolation = "auto"
    network: NetworkAccess = "deny"
    installations: tuple[str, ...] = ()

    @property
    def shown(self) -> tuple[str, ...] | None:
        """What the sandbox shows of the bot's machine; None if nothing is hidden from it."""
        return None if self.isolation == "none" else self.installations


@functools.cache
def best_build_tier() -> tuple[Tier, str]:
    """Return the best tier for builds on this machine, and the reasons against better ones."""
    found = find_tier()
    reasons = [
        f"{TIERS[tier].title}: {' '.join(text.split())}" for tier, text in found.refusals.items()
    ]
    return found.tier, "; ".join(reasons)


def build(
    manifest: Manifest,
    command: list[str],
    files: Mapping[str, Path],
    place: Path,
    terms: BuildTerms,
) -> Path:
    """Build a bot in its workshop below `place`; return the result's folder.

    Raises BuildError, and MachineError if the disk is full.
    """
    tier = build_tier(manifest.name, terms)
    if TIERS[tier].hides_files:
        path = _environment(Path(), has_network=False)["PATH"]
        found = [shutil.which(command[0], path=path) or command[0]]
        if (detail := hidden(found, terms.installations)) is not None:
            raise BuildError(manifest.name, detail, "")
    has_network = terms.network == "allow" or _is_shipped(manifest)
    with workshop(manifest, command, place) as shop:
        if not has_network:
            _take_packages(shop, manifest, files, place, terms)
        folder = _lay_out(shop, files)
        order = BuildOrder(
            director=os.getpid(),
            argv=tuple(command),
            folder=str(folder),
            home=str(shop / "home"),
            env=_environment(shop / "home", has_network=has_network),
            tier=tier,
            has_network=has_network,
            installations=terms.installations,
            cache=arena_cache(),
            limits=LIMITS,
            wall_ns=int(BUILD_S * SECOND_NS),
        )
        built = carry_out(order, manifest.name)
        if built.lack is not None:
            detail = f"{built.lack}, which is no bot's fault; make room on {place} or free memory"
            raise MachineError(f"bot {manifest.name} cannot be built: {detail}")
        if built.fault is not None:
            raise _build_error(manifest, files, order, built)
        if has_network:
            (shop / PACKAGES).write_text(_packages_digest(files))
        result = shop / "result"
        remove_directory(result)
        _copy(folder, result)
        return result


def _build_error(
    manifest: Manifest, files: Collection[str], order: BuildOrder, built: Built
) -> BuildError:
    """Return the error of a failed build; the ends of its output are indented, unlike all else."""
    said = _COLOUR.sub("", built.output.replace(f"{order.folder}/", ""))
    output = indent(_ends(said), "    ") or "it printed nothing"
    if not order.has_network and wants_network(built.output):
        output += f"\n{_ADVICE}"
    detail = f"its build {built.fault}: {escaped(' '.join(order.argv))}"
    problems = compiler_errors(said, manifest.path.parent, files)
    return BuildError(manifest.name, detail, output, problems)


def build_tier(name: str, terms: BuildTerms) -> Tier:
    """Return the tier for a build of this bot; raises BuildError if a required one is refused."""
    if terms.isolation == "none":
        return "none"
    tier, reasons = best_build_tier()
    if not reasons:
        return tier
    if terms.isolation == "require":
        detail = f"isolation is required for its build, and this machine refuses it: {reasons}"
        raise BuildError(name, detail, "")
    _tell(f"REDUCED ISOLATION: {name} is built with {TIERS[tier].title} ({reasons})")
    return tier


def _is_shipped(manifest: Manifest) -> bool:
    """Whether the bot is one of Arena's starters, with known packages.

    In a checkout, other folders of `bots` may contain bots by other authors.
    """
    return manifest.path.resolve().is_relative_to((data_root() / "bots" / "starter").resolve())


def _take_packages(
    shop: Path, manifest: Manifest, files: Mapping[str, Path], place: Path, terms: BuildTerms
) -> None:
    """Copy the packages fetched by the starter of the bot's language into a new workshop.

    So a copy of a starter is built without the network. Packages come from the starter's own
    workshop only, written by builds of the starter alone.
    """
    path = shipped_bots().get(f"starter/{manifest.language}")
    if path is None or (shop / PACKAGES).exists():
        return
    starter = read_manifest(path)
    own = collect(starter, starter.files)
    if starter.build is None or not set(DEPENDENCIES) & files.keys() & own.keys():
        return
    with workshop(starter, starter.build, place) as source:
        marker = source / PACKAGES
        digest = _packages_digest(own)
        has_them = marker.exists() and marker.read_text() == digest
    try:
        if not has_them:
            _tell(f"{manifest.name} needs the packages of {starter.name}, which are fetched once")
            remove_directory(build(starter, list(starter.build), own, place, terms))
    except BuildError as error:
        _tell(
            f"{manifest.name}: packages were not fetched, since {error.bot} failed: {error.detail}"
        )
        return
    with workshop(starter, starter.build, place) as source:
        remove_directory(shop / "home")
        _copy(source / "home", shop / "home")
        (shop / PACKAGES).write_text(digest)


def _packages_digest(files: Mapping[str, Path]) -> str:
    texts = [path.read_bytes() for name, path in sorted(files.items()) if name in DEPENDENCIES]
    return hashlib.sha256(b"\0".join(texts)).hexdigest()


def _lay_out(shop: Path, files: Mapping[str, Path]) -> Path:
    """Return a new folder with the files and the outputs of the previous build.

    The previous build may have made links anywhere in its folder, so nothing is written there. Its
    outputs are moved unchanged.
    """
    folder, before = shop / "work", shop / "before"
    remove_directory(before)
    if folder.exists():
        folder.rename(before)
    folder.mkdir(mode=0o700)
    for name, path in files.items():
        copy = folder / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
        copy.chmod(0o755 if os.access(path, os.X_OK) else 0o644)
    for name in {output for file, output in OUTPUTS.items() if file in files}:
        left = before / name
        if left.is_dir() and not left.is_symlink() and not (folder / name).exists():
            left.rename(folder / name)
    remove_directory(before)
    return folder


def _environment(home: Path, *, has_network: bool) -> dict[str, str]:
    rust = rust_toolchain()
    path = without_shims(os.environ.get("PATH", os.defpath))
    network = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return {
        "PATH": f"{rust / 'bin'}:{path}" if rust else path,
        "HOME": str(home),
        "CARGO_HOME": str(home / "cargo"),
        "GOPATH": str(home / "go"),
        "GOCACHE": str(home / "go-build"),
        "GOFLAGS": "-modcacherw",  # so that `rm -r` removes the cache
        "GOGC": "800",  # a quarter less work for Go's compiler, for 50 % more memory
        "MAVEN_OPTS": f"-Duser.home={home} -XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "npm_config_cache": str(home / "npm"),
        "npm_config_update_notifier": "false",
        **(network if has_network else _OFFLINE),
    }


def carry_out(order: BuildOrder, name: str) -> Built:
    """Run the build in a builder process; show its command and its duration on stderr."""
    began = time.monotonic()
    is_told = sys.stderr.isatty()

    def tell_progress() -> None:
        nonlocal is_told
        _tell_live(f"building {name}: {time.monotonic() - began:.0f} s")
        if not is_told and time.monotonic() - began > QUIET_S:
            _tell(f"building {name}")
            is_told = True

    built = run_builder(order, tell_progress)
    _tell_live("")
    how = "failed after" if built.fault else "built in"
    _tell(f"{name}: {how} {time.monotonic() - began:.1f} s: {' '.join(order.argv)}")
    return built


def run_builder(order: BuildOrder, tell_progress: Callable[[], None] = lambda: None) -> Built:
    """Carry out an order in a builder process, silently; `tell_progress` is called each second."""
    command = [sys.executable, "-P", "-m", type(order).__module__]  # the builder
    line = TypeAdapter(BuildOrder).dump_json(order) + b"\n"
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdin is not None and process.stdout is not None  # noqa: S101, PT018
        try:
            process.stdin.write(line)
            process.stdin.close()
            while not select.select([process.stdout], [], [], 1)[0]:
                tell_progress()
            answer = process.stdout.read()
        except BaseException:
            process.terminate()  # the builder stops its build before it ends
            raise
    try:
        return TypeAdapter(Built).validate_json(answer)
    except ValidationError:
        return Built(fault=_lost(process.returncode), output="")


def _lost(code: int) -> str:
    """Describe the end of a builder without a result: its exit code, or minus its signal."""
    if code < 0:
        return f"was interrupted: its builder was ended by {signal.Signals(-code).name}"
    return "cannot be sandboxed, see above"


def _tell(line: str) -> None:
    sys.stderr.write(escaped(line) + "\n")
    sys.stderr.flush()


def _tell_live(line: str) -> None:
    """Show a line on a terminal in place of the previous live line; do nothing in a pipe."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{line}")
        sys.stderr.flush()


def wants_network(output: str) -> bool:
    """Whether the output of a failed build points to a missing network."""
    return _NETWORK_WANTED.search(output) is not None


def _ends(output: str) -> str:
    """Return the first lines of a build's output, which have the first error, and the last."""
    lines = output.splitlines()
    if (left_out := len(lines) - SHOWN_LINES) > 0:
        half = SHOWN_LINES // 2
        lines[half:-half] = [f"... {plural(left_out, 'line')} left out"]
    return "\n".join(aligned(line) for line in lines)


def _copy(source: Path, target: Path) -> None:
    """Copy the files, folders and links of a build, for the director to own, and nothing else."""
    target.mkdir()
    waiting = [(source, target)]
    while waiting:
        here, there = waiting.pop()
        with os.scandir(here) as entries:
            for entry in entries:
                copy = there / entry.name
                if entry.is_symlink():
                    copy.symlink_to(os.readlink(entry.path))  # noqa: PTH115 - the target may be any bytes
                elif entry.is_dir(follow_symlinks=False):
                    copy.mkdir()
                    waiting.append((Path(entry.path), copy))
                elif entry.is_file(follow_symlinks=False):
                    shutil.copyfile(entry.path, copy)
                    is_executable = entry.stat(follow_symlinks=False).st_mode & 0o100
                    copy.chmod(0o755 if is_executable else 0o644)
