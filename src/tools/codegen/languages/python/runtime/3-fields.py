NOT_A_VALUE: Final = object()


class _Field:
    """Values of a segment as raw bytes. `read` returns NOT_A_VALUE for other bytes."""

    descending = False
    starts_with = False  #if startsWith
    lower = False  #if lower
    subdomains = False  #if key.domain

    def write(self, value: Any) -> bytes:
        raise NotImplementedError

    def read(self, raw: bytes) -> Any:
        raise NotImplementedError

    #if floor seconds day
    def bound(self, end: str, value: Any, inclusive: bool) -> tuple[Any, bool]:
        """The bound for a kind that stores one value for many."""
        return value, inclusive
    #end


class _Integer(_Field):
    """Values that map to integers, in one of the layouts."""

    def __init__(
        self,
        layout: _Layout,
        to_integer: Callable[[Any], int],
        from_integer: Callable[[int], Any],
        fix: str,
        low: int | None = None,
        high: int | None = None,
        bucket: int = 1,  #if floor day
    ) -> None:
        self.layout = layout
        self.to_integer = to_integer
        self.from_integer = from_integer
        self.fix = fix
        self.low = layout.low if low is None else max(low, layout.low)
        self.high = layout.high if high is None else min(high, layout.high)
        self.descending = layout.descending
        self.bucket = bucket  #if floor day

    def write(self, value: Any) -> bytes:
        integer = self.to_integer(value)
        if not self.low <= integer <= self.high:
            fix, low, high = _fix(self.fix), self.low, self.high
            raise _Refused("outOfRange", integer=integer, min=low, max=high, fix=fix)
        return self.layout.write(integer)

    def read(self, raw: bytes) -> Any:
        integer = self.layout.read(raw)
        if integer is None or not self.low <= integer <= self.high:
            return NOT_A_VALUE
        return self.from_integer(integer)

    #if floor day
    def bound(self, end: str, value: Any, inclusive: bool) -> tuple[Any, bool]:
        if self.bucket == 1 or not isinstance(value, datetime):
            return value, inclusive
        return _bucket_bound(self.bucket, end, value, inclusive)
    #end


class _Seconds(_Integer):
    """Whole seconds: a bound between two seconds is moved to one of them."""

    def bound(self, end: str, value: Any, inclusive: bool) -> tuple[Any, bool]:
        if not isinstance(value, datetime):
            return value, inclusive
        ms = _millis(value)
        start = ms // 1000 * 1000
        return _Instant(start), inclusive if start == ms else end == "to"


def _bucket_bound(
    size: int, end: str, value: datetime, inclusive: bool
) -> tuple[Any, bool]:
    ms = _millis(value)
    start = ms // size * size
    matches = start != ms if end == "to" else ms + 1 < start + size
    return _Instant(start), inclusive or matches


def _safe_integer(value: Any) -> int:
    if type(value) is not int or abs(value) > MAX_SAFE:
        raise _Refused("notASafeInteger")
    return int(value)


def _read_safe(integer: int) -> Any:
    return integer if abs(integer) <= MAX_SAFE else NOT_A_VALUE


def _big_integer(value: Any) -> int:
    if type(value) is not int:
        raise _Refused("notABigint")
    return int(value)


def _boolean(value: Any) -> int:
    if not isinstance(value, bool):
        raise _Refused("notABoolean")
    return int(value)


def _whole_seconds(value: Any) -> int:
    ms = _millis(value)
    if ms % 1000 != 0:
        raise _Refused("notWholeSeconds")
    return ms // 1000


def _date_at(ms: int) -> Any:
    return NOT_A_VALUE if abs(ms) > MAX_DATE_MS else _datetime(ms)


def _date_at_micros(micros: int) -> Any:
    return NOT_A_VALUE if micros % 1000 else _date_at(micros // 1000)


class _Decimals:
    """Decimal numbers with `scale` digits after the point, as value * 10^scale."""

    def __init__(self, scale: int) -> None:
        self.scale = scale

    def to_integer(self, value: Any) -> int:
        if not isinstance(value, Decimal) or not value.is_finite():
            self._refuse()
        sign, digits, exponent = value.as_tuple()
        if not isinstance(exponent, int) or exponent < -self.scale:
            self._refuse()
        if len(digits) + exponent > 1000:
            raise _Refused("tooManyDecimalDigits")
        magnitude = int("".join(map(str, digits)) or "0")
        shifted = magnitude * int(10 ** (exponent + self.scale))
        return -shifted if sign else shifted

    def _refuse(self) -> NoReturn:
        example = f"12.{'3' * self.scale}" if self.scale else "12"
        raise _Refused("notADecimal", scale=self.scale, example=example)

    def from_integer(self, integer: int) -> Decimal:
        digits = tuple(int(digit) for digit in str(abs(integer)))
        return Decimal((int(integer < 0), digits, -self.scale))


class _Text(_Field):
    """Well-formed text as UTF-8."""

    #if maxLength normalize lower
    def __init__(self, max_length: int | None, normalize: bool, lower: bool) -> None:
        self.max_length = max_length
        self.normalize = normalize  #if normalize
        self.lower = lower  #if lower

    #end
    starts_with = True  #if startsWith

    def canonical(self, text: str) -> str:
        #if lower
        if self.lower:
            text = text.lower()
        #end
        #if normalize
        if self.normalize:
            text = unicodedata.normalize("NFC", text)
        #end
        return text

    def write(self, value: Any) -> bytes:
        if not isinstance(value, str):
            raise _Refused("notAString")
        if _utf16_length(value) > MAX_KEY_BYTES:
            raise _Refused("textLongerThanKey")
        text = value  #if maxLength+!lower+!normalize
        text = self.canonical(value)  #if lower normalize
        #if maxLength
        if self.max_length is not None and _utf16_length(text) > self.max_length:
            raise _Refused("textTooLong", max=self.max_length)
        #end
        try:
            return text.encode()  #if maxLength lower normalize
            return value.encode()  #if !maxLength+!lower+!normalize
        except UnicodeEncodeError:
            raise _Refused("loneSurrogate") from None

    def read(self, raw: bytes) -> Any:
        try:
            return raw.decode()  #if !maxLength+!lower+!normalize
            text = raw.decode()  #if maxLength lower normalize
        except UnicodeDecodeError:
            return NOT_A_VALUE
        #if maxLength
        if self.max_length is not None and _utf16_length(text) > self.max_length:
            return NOT_A_VALUE
        #end
        #if lower normalize
        if self.canonical(text) != text:
            return NOT_A_VALUE
        #end
        return text  #if maxLength lower normalize


class _Enum(_Field):
    """One of some texts."""

    def __init__(self, members: Sequence[str]) -> None:
        self.members = members

    def write(self, value: Any) -> bytes:
        return self.members[_ordinal(self.members, value)].encode()

    def read(self, raw: bytes) -> Any:
        found = (each for each in self.members if each.encode() == raw)
        return next(found, NOT_A_VALUE)


class _Float(_Field):
    """IEEE 754 doubles without NaN: 16 hexadecimal digits, or ordered code."""

    SIGN = 1 << 63
    ALL = (1 << 64) - 1

    def __init__(self, ordered: bool, descending: bool) -> None:
        self.ordered = ordered
        self.descending = descending

    def write(self, value: Any) -> bytes:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise _Refused("notANumber")
        number = float(value) + 0.0
        if number != number:
            raise _Refused("notANumber")
        bits = int.from_bytes(struct.pack(">d", number), "big")
        if self.ordered:
            integer: int = bits if bits < self.SIGN else self.SIGN - bits
            return _ordered_int64(-1 - integer if self.descending else integer)
        bits ^= self.ALL if bits & self.SIGN else self.SIGN
        return b"%016x" % (bits ^ self.ALL if self.descending else bits)

    def read(self, raw: bytes) -> Any:
        bits = self._ordered_bits(raw) if self.ordered else self._hex_bits(raw)
        if bits is None or bits == self.SIGN:
            return NOT_A_VALUE
        number = struct.unpack(">d", bits.to_bytes(8, "big"))[0]
        return NOT_A_VALUE if number != number else number

    def _ordered_bits(self, raw: bytes) -> int | None:
        integer = _read_ordered_int64(raw)
        if integer is None:
            return None
        if self.descending:
            integer = -1 - integer
        if integer == INT64_MIN:
            return None
        return integer if integer >= 0 else self.SIGN - integer

    def _hex_bits(self, raw: bytes) -> int | None:
        if not re.fullmatch(rb"[0-9a-f]{16}", raw):
            return None
        bits = int(raw, 16) ^ (self.ALL if self.descending else 0)
        return bits ^ (self.SIGN if bits & self.SIGN else self.ALL)


class _IsoDate(_Field):
    """Times as ISO 8601 text in UTC, or only their day."""

    def __init__(self, day: bool) -> None:
        self.day = day

    def write(self, value: Any) -> bytes:
        year, moment = _utc(_year_millis(value, _fix("isoYear")))
        day = f"{year:04}-{moment.month:02}-{moment.day:02}"
        if self.day:
            return day.encode()
        clock = f"{moment.hour:02}:{moment.minute:02}:{moment.second:02}"
        return f"{day}T{clock}.{moment.microsecond // 1000:03}Z".encode()

    def read(self, raw: bytes) -> Any:
        pattern = rb"(\d{4})-(\d\d)-(\d\d)"
        if not self.day:
            pattern += rb"T(\d\d):(\d\d):(\d\d)\.(\d{3})Z"
        match = re.fullmatch(pattern, raw)
        if match is None:
            return NOT_A_VALUE
        year, month, day, *clock = map(int, match.groups())
        ms = _day_millis(year, month, day)
        hour, minute, second, millis = clock or (0, 0, 0, 0)
        if ms is None or hour > 23 or minute > 59 or second > 59:
            return NOT_A_VALUE
        return _datetime(ms + ((hour * 60 + minute) * 60 + second) * 1000 + millis)

    #if floor seconds day
    def bound(self, end: str, value: Any, inclusive: bool) -> tuple[Any, bool]:
        if not self.day or not isinstance(value, datetime):
            return value, inclusive
        return _bucket_bound(DAY_MS, end, value, inclusive)
    #end


class _Uuid(_Field):
    """UUIDs: 36 or 32 lower-case characters, or 16 bytes."""

    def __init__(self, form: str) -> None:
        self.form = form

    def write(self, value: Any) -> bytes:
        text = str(value) if isinstance(value, uuid.UUID) else value
        pattern = r"[0-9a-fA-F]{8}(-?)(?:[0-9a-fA-F]{4}\1){3}[0-9a-fA-F]{12}"
        if not isinstance(text, str) or not re.fullmatch(pattern, text):
            raise _Refused("notAUuid")
        parsed = uuid.UUID(text)
        if self.form == "bytes":
            return parsed.bytes
        return (str(parsed) if self.form == "dashes" else parsed.hex).encode()

    def read(self, raw: bytes) -> Any:
        if self.form == "bytes":
            return uuid.UUID(bytes=raw) if len(raw) == 16 else NOT_A_VALUE
        pattern = rb"[0-9a-f]{32}"
        if self.form == "dashes":
            pattern = rb"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}"
        if not re.fullmatch(pattern, raw):
            return NOT_A_VALUE
        return uuid.UUID(raw.decode())


class _Ulid(_Field):
    """ULIDs: 26 upper-case characters of Crockford's base 32, or 16 bytes."""

    ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

    def __init__(self, binary: bool) -> None:
        self.binary = binary

    def write(self, value: Any) -> bytes:
        pattern = r"[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}"
        if not isinstance(value, str) or not re.fullmatch(pattern, value):
            raise _Refused("notAUlid")
        text = value.upper()
        if not self.binary:
            return text.encode()
        number = 0
        for character in text:
            number = number * 32 + self.ALPHABET.index(character)
        return number.to_bytes(16, "big")

    def read(self, raw: bytes) -> Any:
        if not self.binary:
            valid = re.fullmatch(rb"[0-7][0-9A-HJKMNP-TV-Z]{25}", raw)
            return raw.decode() if valid else NOT_A_VALUE
        if len(raw) != 16:
            return NOT_A_VALUE
        number = int.from_bytes(raw, "big")
        digits = (number >> shift & 31 for shift in range(125, -1, -5))
        return "".join(self.ALPHABET[digit] for digit in digits)


class _Bytes(_Field):
    """Bytes unchanged, or as lower-case hexadecimal."""

    def __init__(self, hexadecimal: bool, max_length: int | None) -> None:
        self.hexadecimal = hexadecimal
        self.max_length = max_length

    def write(self, value: Any) -> bytes:
        if not isinstance(value, (bytes, bytearray, memoryview)):
            raise _Refused("notBytes")
        raw = bytes(value)
        limit = MAX_KEY_BYTES
        if self.max_length is not None:
            limit = min(limit, self.max_length)
        if len(raw) > limit:
            raise _Refused("bytesTooLong", max=limit)
        return raw.hex().encode() if self.hexadecimal else raw

    def read(self, raw: bytes) -> Any:
        value = raw
        if self.hexadecimal:
            if not re.fullmatch(rb"([0-9a-f]{2})*", raw):
                return NOT_A_VALUE
            value = bytes.fromhex(raw.decode())
        if self.max_length is not None and len(value) > self.max_length:
            return NOT_A_VALUE
        return value


class _BigInteger(_Field):
    """Up to 99 digits: two digits of length, then the digits."""

    def __init__(self, descending: bool) -> None:
        self.descending = descending

    def write(self, value: Any) -> bytes:
        if type(value) is not int:
            raise _Refused("notABigint")
        if abs(value) >= 10**99:
            raise _Refused("tooManyDigits")
        number = -value if self.descending else value
        digits = f"{len(str(abs(number))):02}{abs(number)}"
        return (f"-{_nines_complement(digits)}" if number < 0 else digits).encode()

    def read(self, raw: bytes) -> Any:
        negative = raw[:1] == b"-"
        text = raw.decode("latin-1")[1:] if negative else raw.decode("latin-1")
        if not re.fullmatch(r"[0-9]{3,101}", text):
            return NOT_A_VALUE
        if negative:
            text = _nines_complement(text)
        digits = text[2:]
        if int(text[:2]) != len(digits) or (len(digits) > 1 and digits[0] == "0"):
            return NOT_A_VALUE
        number = -int(digits) if negative else int(digits)
        if negative and number == 0:
            return NOT_A_VALUE
        return -number if self.descending else number


def _nines_complement(digits: str) -> str:
    return "".join(str(9 - int(digit)) for digit in digits)


class _Domain(_Field):
    """Domain names with their labels reversed. Names outside ASCII are refused."""

    subdomains = True

    def write(self, value: Any) -> bytes:
        if isinstance(value, str) and not value.isascii():
            raise _Refused("domainOutsideAscii")
        domain = _canonical_domain(value) if isinstance(value, str) else None
        if domain is None:
            raise _Refused("notADomainName")
        return ".".join(reversed(domain.split("."))).encode()

    def read(self, raw: bytes) -> Any:
        if not raw.isascii():
            return NOT_A_VALUE
        domain = ".".join(reversed(raw.decode().split(".")))
        return domain if _canonical_domain(domain) == domain else NOT_A_VALUE


def _canonical_domain(text: str) -> str | None:
    name = (text[:-1] if text.endswith(".") else text).lower()
    labels = name.split(".")
    if len(name) > 253 or not all(
        re.fullmatch(r"[a-z0-9_-]{1,63}", label) for label in labels
    ):
        return None
    return None if re.fullmatch(r"[0-9]+|0x[0-9a-f]*", labels[-1]) else name


class _Constant(_Field):
    """The text of a literal."""

    def __init__(self, text: str) -> None:
        self.text = text.encode()

    def write(self, value: Any) -> bytes:
        return self.text

    def read(self, raw: bytes) -> Any:
        return None if raw == self.text else NOT_A_VALUE


class _Descending(_Field):
    """The ordered format's NOT of (the raw bytes, 00 as 00 FF, then 00 01)."""

    descending = True

    def __init__(self, inner: _Field) -> None:
        self.inner = inner

    def write(self, value: Any) -> bytes:
        raw = self.inner.write(value).replace(b"\x00", b"\x00\xff") + b"\x00\x01"
        return bytes(byte ^ 0xFF for byte in raw)

    def read(self, raw: bytes) -> Any:
        plain = bytes(byte ^ 0xFF for byte in raw)
        if not plain.endswith(b"\x00\x01"):
            return NOT_A_VALUE
        body = plain[:-2]
        if not re.fullmatch(rb"(?:[^\x00]|\x00\xff)*", body, re.DOTALL):
            return NOT_A_VALUE
        return self.inner.read(body.replace(b"\x00\xff", b"\x00"))

    #if floor seconds day
    def bound(self, end: str, value: Any, inclusive: bool) -> tuple[Any, bool]:
        return self.inner.bound(end, value, inclusive)
    #end


class _OrderedNull(_Field):
    """The ordered format's null: FF FF if descending, else no bytes."""

    def __init__(self, inner: _Field, escapes: bool) -> None:
        self.inner = inner
        # Text and bytes need one more 00 where they are nothing but 00.
        self.escapes = escapes and not inner.descending
        self.descending = inner.descending
        self.starts_with = inner.starts_with  #if startsWith
        self.lower = inner.lower  #if lower
        self.subdomains = inner.subdomains  #if key.domain

    def write(self, value: Any) -> bytes:
        if value is None:
            return b"\xff\xff" if self.descending else b""
        raw = self.inner.write(value)
        return raw + b"\x00" if self.escapes and not raw.strip(b"\x00") else raw

    def read(self, raw: bytes) -> Any:
        if raw == (b"\xff\xff" if self.descending else b""):
            return None
        if self.escapes and not raw.strip(b"\x00"):
            return self.inner.read(raw[:-1])
        return self.inner.read(raw)

    #if floor seconds day
    def bound(self, end: str, value: Any, inclusive: bool) -> tuple[Any, bool]:
        return self.inner.bound(end, value, inclusive)
    #end
