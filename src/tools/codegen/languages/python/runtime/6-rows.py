@dataclass(frozen=True)
class Version(Generic[T]):
    """A stored version of a column, with the timestamp of its cell."""

    at: datetime
    value: T


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column, as the entity declares it; `kind` is how its cells are read."""

    property: str
    name: str
    family: str
    codec: Codec
    qualifier: bytes = b""
    kind: str = "column"  #if versions counter map
    also_reads: tuple[bytes, ...] = ()  #if alsoReads
    default: Any = None  #if defaults
    required: bool = False  #if required
    aggregate: bool = False  #if aggregates
    qualifiers: Qualifiers | None = None  #if map
    rules: Rules | None = None  #if columnRules


@dataclass(frozen=True)
class Expiry:
    """The property with the time at which a row expires, and the age of its cells."""

    name: str
    age_micros: int


class AnyCell(Protocol):
    """A cell of either client."""

    value: Any
    timestamp_micros: Any


class AnyRow(Protocol):
    """A row of the data client, or PartialRowData."""

    @property
    def row_key(self) -> Any: ...

    @property
    def cells(self) -> Any: ...


Cells = dict[tuple[str, bytes], list[AnyCell]]


def _cells_of(row: AnyRow) -> Cells:
    """The cells by family and qualifier, newest first."""
    found: Cells = {}
    if isinstance(row.cells, Mapping):
        for family, columns in row.cells.items():
            for qualifier, cells in columns.items():
                found[family, qualifier] = list(cells)
    else:
        for cell in row.cells:
            found.setdefault((cell.family, cell.qualifier), []).append(cell)
    return found


class Entity(_Refusing):
    """Reads and writes the rows of an entity."""

    #if !marker+!cellTime+!expiry+!maxAges+!exists
    def __init__(self, key: Key, columns: Sequence[Column]) -> None:
    #end
    #if marker cellTime expiry maxAges exists
    def __init__(
        self,
        key: Key,
        columns: Sequence[Column],
        *,
        marker: tuple[str, bytes] | None = None,  #if marker
        cell_time: str | None = None,  #if cellTime
        expiry: Expiry | None = None,  #if expiry
        max_ages: Mapping[str, tuple[int, str]] = {},  #if maxAges
        exists: tuple[str, bytes] | None = None,  #if exists
    ) -> None:
    #end
        self.key = key
        self.entity = key.entity
        self.columns = columns
        self.cell_time = cell_time  #if cellTime
        self.expiry = expiry  #if expiry
        # Microseconds after which garbage collection removes cells, and the rule as text.  #if maxAges
        self.max_ages = max_ages  #if maxAges
        # Rows of indexes exist by one cell.  #if exists
        self.exists = exists  #if exists
        self.families = {column.family for column in columns}
        self.marker = marker  #if marker
        #if marker
        if marker is not None:
            self.families.add(marker[0])
        #end

    def read(self, row: AnyRow) -> dict[str, Any] | None:
        """The values by name in Python; None if the row does not exist."""
        values = self.key.parse(row.row_key)
        cells = _cells_of(row)
        #if exists
        if self.exists is not None and self.exists not in cells:
            return None
        #end
        if not any(family in self.families for family, _ in cells):
            return None
        for column in self.columns:
            values[column.name] = self._read_column(column, cells)
        #if required
        required = [column for column in self.columns if column.required]
        missing = [each.property for each in required if values[each.name] is None]
        if missing:
            names = ", ".join(f"'{name}'" for name in missing)
            verb = "is" if len(missing) == 1 else "are"
            first = missing[0]
            self._fail("INCOMPLETE_ROW", "incompleteRow", first, names=names, verb=verb)
        #end
        return values

    def _read_column(self, column: Column, cells: Cells) -> Any:
        try:
            #if map
            if column.kind == "map":
                return self._read_map(column, cells)
            #end
            stored = cells.get((column.family, column.qualifier))
            #if versions
            if column.kind == "versions":
                return [
                    Version(_cell_time(cell), column.codec.decode(cell.value))
                    for cell in stored or ()
                ]
            #end
            #if alsoReads
            for qualifier in column.also_reads:
                stored = stored or cells.get((column.family, qualifier))
            #end
            #if defaults
            if not stored:
                return column.default
            #end
            #if oneOf
            if stored and column.rules is not None:
                value = column.codec.decode(stored[0].value)
                members = column.rules.one_of
                if members is not None and value not in members:
                    given, shown = _text_of(value), _members_text(members)
                    raise _Refused("notOneOf", given=given, members=shown)
                return value
            #end
            return column.codec.decode(stored[0].value) if stored else None
        except _Refused as refused:
            raise refused.error("DAMAGED_CELL", self.entity, column.property) from None

    #if map
    def _read_map(self, column: Column, cells: Cells) -> dict[Any, Any]:
        assert column.qualifiers is not None
        return {
            column.qualifiers.decode(qualifier): column.codec.decode(stored[0].value)
            for (family, qualifier), stored in cells.items()
            if family == column.family
        }

    #end
    #if required rules
    def check(self, values: Mapping[str, Any]) -> None:
        """Refuses values that break the rules of the declaration."""
        issues: list[tuple[str, str]] = []
        #if keyRules
        for segment in self.key.segments:
            value = values.get(segment.name)
            if segment.rules is not None and value is not None:
                #if normalize lower
                if isinstance(value, str):
                    normalize, lower = segment.normalize, segment.lower
                    value = _Text(None, normalize, lower).canonical(value)
                #end
                found = segment.rules.issues(value)
                issues += [(segment.property, issue) for issue in found]
        #end
        #if required columnRules
        for column in self.columns:
            value = values.get(column.name)
            #if required
            if value is None and column.required:
                issues.append((column.property, _problem("required")))
            #end
            #if columnRules
            if value is not None and column.rules is not None:
                found = column.rules.issues(value)
                issues += [(column.property, issue) for issue in found]
            #end
        #end
        if issues:
            self._refuse_all("VALIDATION_FAILED", issues, _fix("brokenRules"))

    #end
    def _refuse_all(
        self, code: str, issues: Sequence[tuple[str, str]], fix: str
    ) -> NoReturn:
        text = "; ".join(f"{name}: {issue}" for name, issue in issues[:10])
        if len(issues) > 10:
            text += f"; and {len(issues) - 10} more"
        raise RowsmithError(code, text, fix, self.entity, issues[0][0])

    def mutations(
        self, values: Mapping[str, Any], now: datetime | None, replace: bool
    ) -> list[Mutation]:
        """The whole row: with `replace`, columns without a value are deleted."""
        self.check(values)  #if required rules
        self.key.encode(values)
        at = _now_micros(now)  #if !cellTime+!expiry
        at = self._cell_micros(values, now)  #if cellTime expiry
        found: list[Mutation] = []
        defaults: list[Column] = []  #if defaults
        refused: list[tuple[Column, _Refused]] = []
        for column in self.columns:
            #if counter
            if column.kind == "counter":
                continue
            #end
            #if map+aggregates
            if column.kind == "map" and column.aggregate:
                continue
            #end
            value = values.get(column.name)
            try:
                #if defaults
                if value is not None and self._is_default(column, value):
                    defaults.append(column)
                    value = None
                #end
                if value is not None:
                    found += self._written(column, value, at, replace)
                elif replace:
                    found += self._deleted(column, at)
            except _Refused as error:
                refused.append((column, error))
        if len(refused) == 1:
            column, only = refused[0]
            raise only.error("INVALID_VALUE", self.entity, column.property)
        if refused:
            issues = [(column.property + e.path, e.problem) for column, e in refused]
            self._refuse_all("INVALID_VALUE", issues, _fix("wrongValues"))
        #if marker
        if self.marker is not None:
            found += self._mark(at)
        #end
        #if defaults
        if not any(isinstance(each, SetCell) for each in found):
            # A row has a cell. It is the only reason to store a default.
            for column in defaults:
                found += self._written(column, values[column.name], at, replace)
        #end
        if not any(isinstance(each, SetCell) for each in found):
            self._fail("EMPTY_ROW", "emptyRow")
        #if maxAges
        if not replace:
            self._refuse_expired(found, now)
        #end
        return found

    #if defaults
    def _is_default(self, column: Column, value: Any) -> bool:
        if column.default is None:
            return False
        try:
            return column.codec.encode(value) == column.codec.encode(column.default)
        except _Refused:
            return False

    #end
    def _written(
        self, column: Column, value: Any, at: int, replace: bool
    ) -> list[Mutation]:
        #if map
        if column.kind == "map":
            return self._written_map(column, value, at, replace)
        #end
        #if versions
        if column.kind == "versions":
            return self._written_versions(column, value, replace)
        #end
        #if expiry alsoReads
        cell = SetCell(column.family, column.qualifier, column.codec.encode(value), at)
        #end
        #if expiry
        if self.expiry is not None:
            return [*self._deleted(column, at), cell]
        #end
        #if alsoReads
        earlier = column.also_reads if replace else ()
        return [cell, *(_delete(column.family, each, at) for each in earlier)]
        #end
        return [cell]  #if expiry+!alsoReads
        raw = column.codec.encode(value)  #if !expiry+!alsoReads
        return [SetCell(column.family, column.qualifier, raw, at)]  #if !expiry+!alsoReads

    #if map
    def _written_map(
        self, column: Column, value: Any, at: int, replace: bool
    ) -> list[Mutation]:
        if not isinstance(value, Mapping):
            raise _Refused("notAMap", given=_text_of(value))
        assert column.qualifiers is not None
        found: list[Mutation] = []
        if replace:
            found.append(DeleteAllFromFamily(column.family))
        for key, entry in value.items():
            qualifier = column.qualifiers.encode(key)
            if entry is None:
                if not replace:
                    found.append(_delete(column.family, qualifier, at))
                continue
            raw = _encoded_at(column.codec, entry, _index_path(key))
            found.append(SetCell(column.family, qualifier, raw, at))
        return found

    #end
    #if versions
    def _written_versions(
        self, column: Column, value: Any, replace: bool
    ) -> list[Mutation]:
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise _Refused("notVersions", given=_text_of(value))
        found: list[Mutation] = []
        if replace:
            found.append(DeleteRangeFromColumn(column.family, column.qualifier))
        times: set[int] = set()
        for index, version in enumerate(value):
            path = f"[{index}]"
            if not isinstance(version, Version):
                raise _Refused("notAVersion", path, given=_text_of(version))
            ms = _millis(version.at)
            if ms < 0:
                raise _Refused("notAVersion", path, given=_text_of(version))
            if ms in times:
                raise _Refused("duplicateVersion", path, at=version.at.isoformat())
            times.add(ms)
            raw = _encoded_at(column.codec, version.value, f"{path}.value")
            found.append(SetCell(column.family, column.qualifier, raw, ms * 1000))
        return found

    #end
    def _deleted(self, column: Column, at: int) -> list[Mutation]:
        #if map
        if column.kind == "map":
            return [DeleteAllFromFamily(column.family)]
        #end
        qualifiers = (column.qualifier, *column.also_reads)  #if alsoReads
        qualifiers = (column.qualifier,)  #if !alsoReads
        #if versions
        if column.kind == "versions":
            return [DeleteRangeFromColumn(column.family, each) for each in qualifiers]
        #end
        #if expiry
        if self.expiry is not None:
            return [DeleteRangeFromColumn(column.family, each) for each in qualifiers]
        #end
        return [_delete(column.family, each, at) for each in qualifiers]

    #if marker
    def _mark(self, at: int) -> list[Mutation]:
        assert self.marker is not None
        mark: list[Mutation] = [SetCell(*self.marker, b"", at)]
        #if expiry
        if self.expiry is not None:
            mark.insert(0, DeleteRangeFromColumn(*self.marker))
        #end
        return mark

    #end
    #if cellTime expiry
    def _cell_micros(self, values: Mapping[str, Any], now: datetime | None) -> int:
        """The timestamp of the cells: what a property says, else now."""
        #if expiry
        if self.expiry is not None:
            return self._expiring_micros(self.expiry, values.get(self.expiry.name))
        #end
        #if cellTime
        if self.cell_time is not None:
            try:
                ms = _millis(values.get(self.cell_time))
            except _Refused:
                ms = -1
            if ms < 0:
                name = self._property(self.cell_time)
                self._fail("INVALID_VALUE", "wrongCellTime", name, name=self.cell_time)
            return ms * 1000
        #end
        return _now_micros(now)

    #if expiry
    def _expiring_micros(self, expiry: Expiry, value: Any) -> int:
        try:
            micros = _millis(value) * 1000 - expiry.age_micros
        except _Refused:
            micros = -1
        if micros < 0:
            given = (
                value.isoformat() if isinstance(value, datetime) else _text_of(value)
            )
            first = _datetime(expiry.age_micros // 1000).isoformat()
            name = self._property(expiry.name)
            self._fail("INVALID_VALUE", "wrongExpiry", name, given=given, first=first)
        return micros

    #end
    def _property(self, name: str) -> str:
        known: Iterable[Segment | Column] = [*self.key.segments, *self.columns]
        return next(each.property for each in known if each.name == name)

    #end
    #if maxAges
    def _refuse_expired(
        self, mutations: Sequence[Mutation], now: datetime | None
    ) -> None:
        """Refuses a new row that garbage collection would hide at once."""
        current = _now_micros(now)
        ages: list[tuple[int, str]] = []
        for each in mutations:
            if isinstance(each, SetCell):
                age = current - each.timestamp_micros
                limit = self.max_ages.get(each.family)
                if limit is None or age <= limit[0]:
                    return
                ages.append((age, each.family))
        if ages:
            age, family = min(ages)
            self._fail(
                "INVALID_VALUE",
                "expiredRow",
                family=family,
                rule=self.max_ages[family][1],
                at=_datetime((current - age) // 1000).isoformat(),
            )

    #end
    def increments(self, amounts: Mapping[str, int | None]) -> list[IncrementRule]:
        """Rules for read_modify_write_row, by the names of counters."""
        return [
            IncrementRule(column.family, column.qualifier, self._amount(column, amount))
            for column, amount in self._amounts(amounts)
        ]

    def additions(
        self,
        amounts: Mapping[str, int | Mapping[Any, int] | None],
        now: datetime | None = None,
    ) -> list[Mutation]:
        """Additions to counters of aggregate families, and to entries of their maps."""
        found: list[Mutation] = []
        for column, amount in self._amounts(amounts):
            #if map
            if column.qualifiers is not None:
                for key, each in amount.items():
                    qualifier = column.qualifiers.encode(key)
                    each = self._amount(column, each, _index_path(key))
                    found.append(AddToCell(column.family, qualifier, each, 0))
                continue
            #end
            amount = self._amount(column, amount)
            found.append(AddToCell(column.family, column.qualifier, amount, 0))
        #if marker
        if found and self.marker is not None:
            found += self._mark(_now_micros(now))
        #end
        return found

    def _amounts(self, amounts: Mapping[str, Any]) -> Iterator[tuple[Column, Any]]:
        for column in self.columns:
            if amounts.get(column.name) is not None:
                yield column, amounts[column.name]

    def _amount(self, column: Column, amount: Any, path: str = "") -> int:
        if type(amount) is int and INT64_MIN <= amount <= INT64_MAX:
            return amount
        name = column.property + path
        self._fail("INVALID_ARGUMENT", "notAnInt64", name)


def _now_micros(now: datetime | None) -> int:
    ms = time.time_ns() // 1_000_000 if now is None else _millis(now)
    return ms * 1000


def _cell_time(cell: AnyCell) -> datetime:
    return _datetime(int(cell.timestamp_micros) // 1000)


def _delete(family: str, qualifier: bytes, at: int) -> Mutation:
    # Newer cells are left, as their values would be.
    return DeleteRangeFromColumn(family, qualifier, None, at + 1000)


def _encoded_at(codec: Codec, value: Any, path: str) -> bytes:
    try:
        return codec.encode(value)
    except _Refused as refused:
        refused.path = path + refused.path
        raise


def scaled(value: int | None, decimals: int) -> Any:
    """A number of a rollup: an integer, divided by a power of ten."""
    return None if value is None else value / 10**decimals


def single(value: int | None, decimals: int) -> Any:
    """The same for numbers of 32 bits."""
    number = scaled(value, decimals)
    return number and struct.unpack(">f", struct.pack(">f", number))[0]


def decimal_of(value: int | None, decimals: int) -> Any:
    return None if value is None else _Decimals(decimals).from_integer(value)


def time_of(value: int | None, entity: str, property: str) -> datetime | None:
    try:
        return None if value is None else _datetime(value)
    except _Refused as refused:
        raise refused.error("UNSUPPORTED", entity, property) from None


def mean(total: int | None, count: int | None, decimals: int) -> float | None:
    """Rounded as in TypeScript."""
    if not count:
        return None
    total = total or 0
    divisor = count * int(10**decimals)
    if abs(total) <= MAX_SAFE and divisor <= MAX_SAFE:
        return total / divisor
    whole, rest = divmod(abs(total), divisor)
    number = float(whole) + float(rest) / float(divisor)
    return number if total >= 0 else -number


def refuse_writer(entity: str, reason: str) -> NoReturn:
    """Refuses to write rows that other rows follow from, or code of TypeScript checks."""
    raise _Refused("unwritable", reason=reason).error("UNSUPPORTED", entity, None)
