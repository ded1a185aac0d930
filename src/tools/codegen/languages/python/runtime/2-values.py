EPOCH: Final = datetime(1970, 1, 1, tzinfo=timezone.utc)
DAY_MS: Final = 86_400_000
MAX_DATE_MS: Final = 8_640_000_000_000_000
INT64_MIN: Final = -(2**63)
INT64_MAX: Final = 2**63 - 1
MAX_SAFE: Final = 2**53 - 1
MAX_KEY_BYTES: Final = 4096
FIRST_YEAR_MS: Final = -62_167_219_200_000
LAST_YEAR_MS: Final = 253_402_300_799_999


class _Instant(int):
    """Milliseconds since 1970: a bound that need not be a datetime."""


def _millis(value: object) -> int:
    #if floor seconds day ordered
    if isinstance(value, _Instant):
        return int(value)
    #end
    if not isinstance(value, datetime):
        raise _Refused("notADate")
    if value.tzinfo is None or value.utcoffset() is None:
        raise _Refused("naiveTime")
    micros = (value - EPOCH) // timedelta(microseconds=1)
    if micros % 1000 != 0:
        raise _Refused("notWholeMillis")
    return micros // 1000


def _datetime(ms: int) -> datetime:
    try:
        return EPOCH + timedelta(milliseconds=ms)
    except OverflowError:
        raise _Unsupported("yearOfDatetime") from None


def _day_millis(year: int, month: int, day: int) -> int | None:
    """Milliseconds of a day; None if there is no such day."""
    try:
        # The years 0 and 2000 have the same days; datetime has no year 0.
        days = datetime(year or 2000, month, day, tzinfo=timezone.utc) - EPOCH
    except ValueError:
        return None
    return (days.days - (0 if year else 730_485)) * DAY_MS


def _utc(ms: int) -> tuple[int, datetime]:
    """The year of a time, and the time; of the year 0, which datetime lacks, in 2000."""
    if ms >= -62_135_596_800_000:
        moment = EPOCH + timedelta(milliseconds=ms)
        return moment.year, moment
    return 0, EPOCH + timedelta(days=730_485, milliseconds=ms)


def _civil(ms: int) -> int:
    """The day of a time, as year * 10,000 + month * 100 + day."""
    year, moment = _utc(ms)
    return year * 10_000 + moment.month * 100 + moment.day


def _year_millis(value: object, fix: str) -> int:
    ms = _millis(value)
    if ms < FIRST_YEAR_MS or ms > LAST_YEAR_MS:
        raise _Refused("yearOutOfRange", fix=fix)
    return ms


class _Layout:
    """Integers as bytes. `read` returns None for bytes that are never written."""

    low: int
    high: int
    descending = False

    def write(self, value: int) -> bytes:
        raise NotImplementedError

    def read(self, raw: bytes) -> int | None:
        raise NotImplementedError


def _digits_of(raw: bytes) -> int | None:
    return int(raw) if raw.isdigit() else None


class _Digits(_Layout):
    """Zero-padded decimal digits; `zeros` of them follow the integer."""

    def __init__(
        self, width: int, descending: bool, signed: bool = False, zeros: int = 0
    ) -> None:
        self.width = width
        self.descending = descending
        self.unit = 10**zeros
        self.top = 10**width - 1
        self.high = 10 ** (width - zeros) - 1
        self.low = -self.high if signed else 0
        self.sign = b":" if descending else b"-"  #if key.int key.bigint key.decimal floor

    def write(self, value: int) -> bytes:
        digits = value * self.unit
        #if key.int key.bigint key.decimal floor
        if value < 0:
            digits += self.top + 1
        #end
        if self.descending:
            digits = self.top - digits
        #if key.int key.bigint key.decimal floor
        if value < 0:
            return self.sign + b"%0*d" % (self.width, digits)
        #end
        return b"%0*d" % (self.width, digits)

    def read(self, raw: bytes) -> int | None:
        #if key.int key.bigint key.decimal floor
        negative = self.low < 0 and raw[:1] == self.sign
        if negative:
            raw = raw[1:]
        #end
        if len(raw) != self.width or not raw.isdigit():
            return None
        value = int(raw)
        if self.descending:
            value = self.top - value
        #if key.int key.bigint key.decimal floor
        if negative:
            value -= self.top + 1
        #end
        return value // self.unit if value % self.unit == 0 else None


class _LongReversed(_Layout):
    """19 digits of Long.MAX_VALUE - n."""

    descending = True

    def __init__(self, unit: int) -> None:
        self.unit = unit
        self.low = 0
        self.high = INT64_MAX // unit

    def write(self, value: int) -> bytes:
        return b"%019d" % (INT64_MAX - value * self.unit)

    def read(self, raw: bytes) -> int | None:
        digits = _digits_of(raw) if len(raw) == 19 else None
        if digits is None or digits > INT64_MAX:
            return None
        value = INT64_MAX - digits
        return value // self.unit if value % self.unit == 0 else None


class _Backward(_Digits):
    """Digits in reverse, so that sequential ids spread over the table."""

    def write(self, value: int) -> bytes:
        return super().write(value)[::-1]

    def read(self, raw: bytes) -> int | None:
        return super().read(raw[::-1])


class _OrderedInt(_Layout):
    """google/orderedcode's int64."""

    low = INT64_MIN
    high = INT64_MAX

    def __init__(self, descending: bool) -> None:
        self.descending = descending

    def write(self, value: int) -> bytes:
        return _ordered_int64(-1 - value if self.descending else value)

    def read(self, raw: bytes) -> int | None:
        value = _read_ordered_int64(raw)
        if value is None or not self.descending:
            return value
        return -1 - value


def _ordered_int64(value: int) -> bytes:
    magnitude = value if value >= 0 else -1 - value
    length = magnitude.bit_length() // 7 + 1
    header = ((1 << length) - 1) << (7 * length)
    code = (header | magnitude).to_bytes(length, "big")
    return code if value >= 0 else bytes(byte ^ 0xFF for byte in code)


def _read_ordered_int64(raw: bytes) -> int | None:
    if not 1 <= len(raw) <= 10:
        return None
    negative = raw[0] < 0x80
    code = int.from_bytes(raw, "big")
    if negative:
        code ^= (1 << 8 * len(raw)) - 1
    magnitude = code & ((1 << (7 * len(raw) - 1)) - 1)
    value = -1 - magnitude if negative else magnitude
    if magnitude > INT64_MAX or _ordered_int64(value) != raw:
        return None
    return value
