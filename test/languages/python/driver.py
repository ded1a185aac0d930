"""Runs generated modules: a line of JSON for each request, and one for each answer."""

import importlib
import json
import struct
import sys
import uuid
import warnings
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal

from google.cloud.bigtable.row_set import RowSet
from google.protobuf import descriptor_pool, message_factory

sys.path.insert(0, sys.argv[1])
rt = importlib.import_module("rowsmith_rows.runtime")
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def value_of(json_value):
    """A value from its tagged form."""
    if isinstance(json_value, list):
        return [value_of(each) for each in json_value]
    if not isinstance(json_value, dict):
        return json_value
    tag, content = next(iter(json_value.items()))
    return READERS[tag](content)


def bound_of(content):
    ends = [
        None if end is None else rt._End(value_of(end[0]), end[1]) for end in content
    ]
    return rt.Between(*ends)


def message_of(content):
    """A message by its full name; the module of its entity has imported it."""
    name, raw = content
    descriptor = descriptor_pool.Default().FindMessageTypeByName(name)
    return message_factory.GetMessageClass(descriptor).FromString(bytes.fromhex(raw))


READERS = {
    "$int": int,
    "$float": lambda content: struct.unpack(">d", bytes.fromhex(content))[0],
    "$time": lambda ms: EPOCH + timedelta(milliseconds=ms),
    "$naive": lambda ms: datetime(1970, 1, 1) + timedelta(milliseconds=ms),
    "$east": lambda ms: (EPOCH + timedelta(milliseconds=ms + 5 * 3_600_000)).replace(
        tzinfo=timezone(timedelta(hours=5))
    ),
    "$micros": lambda micros: EPOCH + timedelta(microseconds=micros),
    "$bytes": bytes.fromhex,
    "$decimal": Decimal,
    "$date": date.fromisoformat,
    "$map": lambda pairs: {value_of(key): value_of(each) for key, each in pairs},
    "$version": lambda pair: rt.Version(value_of(pair[0]), value_of(pair[1])),
    "$message": message_of,
    "$json": lambda content: content,
    "$between": bound_of,
    "$startsWith": lambda text: rt.StartsWith(value_of(text)),
    "$subdomains": lambda text: rt.Subdomains(value_of(text)),
}


def json_of(value):
    """The tagged form of a value."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return {"$int": str(value)}
    if isinstance(value, float):
        return {"$float": struct.pack(">d", value).hex()}
    if isinstance(value, datetime):
        return {"$time": (value - EPOCH) // timedelta(milliseconds=1)}
    if isinstance(value, date):
        return {"$date": value.isoformat()}
    if isinstance(value, Decimal):
        return {"$decimal": str(value)}
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, bytes):
        return {"$bytes": value.hex()}
    if hasattr(rt, "Version") and isinstance(value, rt.Version):
        return {"$version": [json_of(value.at), json_of(value.value)]}
    if isinstance(value, dict):
        return {"$map": [[json_of(key), json_of(each)] for key, each in value.items()]}
    if isinstance(value, list):
        return [json_of(each) for each in value]
    return {"$message": value.SerializeToString(deterministic=True).hex()}


def fields_of(content):
    return {name: value_of(each) for name, each in content.items()}


class Cell:
    """A cell as the data client has it."""

    def __init__(self, family, qualifier, value, micros):
        self.family = family
        self.qualifier = bytes.fromhex(qualifier)
        self.value = bytes.fromhex(value)
        self.timestamp_micros = micros


class Row:
    def __init__(self, key, cells):
        self.row_key = bytes.fromhex(key)
        self.cells = [Cell(*cell) for cell in cells]


class PartialRow(Row):
    """The same cells as the older client has them."""

    def __init__(self, key, cells):
        super().__init__(key, cells)
        flat, self.cells = self.cells, {}
        for cell in flat:
            columns = self.cells.setdefault(cell.family, {})
            columns.setdefault(cell.qualifier, []).append(cell)


def scope_of(module, request):
    """Only keys of several segments have scopes."""
    content = request.get("within")
    return {} if content is None else {"within": module._KEY.scope(fields_of(content))}


def encode(module, request):
    return module.key_of(**fields_of(request["values"]), **scope_of(module, request)).hex()


def parse(module, request):
    parsed = vars(module.parse_key(bytes.fromhex(request["key"])))
    return {name: json_of(each) for name, each in parsed.items()}


def ranges(module, request):
    found = module.ranges(**fields_of(request["values"]), **scope_of(module, request))
    return [[each.start.hex(), each.end and each.end.hex()] for each in found]


def read(module, request):
    rows = [kind(request["key"], request["cells"]) for kind in (Row, PartialRow)]
    found = [module.from_row(row) for row in rows]
    shown = [each and {n: json_of(v) for n, v in vars(each).items()} for each in found]
    assert shown[0] == shown[1], "both clients give the same row"
    return shown[0]


def write(module, request):
    row_class = getattr(module, request["class"])
    row = row_class(**fields_of(request["values"]))
    now = EPOCH + timedelta(milliseconds=request["now"])
    mutations = module.to_mutations(row, now=now, replace=request["replace"])
    return [cell_of(each._to_dict()) for each in mutations]


def cell_of(mutation):
    """Family, qualifier, value and microseconds of a cell that is set; else the mutation."""
    cell = mutation.get("set_cell")
    if cell is None:
        return mutation_of(mutation)
    qualifier, value = cell["column_qualifier"].hex(), cell["value"].hex()
    return [cell["family_name"], qualifier, value, cell["timestamp_micros"]]


def mutation_of(value):
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {name: mutation_of(each) for name, each in value.items()}
    return value


def add(module, request):
    name = request["function"]
    found = getattr(module, name)(**fields_of(request["values"]))
    return [mutation_of(each._to_dict()) for each in found]


def row_key(module, request):
    entry = module.from_row(Row(request["key"], request["cells"]))
    return module.row_key_of(entry).hex()


def tables():
    """The table of each client; imported only where a server is there."""
    from google.cloud import bigtable
    from google.cloud.bigtable import data

    warnings.filterwarnings("ignore", category=RuntimeWarning)
    client = data.BigtableDataClient(project="p")
    older = bigtable.Client(project="p").instance("instance-1")
    return lambda name: (client.get_table("instance-1", name), older.table(name))


CLIENTS = []


def table_of(request):
    if not CLIENTS:
        CLIENTS.append(tables())
    return CLIENTS[0](request["table"])


def store(module, request):
    table, _ = table_of(request)
    row = getattr(module, request["class"])(**fields_of(request["values"]))
    mutations = module.to_mutations(row, replace=request.get("replace", True))
    table.mutate_row(module.key_of_row(row), mutations)


def count(module, request):
    table, _ = table_of(request)
    key = module.key_of(**fields_of(request["key"]))
    for mutation in request.get("additions", []):
        table.mutate_row(key, module.additions(**fields_of(mutation)))
    for rule in request.get("increments", []):
        table.read_modify_write_row(key, module.increments(**fields_of(rule)))


def fetch(module, request):
    """The rows of a range as each of the clients reads them."""
    table, older = table_of(request)
    ranges = module.ranges(**fields_of(request["values"]))
    rows = table.read_rows(rt.query(ranges))
    row_set = RowSet()
    for each in ranges:
        row_set.add_row_range_from_keys(each.start, each.end)
    partial = list(older.read_rows(row_set=row_set))
    found = [[module.from_row(row) for row in all_rows] for all_rows in (rows, partial)]
    shown = [[vars(row) for row in each if row is not None] for each in found]
    json_rows = [
        [{n: json_of(v) for n, v in row.items()} for row in each] for each in shown
    ]
    assert json_rows[0] == json_rows[1], "both clients give the same rows"
    if hasattr(module, "row_key_of"):
        for row, json_row in zip(found[0], json_rows[0]):
            json_row["row"] = module.row_key_of(row).hex()
    return json_rows[0]


OPERATIONS = {
    each.__name__: each
    for each in (encode, parse, ranges, read, write, add, row_key, store, count, fetch)
}


def answer(request):
    module = importlib.import_module(f"rowsmith_rows.{request['module']}")
    try:
        return {"ok": OPERATIONS[request["op"]](module, request)}
    except rt.RowsmithError as error:
        names = ("code", "property", "problem", "fix")
        return {"error": {name: getattr(error, name) for name in names}}
    except Exception as error:
        return {"failure": f"{type(error).__name__}: {error}"}


for line in sys.stdin:
    answers = [answer(request) for request in json.loads(line)]
    print(json.dumps(answers), flush=True)
