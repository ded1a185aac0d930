class Codec(Protocol):
    """Values of a column as the bytes of a cell."""

    def encode(self, value: Any) -> bytes: ...

    def decode(self, raw: bytes) -> Any: ...


class Scalar:
    """A scalar; numbers are big-endian, as in Bigtable's own encodings."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.encode, self.decode = _CODECS[kind]


def _sized(raw: bytes, kind: str, length: int = 8) -> bytes:
    if len(raw) != length:
        shown = "1 byte" if length == 1 else f"{length} bytes"
        raise _Refused("cellLength", expected=shown, kind=kind, length=len(raw))
    return raw


def _write_string(value: Any) -> bytes:
    if not isinstance(value, str):
        raise _Refused("wrongString", given=_text_of(value))
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise _Refused("loneSurrogateInCell") from None


def _read_string(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise _Refused("cellNotUtf8") from None


def _write_bytes(value: Any) -> bytes:
    if not isinstance(value, (bytes, bytearray, memoryview)):
        raise _Refused("wrongBytes", given=_text_of(value))
    return bytes(value)


def _write_bool(value: Any) -> bytes:
    if not isinstance(value, bool):
        raise _Refused("wrongBool", given=_text_of(value))
    return bytes([value])


def _read_bool(raw: bytes) -> bool:
    byte = _sized(raw, "bool", 1)[0]
    if byte > 1:
        raise _Refused("cellNotABool", text=f"{byte:x}")
    return byte == 1


def _bounded(kind: str, low: int, high: int) -> _Codec:
    def encode(value: Any) -> bytes:
        if type(value) is not int:
            raise _Refused("wrongInteger", kind=kind, given=_text_of(value))
        if not low <= value <= high:
            given = _text_of(value)
            raise _Refused("cellRange", given=given, kind=kind, min=low, max=high)
        return struct.pack(">q", value)

    def decode(raw: bytes) -> int:
        number = int.from_bytes(_sized(raw, kind), "big", signed=True)
        if not low <= number <= high:
            raise _Refused("cellOutOfRange", number=number, kind=kind)
        return number

    return encode, decode


def _write_int64(value: Any) -> bytes:
    if type(value) is not int:
        raise _Refused("wrongInt64", kind="int64", given=_text_of(value))
    if not INT64_MIN <= value <= INT64_MAX:
        raise _Refused("int64Range", given=_text_of(value))
    return struct.pack(">q", value)


def _read_int64(raw: bytes) -> int:
    return int.from_bytes(_sized(raw, "int64"), "big", signed=True)


def _number(value: Any, kind: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _Refused("wrongNumber", kind=kind, given=_text_of(value))
    return float(value)


def _write_double(value: Any) -> bytes:
    return struct.pack(">d", _number(value, "double"))


def _read_double(raw: bytes) -> float:
    number: float = struct.unpack(">d", _sized(raw, "double"))[0]
    return number


def _write_float(value: Any) -> bytes:
    try:
        return struct.pack(">f", _number(value, "float"))
    except OverflowError:
        raise _Refused("floatRange", given=_text_of(value)) from None


def _read_float(raw: bytes) -> float:
    number: float = struct.unpack(">f", _sized(raw, "float", 4))[0]
    return number


def _write_timestamp(value: Any) -> bytes:
    if not isinstance(value, datetime):
        raise _Refused("wrongTime", given=_text_of(value))
    return struct.pack(">q", _millis(value) * 1000)


def _read_timestamp(raw: bytes) -> datetime:
    micros = int.from_bytes(_sized(raw, "timestamp"), "big", signed=True)
    if micros % 1000 != 0:
        raise _Refused("cellMicroseconds")
    if abs(micros) > MAX_DATE_MS * 1000:
        raise _Refused("cellBeyondDates")
    return _datetime(micros // 1000)


def _write_date(value: Any) -> bytes:
    if not isinstance(value, date) or isinstance(value, datetime):
        raise _Refused("wrongDay", given=_text_of(value))
    return f"{value.year:04}-{value.month:02}-{value.day:02}".encode()


def _read_date(raw: bytes) -> date:
    match = re.fullmatch(rb"([0-9]{4})-([0-9]{2})-([0-9]{2})", raw)
    if match is not None:
        try:
            return date(int(match[1]), int(match[2]), int(match[3]))
        except ValueError:
            pass
    raise _Refused("cellNotADay")


def _write_json(value: Any) -> bytes:
    _check_json(value, "", 0)
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    # A lone surrogate is escaped, as JSON.stringify does.
    return re.sub(
        "[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text
    ).encode()


def _read_json(raw: bytes) -> Any:
    try:
        return json.loads(_read_string(raw), parse_constant=_no_constant)
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


_Codec = tuple[Callable[[Any], bytes], Callable[[bytes], Any]]

_CODECS: Final[dict[str, _Codec]] = {
    "string": (_write_string, _read_string),  #if cell.string
    "bytes": (_write_bytes, bytes),  #if cell.bytes
    "bool": (_write_bool, _read_bool),  #if cell.bool
    "int32": _bounded("int32", -(2**31), 2**31 - 1),  #if cell.int32
    "uint32": _bounded("uint32", 0, 2**32 - 1),  #if cell.uint32
    "int64": (_write_int64, _read_int64),  #if cell.int64
    "double": (_write_double, _read_double),  #if cell.double
    "float": (_write_float, _read_float),  #if cell.float
    "timestamp": (_write_timestamp, _read_timestamp),  #if cell.timestamp
    "date": (_write_date, _read_date),  #if cell.date
    "json": (_write_json, _read_json),  #if cell.json
}


class Packed:
    """Messages of a class that protoc generated."""

    def __init__(self, message: type[Any]) -> None:  #if !times
    def __init__(self, message: type[Any], times: bool = False) -> None:  #if times
        self.message = message
        self.times = times  #if times
        self.kind: str = message.DESCRIPTOR.full_name

    def encode(self, value: Any) -> bytes:
        if not isinstance(value, self.message):
            raise _Refused("wrongMessage", name=self.kind, given=_text_of(value))
        #if times
        if self.times:
            _check_times(value)
        #end
        raw: bytes = value.SerializeToString(deterministic=True)
        return raw

    def decode(self, raw: bytes) -> Any:
        value = self.message()
        try:
            value.ParseFromString(raw)
        except Exception as error:
            raise _Refused("cellNotAMessage", name=self.kind, error=error) from None
        #if times
        if self.times:
            _check_times(value)
        #end
        return value


#if times
def _check_times(message: Any) -> None:
    """Refuses the times that TypeScript refuses, and protobuf accepts."""
    if message.DESCRIPTOR.full_name == "google.protobuf.Timestamp":
        if not 0 <= message.nanos < 1_000_000_000:
            raise _Refused("nanosOutOfRange")
        if not -62_135_596_800 <= message.seconds <= 253_402_300_799:
            raise _Refused("timestampOutOfRange")
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        if hasattr(value, "ListFields"):
            _check_times(value)
            continue
        entry = field.message_type.fields_by_name.get("value")
        if not field.message_type.GetOptions().map_entry:
            for each in value:
                _check_times(each)
        elif entry.message_type is not None:
            for each in value.values():
                _check_times(each)


#end
class Versioned(Packed):
    """Messages with a version in a field; TypeScript upgrades earlier versions."""

    #if !times
    def __init__(
        self, message: type[Any], field: str, number: int, current: int
    ) -> None:
        super().__init__(message)
    #end
    #if times
    def __init__(
        self,
        message: type[Any],
        field: str,
        number: int,
        current: int,
        times: bool = False,
    ) -> None:
        super().__init__(message, times)
    #end
        self.field = field
        self.name: str = message.DESCRIPTOR.fields_by_number[number].name
        self.current = current

    def encode(self, value: Any) -> bytes:
        if isinstance(value, self.message) and not value.HasField(self.name):
            # It was created for the current class. It is copied, not modified.
            copy = self.message()
            copy.CopyFrom(value)
            setattr(copy, self.name, self.current)
            value = copy
        return super().encode(value)

    def decode(self, raw: bytes) -> Any:
        value = super().decode(raw)
        stored = getattr(value, self.name) if value.HasField(self.name) else 1
        if stored == self.current:
            return value
        path, current = f".{self.field}", self.current
        if 0 < stored < current:
            raise _Unsupported("earlierVersion", path, stored=stored, current=current)
        raise _Refused("unknownVersion", path, stored=stored, current=current)


class Qualifiers:
    """The keys of a column map as qualifiers."""

    def __init__(self, segment: Segment) -> None:
        self.kind = segment.kind
        #if map.typed
        if self.kind != "string":
            self.field = _field(segment, False)
        #end

    def encode(self, key: Any) -> bytes:
        #if map.typed
        if self.kind != "string":
            try:
                return self.field.write(key)
            except _Refused as refused:
                refused.fix = _fix(f"{self.kind}Key")
                raise
        #end
        return self._text(key)

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
        #if map.typed
        if self.kind != "string":
            key = self.field.read(raw)
            if key is NOT_A_VALUE:
                raise _Refused("foreignQualifier", kind=self.kind)
            return key
        #end
        try:
            return raw.decode()
        except UnicodeDecodeError:
            raise _Refused("qualifierNotUtf8") from None


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What values must be when they are written, beyond their kind."""

    one_of: tuple[Any, ...] | None = None  #if oneOf
    min_length: int | None = None  #if lengths
    max_length: int | None = None  #if lengths
    # For Python, and as the declaration writes it.  #if patterns
    pattern: tuple[str, str] | None = None  #if patterns
    min: float | None = None  #if limits
    max: float | None = None  #if limits

    def issues(self, value: Any) -> Iterator[str]:
        shown = _text_of(value)
        #if oneOf
        if self.one_of is not None and value not in self.one_of:
            members = _members_text(self.one_of)
            yield _problem("notOneOf", given=shown, members=members)
        #end
        #if lengths
        if isinstance(value, (str, bytes)):
            length = _utf16_length(value) if isinstance(value, str) else len(value)
            if self.min_length is not None and length < self.min_length:
                word = "emptyText" if length == 0 else "tooShort"
                yield _problem(word, length=length, min=self.min_length)
            if self.max_length is not None and length > self.max_length:
                yield _problem("tooLong", length=length, max=self.max_length)
        #end
        #if patterns
        if isinstance(value, str) and self.pattern is not None:
            if re.search(self.pattern[0], value, re.ASCII) is None:
                yield _problem("noMatch", given=shown, pattern=self.pattern[1])
        #end
        #if limits
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return
        if self.min is not None and not value >= self.min:
            yield _problem("tooSmall", given=shown, min=_number_text(self.min))
        if self.max is not None and not value <= self.max:
            yield _problem("tooGreat", given=shown, max=_number_text(self.max))
        #end


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
