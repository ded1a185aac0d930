"""Prints, as JSON, the keys a second of the generated module and of the same by hand.

The keys are tenant (text), device (text) and at (milliseconds, newest first). Both ways take turns.
"""

import json
import sys
import time
from collections.abc import Callable
from datetime import datetime, timedelta, timezone

sys.path.insert(0, sys.argv[1])
from rowsmith_rows import reading  # noqa: E402

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
START = datetime(2026, 11, 28, tzinfo=timezone.utc)
ROWS = [
    (f"tenant-{n % 7}", f"device-{n % 101:04}", START + timedelta(milliseconds=n))
    for n in range(200)
]
TOP = 10**13 - 1


def escaped(text: str) -> bytes:
    if any(character < "'" for character in text):
        raise ValueError("the escapes are not needed here")
    return text.encode()


def encode_by_hand(tenant: str, device: str, at: datetime) -> bytes:
    ms = (at - EPOCH) // timedelta(milliseconds=1)
    return b"%s#%s#%013d" % (escaped(tenant), escaped(device), TOP - ms)


def decode_by_hand(key: bytes) -> tuple[str, str, datetime]:
    tenant, device, digits = key.split(b"#")
    at = EPOCH + timedelta(milliseconds=TOP - int(digits))
    return tenant.decode(), device.decode(), at


KEYS = [encode_by_hand(*row) for row in ROWS]


def encode_generated() -> None:
    for tenant, device, at in ROWS:
        reading.key_of(tenant=tenant, device=device, at=at)


def decode_generated() -> None:
    for key in KEYS:
        reading.parse_key(key)


def encode_hand() -> None:
    for row in ROWS:
        encode_by_hand(*row)


def decode_hand() -> None:
    for key in KEYS:
        decode_by_hand(key)


def check() -> None:
    for row, key in zip(ROWS, KEYS):
        tenant, device, at = row
        assert reading.key_of(tenant=tenant, device=device, at=at) == key
        parsed = reading.parse_key(key)
        assert (parsed.tenant, parsed.device, parsed.at) == row == decode_by_hand(key)


def measure(ways: dict[str, Callable[[], None]], rounds: int) -> dict[str, list[float]]:
    """Microseconds a key, in each round."""
    found: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            started = time.perf_counter()
            way()
            found[name].append((time.perf_counter() - started) * 1e6 / len(ROWS))
    return found


check()
WAYS = {
    "encode.generated": encode_generated,
    "encode.hand": encode_hand,
    "decode.generated": decode_generated,
    "decode.hand": decode_hand,
}
measure(WAYS, 10)
print(json.dumps(measure(WAYS, 300)))
