# --- The declaration of a key -------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Segment:
    """A segment, as the entity declares it; `name` is its name in Python."""

    property: str
    name: str
    kind: str
    encoding: str = ""
    descending: bool = False
    nullable: bool = False
    width: int = 16
    max: int | None = None
    scale: int = 0
    members: tuple[str, ...] = ()
    ordinal: bool = False
    unit: str = "ms"
    floor: str | int | None = None
    long: bool = False
    day: bool = False
    dashes: bool = True
    max_length: int | None = None
    normalize: bool = False
    lower: bool = False
    # Why conditions on a range of values are refused.
    unordered: str | None = None
    rules: Rules | None = None


@dataclass(frozen=True)
class Literal:
    """A constant part of a key."""

    text: str


@dataclass(frozen=True)
class Shards:
    """A hash of some segments at the start of a key."""

    count: int
    by: tuple[str, ...]


# The bytes that text keys escape: all up to "$", which begins an escape.
_ESCAPED: Final = re.compile(rb"[\x00-\x24]")
_UNIT_WIDTH: Final = {"s": 10, "ms": 13, "us": 16, "ns": 19}
_UNIT_ZEROS: Final = {"ms": 0, "us": 3, "ns": 6}


def _field(segment: Segment, ordered: bool) -> _Field:
    field = _plain_field(segment, ordered)
    if ordered and segment.descending and not field.descending:
        field = _Descending(field)
    if ordered and segment.nullable:
        numeric = isinstance(field, (_Integer, _Float)) and segment.kind != "reversedId"
        return _OrderedNull(field, not numeric)
    return field


def _plain_field(segment: Segment, ordered: bool) -> _Field:
    s, desc = segment, segment.descending
    match s.kind:
        case "string":
            return _Text(s.max_length, s.normalize, s.lower)
        case "enum" if not s.ordinal:
            return _Text(members=s.members)
        case "float":
            return _Float(ordered, desc)
        case "isoDate" if not ordered:
            return _IsoDate(s.day)
        case "uuid":
            return _Uuid("bytes" if ordered else "dashes" if s.dashes else "plain")
        case "ulid":
            return _Ulid(ordered)
        case "bytes":
            return _Bytes(not ordered, s.max_length)
        case "domain":
            return _Domain()
        case "bigint" if s.width == 0 or (ordered and s.width > 19):
            return _BigInteger(desc)
        case "timestamp" | "isoDate":
            return _time_field(s, ordered)
    return _integer_field(s, ordered)


def _integer_field(s: Segment, ordered: bool) -> _Field:
    def layout(width: int, signed: bool) -> _Layout:
        if ordered:
            return _OrderedInt(s.descending)
        return _Digits(width, s.descending, signed)

    top = 10**s.width - 1 if s.max is None else s.max
    number = (_safe_integer, _read_safe, "numberRange")
    match s.kind:
        case "int":
            return _Integer(layout(s.width, True), *number, -top, top)
        case "uint":
            return _Integer(layout(s.width, False), *number, 0, top)
        case "reversedId":
            return _Integer(_Backward(s.width, False), *number)
        case "bool":
            return _Integer(layout(1, False), _boolean, bool, "boolRange", 0, 1)
        case "decimal":
            domain = _Decimals(s.scale)
            return _Integer(
                layout(s.width, True),
                domain.to_integer,
                domain.from_integer,
                "decimalRange",
                -top,
                top,
            )
        case "enum":
            return _Integer(
                layout(2, False),
                lambda value: _ordinal(s.members, value),
                lambda ordinal: s.members[ordinal],
                "enumRange",
                0,
                len(s.members) - 1,
            )
        case "micros":
            micros = _LongReversed(1) if s.long else layout(16, False)
            return _Integer(micros, _big_integer, int, "bigintRange")
    return _Integer(layout(s.width, True), _big_integer, int, "bigintRange", -top, top)


def _ordinal(members: Sequence[str], value: Any) -> int:
    if not isinstance(value, str) or value not in members:
        raise _Refused("notAMember", members=", ".join(members))
    return members.index(value)


def _time_field(s: Segment, ordered: bool) -> _Field:
    desc = s.descending
    size = s.floor if isinstance(s.floor, int) else 1
    if s.floor == "hour":
        size = 3_600_000
    elif s.floor == "day" or s.day:
        size = DAY_MS
    if ordered:
        years: tuple[int | None, int | None] = (None, None)
        if s.kind == "isoDate":
            years = (FIRST_YEAR_MS * 1000, LAST_YEAR_MS * 1000)
        return _floored(_OrderedInt(desc), size, 1000, *years)
    if s.floor in ("hour", "day"):
        return _calendar_field(s.floor == "hour", desc)
    if s.floor is not None:
        layout = _Digits(_UNIT_WIDTH[s.unit], desc, signed=True)
        per_ms = {"s": 0, "ms": 1, "us": 1000}[s.unit]
        return _floored(layout, size, per_ms)
    if s.unit == "s":
        plain = _LongReversed(1) if s.long else _Digits(10, desc)
        return _Seconds(
            plain, _whole_seconds, lambda n: _date_at(n * 1000), "timeRange"
        )
    zeros = _UNIT_ZEROS[s.unit]
    exact: _Layout = _Digits(13 + zeros, desc, zeros=zeros)
    if s.long:
        exact = _LongReversed(10**zeros)
    return _Integer(exact, _millis, _date_at, "timeRange")


def _floored(
    layout: _Layout,
    size: int,
    per_ms: int,
    low: int | None = None,
    high: int | None = None,
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

    return _Integer(layout, to_integer, from_integer, "timeRange", low, high, size)


def _calendar_field(hours: bool, descending: bool) -> _Field:
    """The UTC hour as yyyymmddhh, or the day as yyyymmdd."""

    def to_integer(value: Any) -> int:
        ms = _year_millis(value, WORDS["year"][1])
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


# --- Conditions on leading segments, and ranges of keys -----------------------


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


_Bound = (Between, StartsWith, Subdomains)


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
    """A part of a key, compiled: a literal, or a segment with its field."""

    literal: bytes = b""
    text: str = ""
    segment: Segment | None = None
    field: _Field | None = None


@dataclass(frozen=True)
class _Prefix:
    """The keys with a prefix; `alone` is one that lies apart from the rest."""

    alone: bytes | None
    start: bytes
    base: bytes
    end: bytes | None


class Scope:
    """Leading segments with fixed values: what is made within it stays inside."""

    def __init__(self, key: Key, values: Mapping[str, Any]) -> None:
        self.key = key
        self.values = dict(values)
        self.ranges = _union(key.ranges(values))

    def contains(self, key: bytes) -> bool:
        return any(key in each for each in self.ranges)


class Key(_Refusing):
    """The keys of an entity. `format` is "text", "ordered", or a delimiter."""

    def __init__(
        self,
        entity: str,
        format: str,
        *parts: Segment | Literal,
        shards: Shards | None = None,
    ) -> None:
        self.entity = entity
        self.ordered = format == "ordered"
        self.escapes = format == "text"
        delimiter = "#" if format in ("text", "ordered") else format
        self.hash_separator = delimiter.encode()
        self.separator = b"\x00\x01" if self.ordered else self.hash_separator
        self.after = self.separator[:-1] + bytes([self.separator[-1] + 1])
        self.shards = shards
        self.parts = [self._part(part) for part in parts]
        self.segments = [part for part in parts if isinstance(part, Segment)]
        self.by_name = {segment.name: segment for segment in self.segments}

    def _part(self, part: Segment | Literal) -> _Part:
        if isinstance(part, Literal):
            raw = self._escaped(part.text.encode())
            return _Part(literal=raw, text=part.text)
        return _Part(segment=part, field=_field(part, self.ordered))

    def _escaped(self, raw: bytes) -> bytes:
        if self.ordered:
            return raw.replace(b"\x00", b"\x00\xff")
        if not self.escapes:
            return raw
        return _ESCAPED.sub(lambda found: b"$%02X" % found[0][0], raw)

    def _unescaped(self, raw: bytes) -> bytes | None:
        """None if escaping would not produce these bytes."""
        if not self.escapes or not _ESCAPED.search(raw):
            return raw
        pieces = re.fullmatch(rb"(?:[^\x00-\x24]|\$(?:[01][0-9A-F]|2[0-4]))*", raw)
        if pieces is None:
            return None
        return re.sub(rb"\$(..)", lambda found: bytes([int(found[1], 16)]), raw)

    # --- Writing

    def _write(self, part: _Part, value: Any) -> bytes:
        segment, field = part.segment, part.field
        if segment is None or field is None:
            return part.literal
        try:
            return self._written(segment, field, value)
        except _Refused as refused:
            raise refused.error("INVALID_KEY", self.entity, segment.property) from None

    def _written(self, segment: Segment, field: _Field, value: Any) -> bytes:
        if value is None and not segment.nullable:
            raise _Refused("nullValue")
        if value is None and not self.ordered:
            return b"~" if field.descending else b""
        raw = field.write(value)
        if not self.escapes and not self.ordered and self.separator in raw:
            raise _Refused(
                "delimiterInValue", delimiter=json.dumps(self.separator.decode())
            )
        escaped = self._escaped(raw)
        if segment.nullable and self.escapes and not escaped:
            return b"$"
        return escaped

    def encode(self, values: Mapping[str, Any], within: Scope | None = None) -> bytes:
        """The key of the values, by name in Python."""
        given = self._inside(values, within)
        parts: list[bytes] = []
        for part in self.parts:
            if part.segment is not None and part.segment.name not in given:
                self._fail("INVALID_KEY", "missing", part.segment.property)
            value = given[part.segment.name] if part.segment else None
            parts.append(self._write(part, value))
        if self.shards is not None:
            parts.insert(0, self._shard_text(self._shard(parts)))
        key = self._joined(parts)
        if not key:
            self._fail("INVALID_KEY", "emptyKey")
        if len(key) > MAX_KEY_BYTES:
            self._fail("INVALID_KEY", "keyTooLong", length=len(key))
        return key

    def _inside(
        self, values: Mapping[str, Any], within: Scope | None
    ) -> Mapping[str, Any]:
        """Adds the values of the scope; refuses other values for its segments."""
        if within is None:
            return values
        for index, (name, fixed) in enumerate(within.values.items()):
            if name not in values:
                continue
            before = dict(list(within.values.items())[:index])
            if not self._same(before, name, values[name], fixed):
                self._fail(
                    "OUTSIDE_SCOPE",
                    "outsideScope",
                    self.by_name[name].property,
                    name=name,
                    given=_text_of(values[name]),
                )
        return {**values, **within.values}

    def _same(self, before: Mapping[str, Any], name: str, a: Any, b: Any) -> bool:
        try:
            return self.ranges({**before, name: a}) == self.ranges({**before, name: b})
        except RowsmithError:
            return False

    def _joined(self, parts: Sequence[bytes]) -> bytes:
        if not self.ordered:
            return self.separator.join(parts)
        kept = list(parts)
        while kept and not kept[-1]:
            kept.pop()
        return self.separator.join(part or b"\0\0" for part in kept) or b"\0\0"

    def _shard(self, parts: Sequence[bytes]) -> int:
        assert self.shards is not None
        hashed = [
            raw
            for part, raw in zip(self.parts, parts)
            if part.segment is not None and part.segment.property in self.shards.by
        ]
        state = 0x811C9DC5
        for byte in self.hash_separator.join(hashed):
            state = (state ^ byte) * 0x01000193 & 0xFFFFFFFF
        return state % self.shards.count

    def _shard_text(self, shard: int) -> bytes:
        assert self.shards is not None
        return b"%0*d" % (len(str(self.shards.count - 1)), shard)

    # --- Reading

    def parse(self, key: bytes) -> dict[str, Any]:
        """The values of a key, by name in Python; FOREIGN_KEY if it has none."""
        values: dict[str, Any] = {}
        step = self._read(key, values)
        if step is not None:
            self._fail(
                "FOREIGN_KEY", "foreignKey", reason=self._foreign_reason(key, step)
            )
        return values

    def _read(self, key: bytes, values: dict[str, Any]) -> int | None:
        """None, or the index of the part that does not belong to the key."""
        count = len(self.parts)
        if not key or len(key) > MAX_KEY_BYTES:
            return count
        found: list[bytes] = []
        rest: bytes | None = key
        shard = b""
        if self.shards is not None:
            width = len(str(self.shards.count - 1))
            shard, body = key[:width], key[width:]
            if len(key) < width or not (
                body.startswith(self.separator) or (self.ordered and not body)
            ):
                return count
            rest = body[len(self.separator) :] if body else None
        elif self.ordered and key == b"\0\0":
            rest = None
        for index, part in enumerate(self.parts):
            step = self._split(rest, index == count - 1)
            if step is None:
                return index
            raw, rest = step
            if not self._read_part(part, raw, values):
                return index
            found.append(raw)
        if rest is not None:
            return count
        if self.shards is not None and shard != self._shard_text(self._shard(found)):
            return count
        return None

    def _split(
        self, rest: bytes | None, last: bool
    ) -> tuple[bytes, bytes | None] | None:
        """The escaped bytes of the next part, and what follows its separator."""
        if not self.ordered:
            if rest is None:
                return None
            raw, found, after = rest.partition(self.separator)
            if last == bool(found):
                return None
            return raw, after if found else None
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

    def _read_part(self, part: _Part, escaped: bytes, values: dict[str, Any]) -> bool:
        segment, field = part.segment, part.field
        if segment is None or field is None:
            return escaped == part.literal
        value = self._value(segment, field, escaped)
        values[segment.name] = value
        return value is not NOT_A_VALUE

    def _value(self, segment: Segment, field: _Field, escaped: bytes) -> Any:
        if self.escapes and segment.nullable:
            if not escaped:
                return NOT_A_VALUE if field.descending else None
            if escaped == b"$":
                return field.read(b"")
            if escaped == b"~" and field.descending:
                return None
        raw = escaped
        if self.ordered:
            raw = escaped.replace(b"\x00\xff", b"\x00")
        else:
            plain = self._unescaped(escaped)
            if plain is None:
                return NOT_A_VALUE
            raw = plain
        try:
            return field.read(raw)
        except _Refused as refused:
            raise refused.error("UNSUPPORTED", self.entity, segment.property) from None

    def _foreign_reason(self, key: bytes, step: int) -> str:
        if not key:
            return _problem("foreignEmpty")
        if len(key) > MAX_KEY_BYTES:
            return _problem("foreignLong", length=len(key))
        if step == len(self.parts):
            word = "foreignEnd" if self.shards is None else "foreignShard"
            return _problem(word)
        position = step + 1 if self.shards is None else step + 2
        part = self.parts[step]
        if part.segment is None:
            return _problem("foreignLiteral", position=position, text=part.text)
        return _problem(
            "foreignSegment",
            position=position,
            segment=part.segment.property,
            encoding=part.segment.encoding,
        )

    # --- Ranges

    def scope(self, values: Mapping[str, Any]) -> Scope:
        return Scope(self, values)

    def ranges(
        self, values: Mapping[str, Any], within: Scope | None = None
    ) -> list[KeyRange]:
        """The keys with these leading segments; the last may be a bound."""
        given = self._inside(
            {
                name: each
                for name, each in values.items()
                if not isinstance(each, _Bound)
            },
            within,
        )
        bounds = [
            (name, each) for name, each in values.items() if isinstance(each, _Bound)
        ]
        index = self._first_free(given, bounds)
        fixed = [
            self._write(part, given[part.segment.name] if part.segment else None)
            for part in self.parts[:index]
        ]
        bound = bounds[0][1] if bounds else None
        if self.shards is None:
            return self._ranges_under(fixed, index, bound)
        shards: Iterable[int] = range(self.shards.count)
        if all(s.name in given for s in self.segments if s.property in self.shards.by):
            shards = [self._shard(fixed)]
        return [
            each
            for shard in shards
            for each in self._ranges_under(
                [self._shard_text(shard), *fixed], index, bound
            )
        ]

    def _first_free(
        self, given: Mapping[str, Any], bounds: Sequence[tuple[str, Any]]
    ) -> int:
        """The index of the first part that is not fixed."""
        known = ", ".join(segment.name for segment in self.segments)
        for name in [*given, *(name for name, _ in bounds)]:
            if name not in self.by_name:
                self._fail(
                    "INVALID_QUERY", "unknownSegment", name, name=name, known=known
                )
        for segment in self.segments[: len(given)]:
            if segment.name not in given:
                self._fail(
                    "INVALID_QUERY",
                    "skippedSegment",
                    segment.property,
                    name=segment.name,
                )
        free = self.segments[len(given)] if len(given) < len(self.segments) else None
        for name, _ in bounds:
            if free is None or name != free.name:
                fix = WORDS["removeBound"][1]
                if free is not None:
                    fix = _filled(
                        WORDS["misplacedBound"][1], {"next": free.name, "name": name}
                    )
                raise RowsmithError(
                    "INVALID_QUERY",
                    _problem("misplacedBound", name=name),
                    fix,
                    entity=self.entity,
                    property=self.by_name[name].property,
                )
        # Without a bound, the literals before the next segment are part of the prefix.
        for index, part in enumerate(self.parts):
            if part.segment is not None and part.segment.name not in given:
                return index
        return len(self.parts)

    def _under(self, prefix: Sequence[bytes]) -> _Prefix:
        if not prefix:
            return _Prefix(None, b"", b"", None)
        if not self.ordered:
            joined = self.separator.join(prefix)
            base = joined + self.separator
            return _Prefix(None, base, base, joined + self.after)
        joined = self.separator.join(part or b"\0\0" for part in prefix)
        base = joined + self.separator
        alone = self._joined(prefix)
        if prefix[-1]:
            return _Prefix(None, alone, base, joined + self.after)
        return _Prefix(alone, base, base, joined + self.after)

    def _ranges_under(
        self, fixed: Sequence[bytes], index: int, bound: Any
    ) -> list[KeyRange]:
        if index == len(self.parts):
            key = self._joined(fixed)
            if not key or len(key) > MAX_KEY_BYTES:
                self._fail("INVALID_KEY", "keyLength", length=len(key))
            return [KeyRange(key, key + b"\0")]
        prefix = self._under(fixed)
        if bound is None:
            return _up_to(prefix, prefix.end)
        part = self.parts[index]
        assert part.segment is not None and part.field is not None
        last = index == len(self.parts) - 1
        if isinstance(bound, Between):
            return _union(self._between(part, prefix, last, bound))
        if isinstance(bound, StartsWith):
            return _union(self._starts_with(part, prefix, last, bound.text))
        return _union(self._subdomains(part, prefix, last, bound.domain))

    def _between(
        self, part: _Part, prefix: _Prefix, last: bool, bound: Between[Any]
    ) -> list[KeyRange]:
        segment, field = part.segment, part.field
        assert segment is not None and field is not None
        if segment.unordered is not None:
            self._fail(
                "INVALID_QUERY", "unordered", segment.property, reason=segment.unordered
            )
        low = self._end(part, "from", bound.low)
        high = self._end(part, "to", bound.high)
        if field.descending:
            low, high = high, low
        if high is not None and not high[0] and not high[1]:
            return []
        end = prefix.end
        if high is not None:
            end = self._bound_key(prefix, high[0], high[1], last)
        if low is None or (not low[0] and low[1]):
            return _up_to(prefix, end)
        return [KeyRange(self._bound_key(prefix, low[0], not low[1], last), end)]

    def _end(
        self, part: _Part, end: str, given: _End[Any] | None
    ) -> tuple[bytes, bool] | None:
        if given is None:
            return None
        assert part.segment is not None and part.field is not None
        try:
            value, inclusive = part.field.bound(end, given.value, given.inclusive)
        except _Refused:
            # The write of the value says what is wrong.
            value, inclusive = given.value, given.inclusive
        return self._write(part, value), inclusive

    def _bound_key(self, prefix: _Prefix, raw: bytes, after: bool, last: bool) -> bytes:
        value = prefix.base + (raw or (b"\0\0" if self.ordered else b""))
        if not after:
            return value
        return value + (b"\0" if last and not self.ordered else self.after)

    def _starts_with(
        self, part: _Part, prefix: _Prefix, last: bool, text: Any
    ) -> list[KeyRange]:
        segment, field = part.segment, part.field
        assert segment is not None and field is not None
        if not field.starts_with:
            self._fail("INVALID_QUERY", "notAscendingString", segment.property)
        forms = [text]
        if field.lower and isinstance(text, str):
            # A capital sigma at the end of a word has another lower case.
            forms = sorted({text.lower(), f"{text}a".lower()[:-1]})
        found: list[KeyRange] = []
        for form in forms:
            value = self._write(part, form)
            if form == "" and segment.nullable:
                found += self._between(part, prefix, last, more_than(None))
            elif form == "":
                found += _up_to(prefix, prefix.end)
            else:
                inner = field.inner if isinstance(field, _OrderedNull) else field
                common = prefix.base + self._escaped(inner.write(form))
                found.append(KeyRange(prefix.base + value, _next_prefix(common)))
        return found

    def _subdomains(
        self, part: _Part, prefix: _Prefix, last: bool, domain: Any
    ) -> list[KeyRange]:
        segment, field = part.segment, part.field
        assert segment is not None and field is not None
        if not field.subdomains:
            self._fail("INVALID_QUERY", "notADomainSegment", segment.property)
        value = prefix.base + self._write(part, domain)
        first = value
        if not self.ordered and not last:
            first += self.separator
        after = b"\0" if last and not self.ordered else self.after
        dot = value + b"."
        return [KeyRange(first, value + after), KeyRange(dot, _next_prefix(dot))]


def _up_to(prefix: _Prefix, end: bytes | None) -> list[KeyRange]:
    rest = KeyRange(prefix.start, end)
    if prefix.alone is None:
        return [rest]
    return [KeyRange(prefix.alone, prefix.alone + b"\0"), rest]
