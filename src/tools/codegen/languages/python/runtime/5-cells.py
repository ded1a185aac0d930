# --- The values of cells ------------------------------------------------------


class Codec(Protocol):
    """Values of a column as the bytes of a cell."""

    kind: str

    def encode(self, value: Any) -> bytes: ...

    def decode(self, raw: bytes) -> Any: ...


_INTEGER_RANGE: Final = {"int32": (-(2**31), 2**31 - 1), "uint32": (0, 2**32 - 1)}
_CELL_LENGTH: Final = {"bool": 1, "float": 4}


class Scalar:
    """A scalar; numbers are big-endian, as in Bigtable's own encodings."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def encode(self, value: Any) -> bytes:
        encode: Callable[[Any], bytes] = getattr(self, f"_write_{self.kind}")
        return encode(value)

    def decode(self, raw: bytes) -> Any:
        if self.kind not in ("string", "bytes", "json", "date"):
            expected = _CELL_LENGTH.get(self.kind, 8)
            if len(raw) != expected:
                unit = "byte" if expected == 1 else "bytes"
                shown = f"{expected} {unit}"
                raise _Refused(
                    "cellLength", expected=shown, kind=self.kind, length=len(raw)
                )
        decode: Callable[[bytes], Any] = getattr(self, f"_read_{self.kind}")
        return decode(raw)

    def _write_string(self, value: Any) -> bytes:
        if not isinstance(value, str):
            raise _Refused("wrongString", given=_text_of(value))
        try:
            return value.encode()
        except UnicodeEncodeError:
            raise _Refused("loneSurrogateInCell") from None

    def _read_string(self, raw: bytes) -> str:
        try:
            return raw.decode()
        except UnicodeDecodeError:
            raise _Refused("cellNotUtf8") from None

    def _write_bytes(self, value: Any) -> bytes:
        if not isinstance(value, (bytes, bytearray, memoryview)):
            raise _Refused("wrongBytes", given=_text_of(value))
        return bytes(value)

    def _read_bytes(self, raw: bytes) -> bytes:
        return raw

    def _write_bool(self, value: Any) -> bytes:
        if not isinstance(value, bool):
            raise _Refused("wrongBool", given=_text_of(value))
        return bytes([value])

    def _read_bool(self, raw: bytes) -> bool:
        if raw[0] > 1:
            raise _Refused("cellNotABool", text=f"{raw[0]:x}")
        return raw[0] == 1

    def _integer(self, value: Any, word: str) -> int:
        if type(value) is not int:
            raise _Refused(word, kind=self.kind, given=_text_of(value))
        return value

    def _write_int32(self, value: Any) -> bytes:
        low, high = _INTEGER_RANGE[self.kind]
        number = self._integer(value, "wrongInteger")
        if not low <= number <= high:
            given = _text_of(value)
            raise _Refused("cellRange", given=given, kind=self.kind, min=low, max=high)
        return struct.pack(">q", number)

    _write_uint32 = _write_int32

    def _read_int32(self, raw: bytes) -> int:
        low, high = _INTEGER_RANGE[self.kind]
        number = self._read_int64(raw)
        if not low <= number <= high:
            raise _Refused("cellOutOfRange", number=number, kind=self.kind)
        return number

    _read_uint32 = _read_int32

    def _write_int64(self, value: Any) -> bytes:
        number = self._integer(value, "wrongInt64")
        if not INT64_MIN <= number <= INT64_MAX:
            raise _Refused("int64Range", given=_text_of(value))
        return struct.pack(">q", number)

    def _read_int64(self, raw: bytes) -> int:
        return int.from_bytes(raw, "big", signed=True)

    def _number(self, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise _Refused("wrongNumber", kind=self.kind, given=_text_of(value))
        return float(value)

    def _write_double(self, value: Any) -> bytes:
        return struct.pack(">d", self._number(value))

    def _read_double(self, raw: bytes) -> float:
        number: float = struct.unpack(">d", raw)[0]
        return number

    def _write_float(self, value: Any) -> bytes:
        try:
            return struct.pack(">f", self._number(value))
        except OverflowError:
            raise _Refused("floatRange", given=_text_of(value)) from None

    def _read_float(self, raw: bytes) -> float:
        number: float = struct.unpack(">f", raw)[0]
        return number

    def _write_timestamp(self, value: Any) -> bytes:
        if not isinstance(value, datetime):
            raise _Refused("wrongTime", given=_text_of(value))
        return struct.pack(">q", _millis(value) * 1000)

    def _read_timestamp(self, raw: bytes) -> datetime:
        micros = self._read_int64(raw)
        if micros % 1000 != 0:
            raise _Refused("cellMicroseconds")
        if abs(micros) > MAX_DATE_MS * 1000:
            raise _Refused("cellBeyondDates")
        return _datetime(micros // 1000)

    def _write_date(self, value: Any) -> bytes:
        if not isinstance(value, date) or isinstance(value, datetime):
            raise _Refused("wrongDay", given=_text_of(value))
        return f"{value.year:04}-{value.month:02}-{value.day:02}".encode()

    def _read_date(self, raw: bytes) -> date:
        match = re.fullmatch(rb"([0-9]{4})-([0-9]{2})-([0-9]{2})", raw)
        if match is not None:
            try:
                return date(int(match[1]), int(match[2]), int(match[3]))
            except ValueError:
                pass
        raise _Refused("cellNotADay")

    def _write_json(self, value: Any) -> bytes:
        _check_json(value, "", 0)
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        # A lone surrogate is escaped, as JSON.stringify does.
        return re.sub(
            "[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text
        ).encode()

    def _read_json(self, raw: bytes) -> Any:
        try:
            return json.loads(self._read_string(raw), parse_constant=_no_constant)
        except ValueError:
            raise _Refused("cellNotJson") from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _check_json(value: Any, path: str, depth: int) -> None:
    if value is None or isinstance(value, (str, bool)):
        return
    if type(value) is int and abs(value) <= MAX_SAFE:
        return
    if isinstance(value, float) and abs(value) < float("inf") and str(value) != "-0.0":
        return
    if not isinstance(value, (list, tuple, dict)):
        raise _Refused("notJson", path, given=_text_of(value))
    if depth == 900:
        raise _Refused("jsonTooDeep", path)
    if isinstance(value, dict):
        for key, each in value.items():
            if not isinstance(key, str):
                raise _Refused("notJson", path, given=_text_of(key))
            _check_json(each, f"{path}.{key}", depth + 1)
    else:
        for index, each in enumerate(value):
            _check_json(each, f"{path}[{index}]", depth + 1)


class Packed:
    """Messages of a class that protoc generated."""

    def __init__(self, message: type[Any]) -> None:
        self.message = message
        self.kind = message.DESCRIPTOR.full_name

    def encode(self, value: Any) -> bytes:
        if not isinstance(value, self.message):
            raise _Refused("wrongMessage", name=self.kind, given=_text_of(value))
        raw: bytes = value.SerializeToString(deterministic=True)
        return raw

    def decode(self, raw: bytes) -> Any:
        value = self.message()
        try:
            value.ParseFromString(raw)
        except Exception as error:
            raise _Refused("cellNotAMessage", name=self.kind, error=error) from None
        return value


class Qualifiers:
    """The keys of a column map as qualifiers."""

    def __init__(self, segment: Segment) -> None:
        self.kind = segment.kind
        self.field = _field(segment, False)

    def encode(self, key: Any) -> bytes:
        if self.kind == "string":
            return self._text(key)
        try:
            return self.field.write(key)
        except _Refused as refused:
            refused.fix = WORDS[f"{self.kind}Key"][1]
            raise

    def _text(self, key: Any) -> bytes:
        if not isinstance(key, str):
            raise _Refused("keyNotAString", given=type(key).__name__)
        try:
            raw = key.encode()
        except UnicodeEncodeError:
            raise _Refused("loneSurrogateInKey") from None
        if len(raw) > 16_384:
            raise _Refused("qualifierTooLong", length=len(raw))
        return raw

    def decode(self, raw: bytes) -> Any:
        if self.kind == "string":
            try:
                return raw.decode()
            except UnicodeDecodeError:
                raise _Refused("qualifierNotUtf8") from None
        key = self.field.read(raw)
        if key is NOT_A_VALUE:
            raise _Refused("foreignQualifier", kind=self.kind)
        return key


# --- Rules of values ----------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What values must be when they are written, beyond their kind."""

    one_of: tuple[Any, ...] | None = None
    min_length: int | None = None
    max_length: int | None = None
    # For Python, and as the declaration writes it.
    pattern: tuple[str, str] | None = None
    min: float | None = None
    max: float | None = None

    def issues(self, value: Any) -> Iterator[str]:
        if self.one_of is not None and value not in self.one_of:
            yield _problem(
                "notOneOf", given=_text_of(value), members=_members_text(self.one_of)
            )
        yield from self._length_issues(value)
        if isinstance(value, str) and self.pattern is not None:
            if re.search(self.pattern[0], value, re.ASCII) is None:
                yield _problem(
                    "noMatch", given=_text_of(value), pattern=self.pattern[1]
                )
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return
        shown = _text_of(value)
        if self.min is not None and not value >= self.min:
            yield _problem("tooSmall", given=shown, min=_number_text(self.min))
        if self.max is not None and not value <= self.max:
            yield _problem("tooGreat", given=shown, max=_number_text(self.max))

    def _length_issues(self, value: Any) -> Iterator[str]:
        if not isinstance(value, (str, bytes)):
            return
        length = _utf16_length(value) if isinstance(value, str) else len(value)
        if self.min_length is not None and length < self.min_length:
            word = "emptyText" if length == 0 else "tooShort"
            yield _problem(word, length=length, min=self.min_length)
        if self.max_length is not None and length > self.max_length:
            yield _problem("tooLong", length=length, max=self.max_length)


def _members_text(members: Sequence[Any]) -> str:
    shown = [
        f"'{each}'" if isinstance(each, (str, date)) else _number_text(each)
        for each in members[:10]
    ]
    if len(members) > 10:
        shown.append(f"{len(members) - 10} more")
    return ", ".join(shown)


def _index_path(key: Any) -> str:
    if isinstance(key, datetime):
        key = key.isoformat()
    return (
        f"[{json.dumps(key, ensure_ascii=False)}]"
        if isinstance(key, str)
        else f"[{key}]"
    )
