/**
 * A slow engine that is obviously correct: a sorted array of rows, each a sorted array of plain
 * cells. It shares no code with the engines that are compared with it. Byte strings are hexadecimal
 * text: its string order is the byte order.
 */
import { RowsmithError } from '../../src/base/index.js';
import type {
  Aggregate,
  Cell,
  CheckAndMutate,
  Compaction,
  DropTarget,
  Engine,
  FamilyChange,
  FamilySchema,
  Filter,
  GcRule,
  Mutation,
  ReadModifyWriteRule,
  ReadOptions,
  ReadPlan,
  Row,
  RowCursor,
  RowMutation,
  RowStream,
  SampledKey,
  TableSchema,
  TableUpdate,
} from '../../src/data/store/index.js';

interface PlainCell {
  family: string;
  qualifier: string;
  timestamp: bigint;
  value: string;
  labels?: string[];
}
interface PlainRow {
  key: string;
  cells: PlainCell[];
}
interface PlainTable {
  name: string;
  families: Map<string, FamilySchema>;
  /** The families in the order of their creation. */
  order: string[];
  splitKeys?: readonly Uint8Array[];
  granularity?: 'micros';
  deletionProtection?: boolean;
  rows: PlainRow[];
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'));
function compare<T>(a: T, b: T): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
const copy = (cells: readonly PlainCell[]): PlainCell[] => cells.map((cell) => ({ ...cell }));
const invalid = (problem: string) => new RowsmithError('INVALID_ARGUMENT', { problem });
const tooLarge = (problem: string) => new RowsmithError('LIMIT_EXCEEDED', { problem });

export class ReferenceEngine implements Engine {
  readonly name = 'reference:';
  readonly #tables = new Map<string, PlainTable>();
  #closed = false;

  readonly #options: {
    clock?: () => number;
    gc?: 'onRead' | 'lazy' | 'manual';
    random?: () => number;
  };

  constructor(
    options: {
      clock?: () => number;
      gc?: 'onRead' | 'lazy' | 'manual';
      random?: () => number;
    } = {},
  ) {
    this.#options = options;
  }

  readonly #random = (): number => (this.#options.random ?? Math.random)();

  readRows(plan: ReadPlan, options: ReadOptions = {}): RowStream {
    let rows: Row[] | undefined;
    let done = false;
    return {
      next: async () => {
        options.signal?.throwIfAborted();
        if (done) return undefined;
        rows ??= this.#read(plan);
        if (options.pageRows !== undefined && !(options.pageRows >= 1)) throw invalid('pageRows');
        if (rows.length === 0) return undefined;
        return new PlainCursor(rows.splice(0, options.pageRows ?? 256));
      },
      close: async () => void (done = true),
    };
  }

  async mutateRow(name: string, row: RowMutation): Promise<void> {
    this.#mutate(this.#table(name), row);
  }

  async mutateRows(
    name: string,
    rows: readonly RowMutation[],
  ): Promise<readonly (RowsmithError | undefined)[]> {
    const table = this.#table(name);
    if (rows.map((row) => row.mutations.length).reduce((a, b) => a + b, 0) > 100_000)
      throw tooLarge('mutations');
    return rows.map((row) => {
      try {
        this.#mutate(table, row);
        return undefined;
      } catch (error) {
        return error as RowsmithError;
      }
    });
  }

  async checkAndMutateRow(
    name: string,
    { key, predicate, onTrue = [], onFalse = [] }: CheckAndMutate,
  ): Promise<boolean> {
    const table = this.#table(name);
    if (onTrue.length + onFalse.length === 0) throw invalid('no mutations');
    checkKey(key);
    for (const mutation of [...onTrue, ...onFalse]) checkMutation(mutation, table);
    const cells = this.#visible(table, table.rows.find((row) => row.key === hex(key))?.cells ?? []);
    const matched =
      (predicate === undefined ? cells : filterRow(table, predicate, cells, hex(key), this.#random))
        .length > 0;
    const branch = matched ? onTrue : onFalse;
    for (const mutation of matched ? onFalse : onTrue) applyOne(table, [], mutation, 0n);
    if (branch.length > 0) this.#mutate(table, { key, mutations: branch });
    return matched;
  }

  async readModifyWriteRow(
    name: string,
    key: Uint8Array,
    rules: readonly ReadModifyWriteRule[],
  ): Promise<Row> {
    const table = this.#table(name);
    checkKey(key);
    if (rules.length === 0) throw invalid('no rules');
    let cells = this.#visible(table, table.rows.find((row) => row.key === hex(key))?.cells ?? []);
    const changed: PlainCell[] = [];
    for (const rule of rules) {
      if (family(table, rule.family).aggregate !== undefined) throw invalid('aggregate family');
      if (rule.qualifier.length > 16_384) throw tooLarge('qualifier');
      const qualifier = hex(rule.qualifier);
      const before = cells.find(
        (cell) => cell.family === rule.family && cell.qualifier === qualifier,
      );
      let value: string;
      if (rule.kind === 'append') value = (before?.value ?? '') + hex(rule.value);
      else {
        if (before !== undefined && before.value.length !== 16)
          throw new RowsmithError('FAILED_PRECONDITION');
        value = int64(
          (before === undefined ? 0n : BigInt.asIntN(64, BigInt(`0x${before.value}`))) +
            rule.amount,
        );
      }
      const now = BigInt(this.#now()) * 1000n;
      const cell = {
        family: rule.family,
        qualifier,
        timestamp: before !== undefined && before.timestamp > now ? before.timestamp : now,
        value,
      };
      cells = setCell(table, cells, cell);
      const replaced = changed.findIndex((earlier) => sameColumn(earlier, cell));
      if (replaced >= 0) changed.splice(replaced, 1);
      changed.push(cell);
    }
    this.#put(table, hex(key), cells);
    return toRow({ key: hex(key), cells: sortCells(changed, table) });
  }

  async sampleRowKeys(name: string): Promise<readonly SampledKey[]> {
    const table = this.#table(name);
    const bytesBefore = (end?: string): number =>
      table.rows
        .filter(({ key }) => end === undefined || key < end)
        .flatMap(({ key, cells }) =>
          this.#visible(table, cells).map(
            ({ qualifier, value }) => (key.length + qualifier.length + value.length) / 2,
          ),
        )
        .reduce((sum, size) => sum + size, 0);
    const splits = [...new Set((table.splitKeys ?? []).map(hex))].filter((key) => key !== '');
    return [
      ...splits.sort().map((key) => ({
        key: new Uint8Array(Buffer.from(key, 'hex')),
        offsetBytes: bytesBefore(key),
      })),
      { key: new Uint8Array(0), offsetBytes: bytesBefore() },
    ];
  }

  async dropRowRange(name: string, target: DropTarget): Promise<void> {
    const table = this.#table(name);
    if (target.kind === 'prefix' && target.prefix.length === 0) throw invalid('empty prefix');
    const prefix = target.kind === 'all' ? '' : hex(target.prefix);
    table.rows = table.rows.filter((row) => !row.key.startsWith(prefix));
  }

  async listTables(): Promise<readonly TableSchema[]> {
    this.#checkOpen();
    return [...this.#tables.values()]
      .sort((a, b) => compare(a.name, b.name))
      .map(({ rows: _rows, order: _order, ...table }) => ({
        ...table,
        families: sortedMap(table.families),
      }));
  }

  async createTable({
    name,
    families,
    splitKeys,
    granularity,
    deletionProtection,
  }: TableSchema): Promise<void> {
    this.#checkOpen();
    if (!/^[_a-zA-Z0-9][-_.a-zA-Z0-9]{0,49}$/.test(name)) throw invalid('table name');
    if (this.#tables.has(name)) throw new RowsmithError('TABLE_EXISTS');
    for (const [familyName, schema] of families) checkFamily(familyName, schema);
    this.#tables.set(name, {
      name,
      families: new Map(families),
      order: [...families.keys()].sort(),
      rows: [],
      splitKeys: splitKeys?.length === 0 ? undefined : splitKeys,
      granularity: granularity === 'micros' ? granularity : undefined,
      deletionProtection: deletionProtection === true ? true : undefined,
    });
  }

  async deleteTable(name: string): Promise<void> {
    if (this.#table(name).deletionProtection) throw new RowsmithError('FAILED_PRECONDITION');
    this.#tables.delete(name);
  }

  async modifyFamilies(name: string, changes: readonly FamilyChange[]): Promise<TableSchema> {
    const table = this.#table(name);
    const families = new Map(table.families);
    let order = table.order;
    const created = new Set<string>();
    for (const change of changes) {
      if (change.kind === 'create') {
        if (families.has(change.family)) throw new RowsmithError('SCHEMA_CONFLICT');
        checkFamily(change.family, change.schema);
        families.set(change.family, change.schema);
        created.add(change.family);
        continue;
      }
      const before = families.get(change.family);
      if (before === undefined) throw new RowsmithError('FAMILY_NOT_FOUND');
      if (change.kind === 'drop') {
        if (table.deletionProtection) throw new RowsmithError('FAILED_PRECONDITION');
        families.delete(change.family);
        created.delete(change.family);
        order = order.filter((name) => name !== change.family);
      } else {
        if (change.gc !== undefined) checkRule(change.gc);
        families.set(change.family, { gc: change.gc, aggregate: before.aggregate });
      }
    }
    if (changes.some((change) => change.kind === 'update'))
      for (const row of [...table.rows]) this.#put(table, row.key, this.#visible(table, row.cells));
    for (const change of changes)
      if (change.kind === 'drop')
        for (const row of [...table.rows])
          this.#put(
            table,
            row.key,
            row.cells.filter((cell) => cell.family !== change.family),
          );
    table.families = families;
    table.order = [...order, ...[...created].sort()];
    return (await this.listTables()).find((schema) => schema.name === name)!;
  }

  async updateTable(name: string, { deletionProtection }: TableUpdate): Promise<TableSchema> {
    const table = this.#table(name);
    if (deletionProtection === true) table.deletionProtection = true;
    if (deletionProtection === false) delete table.deletionProtection;
    return (await this.listTables()).find((schema) => schema.name === name)!;
  }

  async generateConsistencyToken(name: string): Promise<string> {
    return `token of ${this.#table(name).name}`;
  }

  async checkConsistency(name: string, token: string): Promise<boolean> {
    if (token !== `token of ${this.#table(name).name}`) throw invalid('token');
    return true;
  }

  async compact(name?: string): Promise<Compaction> {
    this.#checkOpen();
    let cells = 0;
    let rows = 0;
    for (const table of name === undefined ? [...this.#tables.values()] : [this.#table(name)]) {
      for (const row of [...table.rows]) {
        const kept = this.#pruned(table, row.cells);
        cells += row.cells.length - kept.length;
        if (kept.length === 0) rows++;
        this.#put(table, row.key, kept);
      }
    }
    return { rows, cells, bytes: 0 };
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #checkOpen(): void {
    if (this.#closed) throw new RowsmithError('DATABASE_CLOSED');
  }

  #now(): number {
    return Math.floor((this.#options.clock ?? Date.now)());
  }

  #table(name: string): PlainTable {
    this.#checkOpen();
    const table = this.#tables.get(name);
    if (table === undefined) throw new RowsmithError('TABLE_NOT_FOUND');
    return table;
  }

  #read(plan: ReadPlan): Row[] {
    const table = this.#table(plan.table);
    if (plan.limit !== undefined && !(Number.isInteger(plan.limit) && plan.limit >= 1))
      throw invalid('limit');
    if (plan.filter !== undefined) checkFilter(table, plan.filter, 1, false);
    let rows = table.rows.filter(({ key }) =>
      plan.ranges.some(
        ({ start, end }) => key >= hex(start) && (end === undefined || key < hex(end)),
      ),
    );
    if (plan.reversed) rows = [...rows].reverse();
    const found = rows
      .map(({ key, cells }) => {
        const visible = this.#visible(table, cells);
        return {
          key,
          cells:
            plan.filter === undefined
              ? visible
              : filterRow(table, plan.filter, visible, key, this.#random),
        };
      })
      .filter(({ cells }) => cells.length > 0);
    return found.slice(0, plan.limit).map(toRow);
  }

  #mutate(table: PlainTable, { key, mutations }: RowMutation): void {
    checkKey(key);
    if (mutations.length === 0) throw invalid('no mutations');
    if (mutations.length > 100_000) throw tooLarge('mutations');
    for (const mutation of mutations) checkMutation(mutation, table);
    let cells = this.#visible(table, table.rows.find((row) => row.key === hex(key))?.cells ?? []);
    for (const mutation of mutations)
      cells = applyOne(table, cells, mutation, BigInt(this.#now()) * 1000n);
    this.#put(table, hex(key), this.#visible(table, cells));
  }

  #put(table: PlainTable, key: string, cells: PlainCell[]): void {
    table.rows = table.rows.filter((row) => row.key !== key);
    if (cells.length > 0) table.rows.push({ key, cells });
    table.rows.sort((a, b) => compare(a.key, b.key));
  }

  #visible(table: PlainTable, cells: PlainCell[]): PlainCell[] {
    return (this.#options.gc ?? 'onRead') === 'onRead' ? this.#pruned(table, cells) : copy(cells);
  }

  #pruned(table: PlainTable, cells: PlainCell[]): PlainCell[] {
    return copy(
      cells.filter((cell, at) => {
        const newer = newerCells(cells, at);
        return !isCollectable(
          table.families.get(cell.family)?.gc,
          newer,
          BigInt(this.#now()) * 1000n - cell.timestamp,
        );
      }),
    );
  }
}

class PlainCursor implements RowCursor {
  keyBytes: Uint8Array = new Uint8Array(0);
  keyStart = 0;
  keyEnd = 0;
  family = '';
  qualifierBytes: Uint8Array = new Uint8Array(0);
  qualifierStart = 0;
  qualifierEnd = 0;
  valueBytes: Uint8Array = new Uint8Array(0);
  valueStart = 0;
  valueEnd = 0;
  labels: readonly string[] = [];
  #cell: Cell | undefined;
  #cells: Cell[] = [];
  readonly #rows: Row[];

  constructor(rows: Row[]) {
    this.#rows = rows;
  }
  nextRow(): boolean {
    const row = this.#rows.shift();
    if (row === undefined) return false;
    this.keyBytes = row.key;
    this.keyEnd = row.key.length;
    this.#cells = [...row.cells];
    return true;
  }
  nextCell(): boolean {
    this.#cell = this.#cells.shift();
    if (this.#cell === undefined) return false;
    this.family = this.#cell.family;
    this.qualifierBytes = this.#cell.qualifier;
    this.qualifierEnd = this.#cell.qualifier.length;
    this.valueBytes = this.#cell.value;
    this.valueEnd = this.#cell.value.length;
    this.labels = this.#cell.labels ?? [];
    return true;
  }
  timestamp(): bigint {
    return this.#cell!.timestamp;
  }
}

function toRow({ key, cells }: PlainRow): Row {
  return {
    key: bytes(key),
    cells: cells.map((cell) => ({
      family: cell.family,
      qualifier: bytes(cell.qualifier),
      timestamp: cell.timestamp,
      value: bytes(cell.value),
      labels: cell.labels,
    })),
  };
}

function sortedMap(map: ReadonlyMap<string, FamilySchema>): Map<string, FamilySchema> {
  return new Map([...map].sort(([a], [b]) => compare(a, b)));
}

function sameColumn(a: PlainCell, b: PlainCell): boolean {
  return a.family === b.family && a.qualifier === b.qualifier;
}

/** Number of cells of the same column before a cell. They are neighbours, newest first. */
function newerCells(cells: readonly PlainCell[], index: number): number {
  let first = index;
  while (first > 0 && sameColumn(cells[first - 1], cells[index])) first--;
  return index - first;
}

function sortCells(cells: PlainCell[], { order }: PlainTable): PlainCell[] {
  return [...cells].sort(
    (a, b) =>
      order.indexOf(a.family) - order.indexOf(b.family) ||
      compare(a.qualifier, b.qualifier) ||
      compare(b.timestamp, a.timestamp),
  );
}

function setCell(table: PlainTable, cells: PlainCell[], cell: PlainCell): PlainCell[] {
  return sortCells(
    [
      ...cells.filter((other) => !(sameColumn(other, cell) && other.timestamp === cell.timestamp)),
      cell,
    ],
    table,
  );
}

function int64(value: bigint): string {
  return BigInt.asUintN(64, value).toString(16).padStart(16, '0');
}

function family(table: PlainTable, name: string): FamilySchema {
  const schema = table.families.get(name);
  if (schema === undefined) throw new RowsmithError('FAMILY_NOT_FOUND');
  return schema;
}

function applyOne(
  table: PlainTable,
  cells: PlainCell[],
  mutation: Mutation,
  now: bigint,
): PlainCell[] {
  if (mutation.kind === 'deleteFromRow') return [];
  const { aggregate } = family(table, mutation.family);
  if (mutation.kind === 'deleteFromFamily')
    return cells.filter((cell) => cell.family !== mutation.family);
  const qualifier = hex(mutation.qualifier);
  if (mutation.kind === 'setCell') {
    if (aggregate !== undefined) throw invalid('aggregate family');
    const timestamp = BigInt(mutation.timestamp);
    const isCut = mutation.truncate === true && table.granularity !== 'micros';
    const cut = isCut ? timestamp - (timestamp % 1000n) : timestamp;
    return setCell(table, cells, {
      family: mutation.family,
      qualifier,
      timestamp: timestamp === -1n ? now : cut,
      value: hex(mutation.value),
    });
  }
  if (mutation.kind === 'addToCell' || mutation.kind === 'mergeToCell') {
    if (aggregate === undefined) throw invalid('no aggregate family');
    if (mutation.input === null) return cells;
    const input =
      mutation.kind === 'addToCell'
        ? mutation.input
        : BigInt.asIntN(64, BigInt(`0x${hex(mutation.input)}`));
    const timestamp = BigInt(mutation.timestamp);
    const before = cells.find(
      (cell) =>
        cell.family === mutation.family &&
        cell.qualifier === qualifier &&
        cell.timestamp === timestamp,
    );
    const value =
      before === undefined
        ? input
        : aggregated(aggregate, BigInt.asIntN(64, BigInt(`0x${before.value}`)), input);
    return setCell(table, cells, {
      family: mutation.family,
      qualifier,
      timestamp,
      value: int64(value),
    });
  }
  const start = BigInt(mutation.start ?? 0);
  const end = BigInt(mutation.end ?? 0);
  return cells.filter(
    (cell) =>
      !(
        cell.family === mutation.family &&
        cell.qualifier === qualifier &&
        cell.timestamp >= start &&
        (end === 0n || cell.timestamp < end)
      ),
  );
}

function aggregated(aggregate: Aggregate, a: bigint, b: bigint): bigint {
  switch (aggregate) {
    case 'sum':
      return a + b;
    case 'min':
      return a < b ? a : b;
    case 'max':
      return a > b ? a : b;
  }
}

function isCollectable(rule: GcRule | undefined, newer: number, age: bigint): boolean {
  if (rule === undefined) return false;
  if (rule.kind === 'maxVersions') return newer >= rule.versions;
  if (rule.kind === 'maxAge') return age > BigInt(rule.micros);
  if (rule.kind === 'union') return rule.rules.some((inner) => isCollectable(inner, newer, age));
  return rule.rules.length > 0 && rule.rules.every((inner) => isCollectable(inner, newer, age));
}

/** The context of filtering one row. */
interface RowContext {
  table: PlainTable;
  /** Hexadecimal. */
  key: string;
  /** Cells that a sink has added to the result. */
  sinkCells: PlainCell[];
  /** For rowSample. */
  random: () => number;
}

function filterRow(
  table: PlainTable,
  filter: Filter,
  cells: readonly PlainCell[],
  key: string,
  random: () => number,
): PlainCell[] {
  checkFilter(table, filter, 1, false);
  const row: RowContext = { table, key, sinkCells: [], random };
  const filtered = filterCells(filter, copy(cells), row);
  return sortCells([...filtered, ...row.sinkCells], table);
}

function filterCells(filter: Filter, cells: readonly PlainCell[], row: RowContext): PlainCell[] {
  switch (filter.kind) {
    case 'passAll':
      return copy(cells);
    case 'blockAll':
      return [];
    case 'stripValue':
      return cells.map((cell) => ({ ...cell, value: '' }));
    case 'label':
      return cells.map((cell) => ({ ...cell, labels: [...(cell.labels ?? []), filter.label] }));
    case 'sink':
      row.sinkCells.push(...copy(cells));
      return [];
    case 'chain':
      return filter.filters.reduce(
        (rest, inner) => (rest.length === 0 ? [] : filterCells(inner, rest, row)),
        copy(cells),
      );
    case 'interleave':
      return sortCells(
        filter.filters.flatMap((inner) => filterCells(inner, cells, row)),
        row.table,
      );
    case 'families':
      return cells.filter((cell) => filter.families.includes(cell.family));
    case 'columns':
      return cells.filter((cell) =>
        filter.columns.some(
          ({ family: name, qualifiers }) =>
            name === cell.family &&
            (qualifiers === 'all' || qualifiers.some((one) => hex(one) === cell.qualifier)),
        ),
      );
    case 'cellsPerColumn':
      return cells.filter((_cell, at) => newerCells(cells, at) < filter.count);
    case 'cellsPerRow':
      return cells.slice(0, filter.count);
    case 'cellsPerRowOffset':
      return cells.slice(filter.count);
    case 'rowSample':
      return row.random() < filter.probability ? copy(cells) : [];
    case 'rowKeyRegex':
      return matches(filter.pattern, row.key) ? copy(cells) : [];
    case 'familyRegex':
      return cells.filter((cell) =>
        matches(Buffer.from(filter.pattern), hex(Buffer.from(cell.family))),
      );
    case 'qualifierRegex':
      return cells.filter((cell) => matches(filter.pattern, cell.qualifier));
    case 'valueRegex':
      return cells.filter((cell) => matches(filter.pattern, cell.value));
    case 'columnRange':
      return cells.filter(
        (cell) =>
          cell.family === filter.family &&
          within(
            cell.qualifier,
            filter.start?.qualifier,
            filter.start?.inclusive,
            filter.end?.qualifier,
            filter.end?.inclusive,
          ),
      );
    case 'valueRange':
      return cells.filter((cell) =>
        within(
          cell.value,
          filter.start?.value,
          filter.start?.inclusive,
          filter.end?.value,
          filter.end?.inclusive,
        ),
      );
    case 'valueBitmask':
      return cells.filter(
        (cell) =>
          cell.value.length === 2 * filter.mask.length &&
          [...filter.mask].every((bits, at) => (bytes(cell.value)[at] & bits) === bits),
      );
    case 'timestampRange': {
      const start = BigInt(filter.start ?? 0);
      const end = BigInt(filter.end ?? 0);
      return cells.filter(
        (cell) => cell.timestamp >= start && (end === 0n || cell.timestamp < end),
      );
    }
    case 'valueEquals':
      return cells.filter((cell) => cell.value === hex(filter.value));
    case 'condition': {
      const branch =
        filterCells(filter.predicate, cells, row).length > 0 ? filter.onTrue : filter.onFalse;
      return branch === undefined ? [] : filterCells(branch, cells, row);
    }
    default:
      throw invalid('unknown filter');
  }
}

function within(
  text: string,
  start: Uint8Array | undefined,
  startInclusive: boolean | undefined,
  end: Uint8Array | undefined,
  endInclusive: boolean | undefined,
): boolean {
  if (
    start !== undefined &&
    (text < hex(start) || (text === hex(start) && startInclusive !== true))
  )
    return false;
  return end === undefined || text < hex(end) || (text === hex(end) && endInclusive === true);
}

/**
 * JavaScript's regular expressions, for the patterns that have the same meaning in both languages
 * (test/engines/history.ts).
 */
function matches(pattern: Uint8Array, text: string): boolean {
  const source = Buffer.from(pattern)
    .toString('latin1')
    .replaceAll('\\C', '[^]')
    .replaceAll(/(?<!\\)\.(?=[^\]]*$)/g, '[^\\n]');
  try {
    return new RegExp(`^(?:${source})$`).test(Buffer.from(text, 'hex').toString('latin1'));
  } catch {
    throw invalid('pattern');
  }
}

function checkFilter(table: PlainTable, filter: Filter, depth: number, inCondition: boolean): void {
  if (depth > 20) throw invalid('too deep');
  const inverted = (start: Uint8Array | undefined, end: Uint8Array | undefined) =>
    start !== undefined && end !== undefined && hex(start) > hex(end);
  switch (filter.kind) {
    case 'chain':
    case 'interleave':
      if (filter.filters.length === 0) throw invalid('empty');
      for (const inner of filter.filters) checkFilter(table, inner, depth + 1, inCondition);
      if (filter.kind === 'chain' && filter.filters.filter(hasLabel).length > 1)
        throw invalid('labels');
      return;
    case 'condition':
      if (filter.onTrue === undefined && filter.onFalse === undefined) throw invalid('condition');
      for (const inner of [filter.predicate, filter.onTrue, filter.onFalse])
        if (inner !== undefined) checkFilter(table, inner, depth + 1, true);
      return;
    case 'sink':
      if (inCondition) throw invalid('sink');
      return;
    case 'families':
      for (const name of filter.families) family(table, name);
      return;
    case 'columns':
      for (const column of filter.columns) family(table, column.family);
      return;
    case 'cellsPerColumn':
    case 'cellsPerRow':
      if (!(Number.isInteger(filter.count) && filter.count >= 1)) throw invalid('count');
      return;
    case 'cellsPerRowOffset':
      if (!(Number.isInteger(filter.count) && filter.count >= 0)) throw invalid('count');
      return;
    case 'rowSample':
      if (!(filter.probability > 0 && filter.probability < 1)) throw invalid('probability');
      return;
    case 'label':
      if (!/^[a-z0-9-]{1,15}$/.test(filter.label)) throw invalid('label');
      return;
    case 'familyRegex':
      if (filter.pattern.includes(':')) throw invalid('colon');
      if (/^[-_a-zA-Z0-9]+$/.test(filter.pattern)) family(table, filter.pattern);
      return;
    case 'rowKeyRegex':
    case 'qualifierRegex':
    case 'valueRegex':
      if (filter.kind === 'rowKeyRegex' && filter.pattern.length === 0)
        throw invalid('empty pattern');
      matches(filter.pattern, '');
      return;
    case 'columnRange':
      if (filter.family === '') throw invalid('no family');
      family(table, filter.family);
      if (inverted(filter.start?.qualifier, filter.end?.qualifier)) throw invalid('inverted');
      return;
    case 'valueRange':
      if (inverted(filter.start?.value, filter.end?.value)) throw invalid('inverted');
      return;
    case 'timestampRange': {
      const [start, end] = [BigInt(filter.start ?? 0), BigInt(filter.end ?? 0)];
      if (start < 0n || end < 0n || (end !== 0n && start > end)) throw invalid('timestamps');
      if (table.granularity !== 'micros' && (start % 1000n !== 0n || end % 1000n !== 0n))
        throw invalid('timestamps');
      return;
    }
    default:
  }
}

function hasLabel(filter: Filter): boolean {
  if (filter.kind === 'label') return true;
  if (filter.kind === 'chain' || filter.kind === 'interleave') return filter.filters.some(hasLabel);
  return (
    filter.kind === 'condition' &&
    [filter.onTrue, filter.onFalse].some((inner) => inner !== undefined && hasLabel(inner))
  );
}

function checkKey(key: Uint8Array): void {
  if (key.length === 0) throw invalid('empty key');
  if (key.length > 4096) throw tooLarge('key');
}

function checkMutation(mutation: Mutation, { granularity }: PlainTable): void {
  if ('qualifier' in mutation && mutation.qualifier.length > 16_384) throw tooLarge('qualifier');
  switch (mutation.kind) {
    case 'setCell':
      if (mutation.value.length > 100 * 1024 * 1024) throw tooLarge('value');
      if (mutation.timestamp !== -1 && mutation.timestamp !== -1n)
        checkTimestamp(mutation.timestamp, mutation.truncate === true ? 'micros' : granularity);
      return;
    case 'mergeToCell':
      if (mutation.input !== null && mutation.input.length !== 8) throw invalid('state');
      return checkTimestamp(mutation.timestamp, granularity);
    case 'addToCell':
      return checkTimestamp(mutation.timestamp, granularity);
    case 'deleteFromColumn':
      checkTimestamp(mutation.start ?? 0, granularity);
      checkTimestamp(mutation.end ?? 0, granularity);
      if (BigInt(mutation.end ?? 0) !== 0n && BigInt(mutation.start ?? 0) >= BigInt(mutation.end!))
        throw invalid('timestamps');
      return;
    case 'deleteFromFamily':
    case 'deleteFromRow':
      return;
    default:
      throw invalid('unknown mutation');
  }
}

function checkTimestamp(value: number | bigint, granularity: 'micros' | undefined): void {
  if (typeof value === 'number' && !Number.isInteger(value)) throw invalid('timestamp');
  const micros = BigInt(value);
  if (
    micros < 0n ||
    micros > 9223372036854775807n ||
    (granularity !== 'micros' && micros % 1000n !== 0n)
  )
    throw invalid('timestamp');
}

function checkFamily(name: string, schema: FamilySchema): void {
  if (!/^[_a-zA-Z0-9][-_.a-zA-Z0-9]{0,63}$/.test(name)) throw invalid('family name');
  if (schema.gc !== undefined) checkRule(schema.gc);
}

function checkRule(rule: GcRule): void {
  if (rule.kind === 'maxVersions' && rule.versions < 1) throw invalid('versions');
  if (rule.kind === 'maxAge' && rule.micros < 1000) throw invalid('age');
  if (rule.kind === 'union' || rule.kind === 'intersection') rule.rules.forEach(checkRule);
}
