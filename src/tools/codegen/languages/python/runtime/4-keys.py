@dataclass(frozen=True, kw_only=True)
class Segment:
    """A segment, as the entity declares it; `name` is its name in Python."""

    property: str
    name: str
    kind: str
    encoding: str = ""
    descending: bool = False
    nullable: bool = False
    width: int = 16  #if key.int key.uint key.bigint key.decimal key.reversedId
    max: int | None = None  #if key.int key.uint key.bigint key.decimal max
    scale: int = 0  #if key.decimal
    members: tuple[str, ...] = ()  #if key.enum
    ordinal: bool = False  #if key.enum
    unit: str = "ms"  #if units floor
    floor: str | int | None = None  #if floor day
    long: bool = False  #if long seconds key.micros
    day: bool = False  #if day floor key.isoDate
    dashes: bool = True  #if key.uuid
    max_length: int | None = None  #if maxLength normalize lower key.bytes
    normalize: bool = False  #if maxLength normalize lower
    lower: bool = False  #if maxLength normalize lower
    # Why conditions on a range of values are refused.  #if unordered
    unordered: str | None = None  #if unordered
    rules: Rules | None = None  #if keyRules
    literal: str = ""  #if literals


#if literals
def Literal(text: str) -> Segment:
    """A constant part of a key."""
    return Segment(property="", name="", kind="literal", literal=text)


#end
@dataclass(frozen=True)
class Shards:
    """A hash of some segments at the start of a key."""

    count: int
    by: tuple[str, ...]


# The bytes that text keys escape: all up to "$", which begins an escape.
_ESCAPED: Final = re.compile(rb"[\x00-\x24]")
_UNIT_WIDTH: Final = {"s": 10, "ms": 13, "us": 16, "ns": 19}


def _field(segment: Segment, ordered: bool) -> _Field:
    #if ordered+descending ordered+nullable
    field = _plain_field(segment, ordered)
    #end
    #if ordered+descending
    if ordered and segment.descending and not field.descending:
        field = _Descending(field)
    #end
    #if ordered+nullable
    if ordered and segment.nullable:
        escapes = not isinstance(field, _Integer) and segment.kind != "float"
        return _OrderedNull(field, escapes or segment.kind == "reversedId")
    #end
    #if ordered+descending ordered+nullable
    return field


def _plain_field(segment: Segment, ordered: bool) -> _Field:
    #end
    s = segment
    #if literals
    if s.kind == "literal":
        return _Constant(s.literal)
    #end
    desc = segment.descending  #if key.float key.bigint
    #if key.string
    if s.kind == "string":
        return _Text(s.max_length, s.normalize, s.lower)  #if maxLength normalize lower
        return _Text()  #if !maxLength+!normalize+!lower
    #end
    #if key.enum
    if s.kind == "enum" and not s.ordinal:
        return _Enum(s.members)
    #end
    #if key.float
    if s.kind == "float":
        return _Float(ordered, desc)
    #end
    #if key.isoDate
    if s.kind == "isoDate" and not ordered:
        return _IsoDate(s.day)
    #end
    #if key.uuid
    if s.kind == "uuid":
        return _Uuid("bytes" if ordered else "dashes" if s.dashes else "plain")
    #end
    #if key.ulid
    if s.kind == "ulid":
        return _Ulid(ordered)
    #end
    #if key.bytes
    if s.kind == "bytes":
        return _Bytes(not ordered, s.max_length)
    #end
    #if key.domain
    if s.kind == "domain":
        return _Domain()
    #end
    #if key.bigint
    if s.kind == "bigint" and (s.width == 0 or (ordered and s.width > 19)):
        return _BigInteger(desc)
    #end
    #if key.timestamp key.isoDate
    if s.kind in ("timestamp", "isoDate"):
        return _time_field(s, ordered)
    #end
    #if key.int key.uint key.reversedId key.bool key.decimal key.enum key.micros key.bigint
    return _integer_field(s, ordered)
    #end
    raise ValueError(s.kind)  #if !key.int+!key.uint+!key.reversedId+!key.bool+!key.decimal+!key.enum+!key.micros+!key.bigint


def _layout(s: Segment, ordered: bool, width: int, signed: bool) -> _Layout:
    #if ordered
    if ordered:
        return _OrderedInt(s.descending)
    #end
    return _Digits(width, s.descending, signed)


def _integer_field(s: Segment, ordered: bool) -> _Field:
    #if key.int key.uint key.bigint key.decimal
    top = 10**s.width - 1 if s.max is None else s.max
    #end
    #if key.int key.uint key.reversedId
    number = (_safe_integer, _read_safe, "numberRange")
    #end
    #if key.int
    if s.kind == "int":
        return _Integer(_layout(s, ordered, s.width, True), *number, -top, top)
    #end
    #if key.uint
    if s.kind == "uint":
        return _Integer(_layout(s, ordered, s.width, False), *number, 0, top)
    #end
    #if key.reversedId
    if s.kind == "reversedId":
        return _Integer(_Backward(s.width, False), *number)
    #end
    #if key.bool
    if s.kind == "bool":
        layout = _layout(s, ordered, 1, False)
        return _Integer(layout, _boolean, bool, "boolRange", 0, 1)
    #end
    #if key.decimal
    if s.kind == "decimal":
        layout = _layout(s, ordered, s.width, True)
        to, back = _Decimals(s.scale).to_integer, _Decimals(s.scale).from_integer
        return _Integer(layout, to, back, "decimalRange", -top, top)
    #end
    #if key.enum
    if s.kind == "enum":
        return _Integer(
            _layout(s, ordered, 2, False),
            lambda value: _ordinal(s.members, value),
            lambda ordinal: s.members[ordinal],
            "enumRange",
            0,
            len(s.members) - 1,
        )
    #end
    #if key.micros
    if s.kind == "micros":
        layout = _layout(s, ordered, 16, False)
        #if long
        if s.long:
            layout = _LongReversed(1)
        #end
        return _Integer(layout, _big_integer, int, "bigintRange")
    #end
    #if key.bigint
    layout = _layout(s, ordered, s.width, True)
    return _Integer(layout, _big_integer, int, "bigintRange", -top, top)
    #end
    raise ValueError(s.kind)  #if !key.bigint


def _ordinal(members: Sequence[str], value: Any) -> int:
    if not isinstance(value, str) or value not in members:
        raise _Refused("notAMember", members=", ".join(members))
    return members.index(value)


def _time_field(s: Segment, ordered: bool) -> _Field:
    desc = s.descending
    #if floor day
    size = s.floor if isinstance(s.floor, int) else 1
    if s.floor == "hour":
        size = 3_600_000
    elif s.floor == "day" or s.day:
        size = DAY_MS
    #end
    #if ordered
    if ordered:
        low, high = INT64_MIN, INT64_MAX
        #if key.isoDate
        if s.kind == "isoDate":
            low, high = FIRST_YEAR_MS * 1000, LAST_YEAR_MS * 1000
        #end
        return _floored(_OrderedInt(desc), 1000, low, high, size)  #if floor day
        return _floored(_OrderedInt(desc), 1000, low, high)  #if !floor+!day
    #end
    #if calendar
    if s.floor in ("hour", "day"):
        return _calendar_field(s.floor == "hour", desc)
    #end
    #if floor
    if s.floor is not None:
        layout = _Digits(_UNIT_WIDTH[s.unit], desc, signed=True)
        per_ms = {"s": 0, "ms": 1, "us": 1000}[s.unit]
        return _floored(layout, per_ms, layout.low, layout.high, size)
    #end
    #if seconds
    if s.unit == "s":
        plain = _LongReversed(1) if s.long else _Digits(10, desc)  #if long
        plain = _Digits(10, desc)  #if !long
        return _Seconds(
            plain, _whole_seconds, lambda n: _date_at(n * 1000), "timeRange"
        )
    #end
    #if units long
    zeros = 0  #if !units
    zeros = {"ms": 0, "us": 3, "ns": 6}[s.unit]  #if units
    exact: _Layout = _Digits(13 + zeros, desc, zeros=zeros)
    #if long
    if s.long:
        exact = _LongReversed(10**zeros)
    #end
    return _Integer(exact, _millis, _date_at, "timeRange")
    #end
    return _Integer(_Digits(13, desc), _millis, _date_at, "timeRange")  #if !units+!long


def _floored(
    layout: _Layout,
    per_ms: int,
    low: int,
    high: int,
    size: int = 1,
) -> _Field:
    """Times floored to `size` milliseconds; `per_ms` is 0 for whole seconds."""

    def to_integer(value: Any) -> int:
        ms = _millis(value) // size * size
        return ms * per_ms if per_ms else ms // 1000

    def from_integer(integer: int) -> Any:
        if per_ms and integer % per_ms:
            return NOT_A_VALUE
        ms = integer // per_ms if per_ms else integer * 1000
        return NOT_A_VALUE if ms % size else _date_at(ms)

    return _Integer(layout, to_integer, from_integer, "timeRange", low, high, size)  #if floor day
    return _Integer(layout, to_integer, from_integer, "timeRange", low, high)  #if !floor+!day


def _calendar_field(hours: bool, descending: bool) -> _Field:
    """The UTC hour as yyyymmddhh, or the day as yyyymmdd."""

    def to_integer(value: Any) -> int:
        ms = _year_millis(value, _fix("year"))
        civil = _civil(ms)
        return civil * 100 + ms % DAY_MS // 3_600_000 if hours else civil

    def from_integer(integer: int) -> Any:
        civil, hour = divmod(integer, 100) if hours else (integer, 0)
        ms = _day_millis(civil // 10_000, civil // 100 % 100, civil % 100)
        return (
            NOT_A_VALUE if ms is None or hour > 23 else _datetime(ms + hour * 3_600_000)
        )

    size = 3_600_000 if hours else DAY_MS
    layout = _Digits(10 if hours else 8, descending)
    return _Integer(layout, to_integer, from_integer, "timeRange", bucket=size)


@dataclass(frozen=True)
class _End(Generic[T]):
    value: T
    inclusive: bool


@dataclass(frozen=True)
class Between(Generic[T]):
    """Values of a segment between two ends, in the order of values."""

    low: _End[T] | None
    high: _End[T] | None


def between(start: T, end: T) -> Between[T]:
    """From `start`, inclusive, to `end`, exclusive."""
    return Between(_End(start, True), _End(end, False))


def at_least(value: T) -> Between[T]:
    return Between(_End(value, True), None)


def more_than(value: T) -> Between[T]:
    return Between(_End(value, False), None)


def at_most(value: T) -> Between[T]:
    return Between(None, _End(value, True))


def less_than(value: T) -> Between[T]:
    return Between(None, _End(value, False))


@dataclass(frozen=True)
class StartsWith:
    """Texts that start with a text."""

    text: str


@dataclass(frozen=True)
class Subdomains:
    """A domain and its subdomains."""

    domain: str


_BOUNDS: Final = (Between, StartsWith, Subdomains)  #if startsWith+key.domain
_BOUNDS: Final = (Between, StartsWith)  #if startsWith+!key.domain
_BOUNDS: Final = (Between, Subdomains)  #if !startsWith+key.domain
_BOUNDS: Final = (Between,)  #if !startsWith+!key.domain


@dataclass(frozen=True)
class KeyRange:
    """Keys from `start` to `end`, exclusive; None is the end of the table."""

    start: bytes
    end: bytes | None

    def __contains__(self, key: bytes) -> bool:
        return self.start <= key and (self.end is None or key < self.end)

    def row_range(self) -> RowRange:
        return RowRange(self.start or None, self.end)


def query(ranges: Sequence[KeyRange], limit: int | None = None) -> ReadRowsQuery:
    """A read of these ranges: none of them is no read, and never the whole table."""
    if not ranges:
        raise _Refused("noRange").error("INVALID_QUERY", "", None)
    return ReadRowsQuery(row_ranges=[each.row_range() for each in ranges], limit=limit)


def _union(ranges: Iterable[KeyRange]) -> list[KeyRange]:
    union: list[KeyRange] = []
    for each in sorted(ranges, key=lambda one: one.start):
        if each.end is not None and each.end <= each.start:
            continue
        last = union[-1] if union else None
        if last is None or (last.end is not None and each.start > last.end):
            union.append(each)
        elif last.end is not None and (each.end is None or each.end > last.end):
            union[-1] = KeyRange(last.start, each.end)
    return union


def _next_prefix(prefix: bytes) -> bytes | None:
    kept = prefix.rstrip(b"\xff")
    return kept[:-1] + bytes([kept[-1] + 1]) if kept else None


@dataclass(frozen=True)
class _Part:
    """A part of a key, compiled."""

    segment: Segment
    field: _Field


@dataclass(frozen=True)
class _Prefix:
    """The keys with a prefix."""

    start: bytes
    base: bytes
    end: bytes | None
    # A key that lies apart from the rest.  #if ordered
    alone: bytes | None = None  #if ordered

    def up_to(self, end: bytes | None) -> list[KeyRange]:
        #if ordered
        if self.alone is not None:
            alone = KeyRange(self.alone, self.alone + b"\0")
            return [alone, KeyRange(self.start, end)]
        #end
        return [KeyRange(self.start, end)]


#if scopes
class Scope:
    """Leading segments with fixed values: what is made within it stays inside."""

    def __init__(self, key: Key, values: Mapping[str, Any]) -> None:
        self.values = dict(values)
        self.ranges = key.ranges(values)

    def contains(self, key: bytes) -> bool:
        return any(key in each for each in self.ranges)


#end
class Key(_Refusing):
    """The keys of an entity. `format` is "text", "ordered", or a delimiter."""

    def __init__(self, entity: str, format: str, *parts: Segment) -> None:  #if !shards
    #if shards
    def __init__(
        self,
        entity: str,
        format: str,
        *parts: Segment,
        shards: Shards | None = None,
    ) -> None:
    #end
        self.entity = entity
        self.ordered = format == "ordered"
        self.escapes = format == "text"
        delimiter = "#" if format in ("text", "ordered") else format
        self.hash_separator = delimiter.encode()  #if shards
        self.separator = b"\x00\x01" if self.ordered else delimiter.encode()
        self.after = self.separator[:-1] + bytes([self.separator[-1] + 1])
        self.shards = shards  #if shards
        self.parts = [_Part(each, _field(each, self.ordered)) for each in parts]
        self.segments = [each for each in parts if each.name]
        self.by_name = {segment.name: segment for segment in self.segments}

    def _escaped(self, raw: bytes) -> bytes:
        #if ordered
        if self.ordered:
            return raw.replace(b"\x00", b"\x00\xff")
        #end
        #if delimited
        if not self.escapes:
            return raw
        #end
        return _ESCAPED.sub(lambda found: b"$%02X" % found[0][0], raw)

    def _unescaped(self, raw: bytes) -> bytes | None:
        """None if escaping would not produce these bytes."""
        #if ordered
        if self.ordered:
            return raw.replace(b"\x00\xff", b"\x00")
        #end
        #if delimited
        if not self.escapes:
            return raw
        #end
        if not _ESCAPED.search(raw):
            return raw
        code = rb"\$([0-9A-F]{2})"
        plain = re.sub(code, lambda found: bytes([int(found[1], 16)]), raw)
        return plain if self._escaped(plain) == raw else None

    def _write(self, part: _Part, value: Any) -> bytes:
        segment, field = part.segment, part.field
        try:
            #if nullable
            if value is None and segment.nullable and not self.ordered:
                return b"~" if field.descending else b""
            #end
            if value is None and not segment.nullable and segment.name:
                raise _Refused("nullValue")
            raw = field.write(value)
            #if delimited
            if not self.escapes and not self.ordered and self.separator in raw:
                shown = json.dumps(self.separator.decode())
                raise _Refused("delimiterInValue", delimiter=shown)
            #end
        except _Refused as refused:
            raise refused.error("INVALID_KEY", self.entity, segment.property) from None
        #if nullable
        if segment.nullable and self.escapes and not raw:
            return b"$"
        #end
        return self._escaped(raw)

    def encode(self, given: Mapping[str, Any]) -> bytes:  #if !scopes
    def encode(self, given: Mapping[str, Any], within: Scope | None = None) -> bytes:  #if scopes
        """The key of the values, by name in Python."""
        given = self._inside(given, within)  #if scopes
        parts: list[bytes] = []
        for part in self.parts:
            if part.segment.name not in given and part.segment.name:
                self._fail("INVALID_KEY", "missing", part.segment.property)
            parts.append(self._write(part, given.get(part.segment.name)))
        #if shards
        if self.shards is not None:
            parts.insert(0, self._shard_text(self._shard(parts)))
        #end
        key = self._joined(parts)
        if not key:
            self._fail("INVALID_KEY", "emptyKey")
        if len(key) > MAX_KEY_BYTES:
            self._fail("INVALID_KEY", "keyTooLong", length=len(key))
        return key

    #if scopes
    def _inside(
        self, values: Mapping[str, Any], within: Scope | None
    ) -> Mapping[str, Any]:
        """Adds the values of the scope; refuses other values for its segments."""
        fixed: dict[str, Any] = {}
        for name, value in (within.values if within is not None else {}).items():
            if name in values and not self._same(fixed, name, values[name], value):
                property, given = self.by_name[name].property, _text_of(values[name])
                self._fail(
                    "OUTSIDE_SCOPE", "outsideScope", property, name=name, given=given
                )
            fixed[name] = value
        return {**values, **fixed}

    def _same(self, before: Mapping[str, Any], name: str, a: Any, b: Any) -> bool:
        try:
            return self.ranges({**before, name: a}) == self.ranges({**before, name: b})
        except RowsmithError:
            return False

    #end
    def _joined(self, parts: Sequence[bytes]) -> bytes:
        #if ordered
        if self.ordered:
            kept = list(parts)
            while kept and not kept[-1]:
                kept.pop()
            return self.separator.join(part or b"\0\0" for part in kept) or b"\0\0"
        #end
        return self.separator.join(parts)

    #if shards
    def _shard(self, parts: Sequence[bytes]) -> int:
        assert self.shards is not None
        by, state = self.shards.by, 0x811C9DC5
        pairs = zip(self.parts, parts)
        hashed = [raw for part, raw in pairs if part.segment.property in by]
        for byte in self.hash_separator.join(hashed):
            state = (state ^ byte) * 0x01000193 & 0xFFFFFFFF
        return state % self.shards.count

    def _shard_text(self, shard: int) -> bytes:
        assert self.shards is not None
        return b"%0*d" % (len(str(self.shards.count - 1)), shard)

    #end
    def parse(self, key: bytes) -> dict[str, Any]:
        """The values of a key, by name in Python; FOREIGN_KEY if it has none."""
        values: dict[str, Any] = {}
        step = self._read(key, values)
        if step is not None:
            reason = self._foreign_reason(key, step)
            self._fail("FOREIGN_KEY", "foreignKey", reason=reason)
        return values

    def _read(self, key: bytes, values: dict[str, Any]) -> int | None:
        """None, or the index of the part that does not belong to the key."""
        count = len(self.parts)
        if not key or len(key) > MAX_KEY_BYTES:
            return count
        rest: bytes | None = key
        #if ordered
        if self.ordered and key == b"\0\0":
            rest = None
        #end
        #if shards
        found: list[bytes] = []
        shard = b""
        if self.shards is not None:
            width = len(str(self.shards.count - 1))
            shard, body = key[:width], key[width:]
            if len(key) < width or not (
                body.startswith(self.separator) or (self.ordered and not body)
            ):
                return count
            rest = body[len(self.separator) :] if body else None
        #end
        for index, part in enumerate(self.parts):
            step = self._split(rest, index == count - 1)
            if step is None:
                return index
            raw, rest = step
            value = self._value(part.segment, part.field, raw)
            if value is NOT_A_VALUE:
                return index
            values[part.segment.name] = value
            found.append(raw)  #if shards
        values.pop("", None)  #if literals
        #if shards
        if self.shards is not None and shard != self._shard_text(self._shard(found)):
            return count
        #end
        return None if rest is None else count

    def _split(
        self, rest: bytes | None, last: bool
    ) -> tuple[bytes, bytes | None] | None:
        """The escaped bytes of the next part, and what follows its separator."""
        #if ordered
        if self.ordered:
            return self._ordered_split(rest, last)
        #end
        if rest is None:
            return None
        raw, found, after = rest.partition(self.separator)
        if last == bool(found):
            return None
        return raw, after if found else None

    #if ordered
    def _ordered_split(
        self, rest: bytes | None, last: bool
    ) -> tuple[bytes, bytes | None] | None:
        if rest is None:
            return b"", None
        match = re.match(rb"\x00\x00|(?:[^\x00]|\x00\xff)+", rest, re.DOTALL)
        if match is None or match[0] == rest == b"\0\0":
            return None
        after = rest[match.end() :]
        raw = b"" if match[0] == b"\0\0" else match[0]
        if not after:
            return raw, None
        if last or not after.startswith(self.separator):
            return None
        return raw, after[len(self.separator) :]

    #end
    def _value(self, segment: Segment, field: _Field, escaped: bytes) -> Any:
        #if nullable
        if self.escapes and segment.nullable:
            if not escaped:
                return NOT_A_VALUE if field.descending else None
            if escaped == b"$":
                return field.read(b"")
            if escaped == b"~" and field.descending:
                return None
        #end
        raw = self._unescaped(escaped)
        if raw is None:
            return NOT_A_VALUE
        try:
            return field.read(raw)
        except _Refused as refused:
            raise refused.error("UNSUPPORTED", self.entity, segment.property) from None

    def _foreign_reason(self, key: bytes, step: int) -> str:
        if not key:
            return _problem("foreignEmpty")
        if len(key) > MAX_KEY_BYTES:
            return _problem("foreignLong", length=len(key))
        position = step + 1
        #if shards
        if self.shards is not None:
            position += 1
            if step == len(self.parts):
                return _problem("foreignShard")
        #end
        if step == len(self.parts):
            return _problem("foreignEnd")
        segment = self.parts[step].segment
        #if literals
        if segment.kind == "literal":
            return _problem("foreignLiteral", position=position, text=segment.literal)
        #end
        name, encoding = segment.property, segment.encoding
        return _problem(
            "foreignSegment", position=position, segment=name, encoding=encoding
        )

    #if scopes
    def scope(self, values: Mapping[str, Any]) -> Scope:
        return Scope(self, values)

    #end
    def ranges(self, values: Mapping[str, Any]) -> list[KeyRange]:  #if !scopes
    #if scopes
    def ranges(
        self, values: Mapping[str, Any], within: Scope | None = None
    ) -> list[KeyRange]:
    #end
        """The keys with these leading segments; the last may be a bound."""
        bounds = {k: each for k, each in values.items() if isinstance(each, _BOUNDS)}
        given: Mapping[str, Any] = {k: values[k] for k in values if k not in bounds}
        given = self._inside(given, within)  #if scopes
        self._check_leading(given, bounds)
        # Without a bound, the literals before the next segment are part of the prefix.  #if literals
        names = [part.segment.name for part in self.parts]
        free = (i for i, name in enumerate(names) if name and name not in given)
        index = next(free, len(names))
        fixed = [
            self._write(part, given.get(part.segment.name))
            for part in self.parts[:index]
        ]
        bound = next(iter(bounds.values()), None)
        #if shards
        if self.shards is not None:
            shards: Iterable[int] = range(self.shards.count)
            by = self.shards.by
            if all(s.name in given for s in self.segments if s.property in by):
                shards = [self._shard(fixed)]
            texts = [self._shard_text(shard) for shard in shards]
            found = [self._ranges_under([each, *fixed], index, bound) for each in texts]
            return [each for ranges in found for each in ranges]
        #end
        return self._ranges_under(fixed, index, bound)

    def _check_leading(
        self, given: Mapping[str, Any], bounds: Mapping[str, Any]
    ) -> None:
        known = ", ".join(self.by_name)
        for name in [*given, *bounds]:
            if name not in self.by_name:
                self._fail(
                    "INVALID_QUERY", "unknownSegment", name, name=name, known=known
                )
        for segment in self.segments[: len(given)]:
            if (name := segment.name) not in given:
                self._fail(
                    "INVALID_QUERY", "skippedSegment", segment.property, name=name
                )
        free = [segment.name for segment in self.segments[len(given) :]]
        for name in bounds:
            if name not in free[:1]:
                refused = _Refused("misplacedBound", name=name, next=(free or [""])[0])
                if not free:
                    refused.fix = _fix("removeBound")
                property = self.by_name[name].property
                raise refused.error("INVALID_QUERY", self.entity, property)

    def _under(self, prefix: Sequence[bytes]) -> _Prefix:
        if not prefix:
            return _Prefix(b"", b"", None)
        #if ordered
        if self.ordered:
            joined = self.separator.join(part or b"\0\0" for part in prefix)
            base, end = joined + self.separator, joined + self.after
            alone = self._joined(prefix)
            if prefix[-1]:
                return _Prefix(alone, base, end)
            return _Prefix(base, base, end, alone)
        #end
        joined = self._joined(prefix)
        base = joined + self.separator
        return _Prefix(base, base, joined + self.after)

    def _ranges_under(
        self, fixed: Sequence[bytes], index: int, bound: Any
    ) -> list[KeyRange]:
        if index == len(self.parts):
            key = self._joined(fixed)
            if not key or len(key) > MAX_KEY_BYTES:
                self._fail("INVALID_KEY", "keyLength", length=len(key))
            return [KeyRange(key, key + b"\0")]
        prefix = self._under(fixed)
        part, last = self.parts[index], index == len(self.parts) - 1
        if isinstance(bound, Between):
            return _union(self._between(part, prefix, last, bound))
        #if startsWith
        if isinstance(bound, StartsWith):
            return _union(self._starts_with(part, prefix, last, bound.text))
        #end
        #if key.domain
        if isinstance(bound, Subdomains):
            return _union(self._subdomains(part, prefix, last, bound.domain))
        #end
        return prefix.up_to(prefix.end)

    def _between(
        self, part: _Part, prefix: _Prefix, last: bool, bound: Between[Any]
    ) -> list[KeyRange]:
        #if unordered
        segment = part.segment
        if segment.unordered is not None:
            self._fail(
                "INVALID_QUERY", "unordered", segment.property, reason=segment.unordered
            )
        #end
        low = self._end(part, "from", bound.low)
        high = self._end(part, "to", bound.high)
        if part.field.descending:
            low, high = high, low
        if high is not None and not high[0] and not high[1]:
            return []
        end = prefix.end
        if high is not None:
            end = self._bound_key(prefix, high[0], high[1], last)
        if low is None or (not low[0] and low[1]):
            return prefix.up_to(end)
        return [KeyRange(self._bound_key(prefix, low[0], not low[1], last), end)]

    def _end(
        self, part: _Part, end: str, given: _End[Any] | None
    ) -> tuple[bytes, bool] | None:
        if given is None:
            return None
        value, inclusive = given.value, given.inclusive
        #if floor seconds day
        try:
            value, inclusive = part.field.bound(end, value, inclusive)
        except _Refused:
            pass  # The write of the value says what is wrong.
        #end
        return self._write(part, value), inclusive

    def _bound_key(self, prefix: _Prefix, raw: bytes, after: bool, last: bool) -> bytes:
        raw = raw or b"\0\0" if self.ordered else raw  #if ordered
        return prefix.base + raw + (self._after(last) if after else b"")

    def _after(self, last: bool) -> bytes:
        return b"\0" if last and not self.ordered else self.after

    #if startsWith
    def _starts_with(
        self, part: _Part, prefix: _Prefix, last: bool, text: Any
    ) -> list[KeyRange]:
        if not part.field.starts_with:
            self._fail("INVALID_QUERY", "notAscendingString", part.segment.property)
        #if lower
        if part.field.lower and isinstance(text, str):
            # A capital sigma at the end of a word has another lower case.
            forms = sorted({text.lower(), f"{text}a".lower()[:-1]})
            found = [self._form(part, prefix, last, form) for form in forms]
            return [each for ranges in found for each in ranges]
        #end
        #if lower
        return self._form(part, prefix, last, text)

    def _form(
        self, part: _Part, prefix: _Prefix, last: bool, text: Any
    ) -> list[KeyRange]:
    #end
        value = self._write(part, text)
        #if nullable
        if text == "" and part.segment.nullable:
            return self._between(part, prefix, last, more_than(None))
        #end
        if text == "":
            return prefix.up_to(prefix.end)
        common = value  #if ordered+nullable
        #if ordered+nullable
        if isinstance(part.field, _OrderedNull):
            common = self._escaped(part.field.inner.write(text))
        #end
        end = _next_prefix(prefix.base + common)  #if ordered+nullable
        end = _next_prefix(prefix.base + value)  #if !ordered !nullable
        return [KeyRange(prefix.base + value, end)]

    #end
    #if key.domain
    def _subdomains(
        self, part: _Part, prefix: _Prefix, last: bool, domain: Any
    ) -> list[KeyRange]:
        if not part.field.subdomains:
            self._fail("INVALID_QUERY", "notADomainSegment", part.segment.property)
        value = prefix.base + self._write(part, domain)
        first = value
        if not self.ordered and not last:
            first += self.separator
        dot = value + b"."
        after = value + self._after(last)
        return [KeyRange(first, after), KeyRange(dot, _next_prefix(dot))]

    #end
