/** Compares base rows with their entries: finds missing and wrong entries. */
import { equalBytes, latin1Bytes, latin1Text, RowsmithError } from '../../../base/index.js';
import type { EntryColumns, OwnColumn, EntityModel } from '../../model/index.js';
import type { Engine, Filter, Row } from '../../../data/store/index.js';
import { isExpired, timestampOf } from '../index/entry-time.js';
import type { RowWriter } from '../write/row-writer.js';
import type { StoredEntry, WatchedRow } from '../write/watched-rows.js';
import { sameEntry } from '../protocol/step.js';
import { inTurn, settled, type StoredFinding } from './finding.js';
import { isSameCell, rowsByKey } from './stored-rows.js';

/** What to check. */
export interface CheckJob {
  /** The storage itself. */
  readonly engine: Engine;
  readonly model: EntityModel;
  /** Positions of the indexes in the entity's declaration. */
  readonly indexes: readonly number[];
  /** Whether copies are compared with their sources, too; default false. */
  readonly copies?: boolean;
  /** Whether findings are put right. */
  readonly repair: boolean;
  /** The position of an earlier page; undefined for the beginning. */
  readonly after?: string | undefined;
  /** Maximum number of findings that are looked at or repaired at the same time. */
  readonly inFlight: number;
  readonly signal?: AbortSignal | undefined;
  /** In milliseconds; default: the clock of the process. */
  readonly now?: (() => number) | undefined;
}

/** A row that is to be looked at again. */
interface Candidate {
  readonly row: Uint8Array;
  /** Position of the index. */
  readonly index: number;
}

/** An entry that a row should have. */
type Expected = Candidate & { readonly entry: StoredEntry };

/** How often a row is read until it is not written meanwhile. */
const maxLooks = 5;

/** Looks at base rows. */
export class RowCheck {
  readonly #engine: Engine;
  readonly #writer: RowWriter;
  readonly #indexes: readonly number[];
  readonly #inFlight: number;
  readonly #now: () => number;

  constructor(
    writer: RowWriter,
    { engine, indexes, inFlight, now = Date.now }: Omit<CheckJob, 'model' | 'repair'>,
  ) {
    this.#engine = engine;
    this.#writer = writer;
    this.#indexes = indexes;
    this.#inFlight = inFlight;
    this.#now = now;
  }

  /** What is wrong with a page of rows. With `repair`, it is put right if it can be. */
  async check(
    rows: readonly Row[],
    repair: boolean,
    signal?: AbortSignal,
  ): Promise<StoredFinding[]> {
    const { invalid, entries } = this.#expected(rows);
    const candidates = await this.#differing(entries, signal);
    const confirmed = await this.#confirmed(candidates);
    if (!repair) return [...invalid, ...confirmed];
    return [...invalid, ...(await this.#repair(confirmed))];
  }

  /** The entries that the rows should have, and the rows that no entry can be made of. */
  #expected(rows: readonly Row[]): {
    readonly invalid: StoredFinding[];
    readonly entries: Expected[];
  } {
    const invalid: StoredFinding[] = [];
    const entries: Expected[] = [];
    for (const { key, cells } of rows) {
      const seen = this.#writer.rows.seen(key, cells);
      for (const entry of seen.entries)
        if (this.#indexes.includes(entry.index) && this.#isKept(entry))
          entries.push({ row: key, index: entry.index, entry });
      if (seen.entries.length === this.#writer.model.indexes.length) continue;
      for (const { index, error } of this.#writer.rows.faultsOf(key, seen))
        if (this.#indexes.includes(index)) invalid.push(invalidRow(index, key, error));
    }
    return { invalid, entries };
  }

  /** Storage that does not hide what it may collect can collect an entry before its row. */
  #isKept({ index, needed }: StoredEntry): boolean {
    return !isExpired(this.#writer.model.indexes[index], needed, this.#now());
  }

  async #differing(
    expected: readonly Expected[],
    signal: AbortSignal | undefined,
  ): Promise<Candidate[]> {
    const stored = await this.#entries(expected, signal);
    return expected
      .filter((each, i) => this.#difference(each.row, each.entry, stored[i]) !== undefined)
      .map(({ row, index }) => ({ row, index }));
  }

  /** The stored entries, in order; undefined for entries that do not exist. */
  async #entries(
    expected: readonly Expected[],
    signal?: AbortSignal,
  ): Promise<readonly (Row | undefined)[]> {
    const keys = new Map<string, Uint8Array[]>();
    const tableOf = (index: number): string => this.#writer.model.indexes[index].entry.table.name;
    for (const { index, entry } of expected) {
      const table = tableOf(index);
      const ofTable = keys.get(table);
      if (ofTable === undefined) keys.set(table, [latin1Bytes(entry.key)]);
      else ofTable.push(latin1Bytes(entry.key));
    }
    const tables = new Map<string, ReadonlyMap<string, Row>>();
    for (const [table, ofTable] of keys)
      tables.set(
        table,
        await rowsByKey(this.#engine, table, ofTable, this.#cellsIn(table), signal),
      );
    return expected.map(({ index, entry }) => tables.get(tableOf(index))!.get(entry.key));
  }

  /** The newest cells of entries. The families are named, so that expired cells can be hidden. */
  #cellsIn(table: string): Filter {
    const indexes = this.#writer.model.indexes.filter(({ entry }) => entry.table.name === table);
    const families = new Set(indexes.flatMap(({ own }) => [own.token.family, own.covered]));
    const cells: Filter = { kind: 'families', families: [...families] };
    return { kind: 'chain', filters: [cells, { kind: 'cellsPerColumn', count: 1 }] };
  }

  async #rows(keys: readonly Uint8Array[]): Promise<(key: Uint8Array) => WatchedRow> {
    const { model, rows } = this.#writer;
    const stored = await rowsByKey(this.#engine, model.table.name, keys, rows.filter);
    return (key) => rows.seen(key, stored.get(latin1Text(key))?.cells ?? []);
  }

  /** A missing entry is one at once: it is there before its row. A wrong one may be on its way. */
  async #confirmed(candidates: readonly Candidate[]): Promise<StoredFinding[]> {
    const found = await this.#look(candidates);
    const isWrong = ({ kind }: StoredFinding): boolean => kind === 'wrong';
    const wrong = await settled(found.filter(isWrong), (left) => this.#look(left));
    return [...found.filter((each) => !isWrong(each)), ...wrong];
  }

  /** Reads the rows, their entries, and the rows again: they were not written meanwhile. */
  async #look(candidates: readonly Candidate[]): Promise<StoredFinding[]> {
    const findings: StoredFinding[] = [];
    let left = candidates;
    // Whoever writes a row so often writes its entries.
    for (let look = 0; look < maxLooks && left.length > 0; look++) {
      const keys = left.map(({ row }) => row);
      const before = await this.#rows(keys);
      const expected = left.flatMap(({ row, index }) => {
        const entry = before(row).entries.find((each) => each.index === index);
        return entry === undefined || !this.#isKept(entry) ? [] : [{ row, index, entry }];
      });
      const stored = await this.#entries(expected);
      const differing = expected
        .map((each, i) => ({ ...each, stored: stored[i] }))
        .filter((each) => this.#difference(each.row, each.entry, each.stored) !== undefined);
      if (differing.length === 0) return findings;
      const after = await this.#rows(differing.map(({ row }) => row));
      const isSettled = ({ row, entry }: Expected): boolean =>
        isSame(before(row), after(row), entry);
      findings.push(...(await this.#findings(differing.filter(isSettled))));
      left = differing.filter((each) => !isSettled(each));
    }
    return findings;
  }

  /** Of entries that differ. Unique ones of another row that has the value are duplicates. */
  async #findings(
    differing: readonly (Expected & { readonly stored: Row | undefined })[],
  ): Promise<StoredFinding[]> {
    const held = differing.flatMap(({ row, entry, stored }) => {
      const holder = this.#holderOf(entry, stored);
      return holder === undefined || equalBytes(holder, row) ? [] : [holder];
    });
    const holders = await this.#rows(held);
    return differing.map(({ row, index, entry, stored }): StoredFinding => {
      const holder = this.#holderOf(entry, stored);
      const key = latin1Bytes(entry.key);
      if (holder !== undefined && !equalBytes(holder, row)) {
        const isTaken = holders(holder).entries.some((each) => sameEntry(each, entry));
        if (isTaken) return { kind: 'duplicate', index, row, entry: key, holder, repaired: false };
      }
      const kind = this.#difference(row, entry, stored)!;
      return { kind, index, row, entry: key, repaired: false };
    });
  }

  #difference(
    row: Uint8Array,
    entry: StoredEntry,
    stored: Row | undefined,
  ): 'missing' | 'wrong' | undefined {
    if (stored === undefined) return 'missing';
    const { covered, own } = this.#writer.model.indexes[entry.index];
    const token = cellOf(stored, own.token);
    if (token === undefined) return 'missing';
    const holder = this.#holderOf(entry, stored);
    if (entry.unique && (holder === undefined || !equalBytes(holder, row))) return 'missing';
    if (entry.token === undefined || latin1Text(token) !== entry.token) return 'wrong';
    const isCovered = covered.every((property, i) =>
      isSameCell(
        cellOf(stored, { family: own.covered, qualifier: Buffer.from(property) }),
        entry.values[i]?.value,
      ),
    );
    return isCovered && !isShortLived(entry, stored, own) ? undefined : 'wrong';
  }

  /** The row that has a unique entry. */
  #holderOf({ index, unique }: StoredEntry, stored: Row | undefined): Uint8Array | undefined {
    if (!unique || stored === undefined) return undefined;
    return cellOf(stored, this.#writer.model.indexes[index].own.holder);
  }

  /** Writes each row once, whatever the number of its findings. */
  async #repair(findings: readonly StoredFinding[]): Promise<StoredFinding[]> {
    const rows = new Map<string, StoredFinding[]>();
    for (const finding of findings) {
      const row = latin1Text(finding.row);
      rows.set(row, [...(rows.get(row) ?? []), finding]);
    }
    const repaired = await inTurn([...rows.values()], this.#inFlight, (ofRow) =>
      this.#rewrite(ofRow[0].row, ofRow),
    );
    return repaired.flat();
  }

  /** Without the indexes that the row cannot be in, which do not keep it out of other indexes. */
  async #rewrite(
    row: Uint8Array,
    findings: readonly StoredFinding[],
  ): Promise<readonly StoredFinding[]> {
    const indexes = findings.map(({ index }) => index);
    if (indexes.length === 0) return [];
    const without = (out: number): readonly StoredFinding[] =>
      findings.filter(({ index }) => index !== out);
    try {
      await this.#writer.rewrite(row, indexes);
      return findings.map((finding) => ({ ...finding, repaired: true }));
    } catch (error) {
      if (!(error instanceof RowsmithError)) throw error;
      if (error.code === 'UNIQUE_VIOLATION') {
        const duplicate = await this.#duplicate(row, error);
        // An entry that the row says it has, and that is now another row's.
        if (!indexes.includes(duplicate.index)) return [duplicate, ...findings];
        return [duplicate, ...(await this.#rewrite(row, without(duplicate.index)))];
      }
      // Whoever writes the row so often, or with other values, writes its entries.
      if (!['CONTENTION', 'INVALID_KEY', 'INVALID_VALUE'].includes(error.code)) throw error;
      const left = await this.#look(findings);
      const isLeft = ({ index }: StoredFinding): boolean =>
        left.some((each) => each.index === index);
      return findings.map((finding) => ({ ...finding, repaired: !isLeft(finding) }));
    }
  }

  async #duplicate(row: Uint8Array, { details }: RowsmithError): Promise<StoredFinding> {
    const { model, requests } = this.#writer;
    const index = model.indexes.findIndex(({ name }) => name === details.index);
    const { entries } = await requests.readRow(row);
    const entry = entries.find((each) => each.index === index);
    const holder = model.key.encode(details.holder as Record<string, unknown>);
    const key = entry && latin1Bytes(entry.key);
    return { kind: 'duplicate', index, row, entry: key, holder, repaired: false };
  }
}

function invalidRow(index: number, row: Uint8Array, error: unknown): StoredFinding {
  if (!(error instanceof Error)) throw error;
  const typed =
    error instanceof RowsmithError
      ? error
      : new RowsmithError('DAMAGED_CELL', { problem: error.message }, { cause: error });
  return { kind: 'invalid', index, row, error: typed, repaired: false };
}

/** Whether an entry, or its token in the row, would expire before the row leaves the index. */
function isShortLived(
  { needed, time }: StoredEntry,
  { cells }: Row,
  { token }: EntryColumns,
): boolean {
  const timestamp = timestampOf(time);
  return (
    needed > time ||
    cells.some((cell) => cell.family === token.family && cell.timestamp < timestamp)
  );
}

function cellOf({ cells }: Row, { family, qualifier }: OwnColumn): Uint8Array | undefined {
  return cells.find((cell) => cell.family === family && equalBytes(cell.qualifier, qualifier))
    ?.value;
}

/** Whether two reads saw the same write of a row, which has this entry. */
function isSame(before: WatchedRow, after: WatchedRow, entry: StoredEntry): boolean {
  return (
    before.version === after.version &&
    after.entries.some(
      (each) =>
        each.index === entry.index &&
        each.key === entry.key &&
        each.token === entry.token &&
        each.covered === entry.covered,
    )
  );
}
