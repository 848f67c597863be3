"""Keys of a cluster: a private authority, and a certificate of each machine.

A worker runs whatever a scheduler sends, so both prove by their certificate that they belong
to the cluster. The key of the authority stays with the organiser.
"""

import contextlib
import ssl
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.aside import made_aside
from arena.cluster.dask_settings import check_extra
from arena.config.cluster import Address
from arena.errors import UsageError
from arena.new_files import write_private
from arena.reading.names import name_objection
from protocol.wording import quoted
from referee.cache import arena_cache

if TYPE_CHECKING:
    from distributed import Security

AUTHORITY, CERTIFICATE, KEY = "authority.pem", "certificate.pem", "key.pem"
"""Files of a machine's keys."""
AUTHORITY_KEY = "authority-key.pem"
OWN = "own"
"""Name of a user's certificate for the loopback."""


def write_keys(folder: Path, machines: list[str]) -> list[Path]:
    """Write the keys of machines and a missing authority; return folders. Raises UsageError."""
    check_extra()
    for name in machines:
        if reason := name_objection(name):
            raise UsageError(f"the machine {quoted(name)}: its name {reason}")
    try:
        return [_write_machine(folder, name) for name in machines]
    except OSError as error:
        raise UsageError(f"{error.filename}: {error.strerror}") from None


def security(scheduler: Address, keys: Path | None) -> "Security":
    """Return the mutual TLS for a scheduler; raises UsageError if the keys cannot be used.

    Without a folder of keys, a cluster on the loopback takes the user's own: Dask runs what it is
    sent, and other users of the machine can reach its ports.
    """
    from distributed import Security

    if keys is None and not scheduler.is_loopback():
        raise UsageError(
            f"{scheduler} can be reached from other machines, and whoever reaches a scheduler or a"
            " worker can run programs on all machines of the cluster; write keys with"
            " `arena cluster keys DIR MACHINE...` and name this machine's folder with --keys"
        )
    keys = keys or own_keys()
    check_keys(keys)
    authority, certificate, key = (str(keys / name) for name in (AUTHORITY, CERTIFICATE, KEY))
    roles: dict[str, Any] = {}
    for role in ("scheduler", "worker", "client"):
        roles |= {f"tls_{role}_cert": certificate, f"tls_{role}_key": key}
    return Security(require_encryption=True, tls_ca_file=authority, **roles)


def is_of_certificates(text: str) -> bool:
    """Whether the text of an error of Dask is about certificates."""
    return any(word in text.lower() for word in ("certificate", "ssl", "tls "))


def strangers(scheduler: Address) -> str:
    """Return the error text for keys refused by a scheduler."""
    return (
        f"the scheduler at {scheduler} and this machine do not accept each other's certificates;"
        " use folders written by the same `arena cluster keys`, or none on the loopback"
    )


def no_scheduler(scheduler: Address) -> str:
    """Return the error text for an address without a scheduler."""
    return (
        f"no scheduler answers at {scheduler}; start one with"
        f" `arena cluster start --listen {scheduler}{scheduler.keys_option}`"
    )


def own_keys() -> Path:
    """Return this user's keys for clusters on the loopback, written once; raises UsageError."""
    folder = arena_cache() / "cluster-keys"
    if not folder.exists():
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            with made_aside(folder) as new:
                write_keys(new / folder.name, [OWN])
                with contextlib.suppress(OSError):
                    (new / folder.name).rename(folder)  # another process may have been first
        except OSError as error:
            raise UsageError(f"{error.filename}: {error.strerror}") from None
    return folder / OWN


def check_keys(keys: Path) -> None:
    """Raise UsageError unless a folder has the keys of a machine, readable by their owner only."""
    for name in (AUTHORITY, CERTIFICATE, KEY):
        if not (keys / name).is_file():
            raise UsageError(
                f"{keys} has no {name}; name the folder of a machine, written by"
                " `arena cluster keys DIR MACHINE...`"
            )
    if (keys / KEY).stat().st_mode & 0o077:
        raise UsageError(
            f"{keys / KEY} can be read by other users; run: chmod 600 {keys / KEY}, and renew the"
            " keys if others may have read it"
        )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_verify_locations(keys / AUTHORITY)
        context.load_cert_chain(keys / CERTIFICATE, keys / KEY)
    except (ssl.SSLError, OSError) as error:
        why = getattr(error, "reason", None) or error
        raise UsageError(
            f"the keys in {keys} cannot be used: {why}; copy the folder again, or write new keys"
            " with `arena cluster keys`"
        ) from None
    _check_dates(keys / CERTIFICATE)


def _check_dates(path: Path) -> None:
    # a slow import, of an extra
    from arena.cluster.certificates import last_day

    if (end := last_day(path.read_bytes())) < datetime.now(UTC):
        raise UsageError(
            f"{path} has expired on {end:%Y-%m-%d}; remove the folder of the machine and run"
            " `arena cluster keys` again"
        )


def _write_machine(folder: Path, name: str) -> Path:
    from arena.cluster.certificates import new_authority, new_certificate

    place = folder / name
    if (place / KEY).exists():
        raise UsageError(f"{place} has keys already; remove the folder to make new ones")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not (folder / AUTHORITY_KEY).exists():
        key, authority = new_authority()
        write_private({folder / AUTHORITY_KEY: key, folder / AUTHORITY: authority})
    authority = (folder / AUTHORITY).read_bytes()
    key, certificate = new_certificate(name, (folder / AUTHORITY_KEY).read_bytes(), authority)
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    files = {KEY: key, CERTIFICATE: certificate, AUTHORITY: authority}
    write_private({place / file: data for file, data in files.items()})
    return place
