"""Certificates of a private authority, as PEM text."""

from datetime import UTC, datetime, timedelta
from typing import TypeAlias

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

DAYS = 825
"""Validity of certificates in days."""
Key: TypeAlias = ec.EllipticCurvePrivateKey


def new_authority() -> tuple[bytes, bytes]:
    """Return the key and the certificate of a new authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = _name("arena cluster")
    built = _builder(name, name, key).add_extension(
        x509.BasicConstraints(ca=True, path_length=0), critical=True
    )
    return _key_text(key), built.sign(key, hashes.SHA256()).public_bytes(_PEM)


def new_certificate(machine: str, authority_key: bytes, authority: bytes) -> tuple[bytes, bytes]:
    """Return the key and the certificate of a machine."""
    signing = serialization.load_pem_private_key(authority_key, None)
    if not isinstance(signing, ec.EllipticCurvePrivateKey):
        raise TypeError("not a key of an authority")
    issuer = x509.load_pem_x509_certificate(authority).subject
    key = ec.generate_private_key(ec.SECP256R1())
    uses = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
    built = (
        _builder(_name(machine), issuer, key)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage(uses), critical=False)
    )
    return _key_text(key), built.sign(signing, hashes.SHA256()).public_bytes(_PEM)


def last_day(certificate: bytes) -> datetime:
    """Return the expiry time of a certificate."""
    return x509.load_pem_x509_certificate(certificate).not_valid_after_utc


_PEM = serialization.Encoding.PEM


def _name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name[:64])])


def _builder(name: x509.Name, issuer: x509.Name, key: Key) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=DAYS))
    )


def _key_text(key: Key) -> bytes:
    return key.private_bytes(_PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
