/** Compares base rows with their entries: finds those that are missing or wrong. */
import { equalBytes, latin1Bytes, latin1Text } from '../../bytes/index.js';
import { RowsmithError } from '../../errors.js';
import { entryColumns } from '../../model/index.js';
import type { Engine, Filter, Row } from '../../store/index.js';
import type { RowWriter } from '../write/row-writer.js';
import type { WatchedRow } from '../write/watched-rows.js';
import { sameEntry } from '../protocol/step.js';
import { inTurn, settled, type StoredFinding } from './finding.js';
import { rowsByKey } from './stored-rows.js';

/** A row that is to be looked at again. */
interface Candidate {
  readonly row: Uint8Array;
  /** Position of the index. */
  readonly index: number;
}

type SeenEntry = WatchedRow['entries'][number];

/** An entry that a row should have. */
type Expected = Candidate & { readonly entry: SeenEntry };

/** Newest cells of entries. */
const entryCells: Filter = Object.freeze({ kind: 'cellsPerColumn', count: 1 });
/** How often a row is read until it is not written meanwhile. */
const maxLooks = 5;

/** Looks at base rows. */
export class RowCheck {
  readonly #engine: Engine;
  readonly #writer: RowWriter;
  readonly #indexes: readonly number[];
  readonly #inFlight: number;

  /** `indexes` are positions in the entity's declaration. */
  constructor(engine: Engine, writer: RowWriter, indexes: readonly number[], inFlight: number) {
    this.#engine = engine;
    this.#writer = writer;
    this.#indexes = indexes;
    this.#inFlight = inFlight;
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

  /** The entries that the rows should have, and those that no entry can be made of. */
  #expected(rows: readonly Row[]): {
    readonly invalid: StoredFinding[];
    readonly entries: Expected[];
  } {
    const invalid: StoredFinding[] = [];
    const entries: Expected[] = [];
    for (const { key, cells } of rows) {
      const seen = this.#writer.rows.seen(key, cells);
      for (const entry of seen.entries)
        if (this.#indexes.includes(entry.index))
          entries.push({ row: key, index: entry.index, entry });
      if (seen.entries.length === this.#writer.model.indexes.length) continue;
      for (const { index, error } of this.#writer.rows.faultsOf(key, seen))
        if (this.#indexes.includes(index)) invalid.push(invalidRow(index, key, error));
    }
    return { invalid, entries };
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

  /** The stored entries, in order; undefined for those that do not exist. */
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
      tables.set(table, await rowsByKey(this.#engine, table, ofTable, entryCells, signal));
    return expected.map(({ index, entry }) => tables.get(tableOf(index))!.get(entry.key));
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
        return entry === undefined ? [] : [{ row, index, entry }];
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
    const held = differing.flatMap(({ row, stored }) => {
      const holder = holderOf(stored);
      return holder === undefined || equalBytes(holder, row) ? [] : [holder];
    });
    const holders = await this.#rows(held);
    return differing.map(({ row, index, entry, stored }): StoredFinding => {
      const holder = holderOf(stored);
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
    entry: SeenEntry,
    stored: Row | undefined,
  ): 'missing' | 'wrong' | undefined {
    if (stored === undefined) return 'missing';
    const { family, qualifier } = entryColumns.token;
    const token = cellOf(stored, family, qualifier);
    if (token === undefined) return 'missing';
    const holder = holderOf(stored);
    if (entry.unique && (holder === undefined || !equalBytes(holder, row))) return 'missing';
    if (entry.token === undefined || latin1Text(token) !== entry.token) return 'wrong';
    const { covered } = this.#writer.model.indexes[entry.index];
    const isCovered = covered.every((property, i) =>
      isSameCell(cellOf(stored, entryColumns.covered, Buffer.from(property)), entry.values[i]),
    );
    return isCovered ? undefined : 'wrong';
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

  /** Without the indexes that the row cannot be in, which do not keep it out of the others. */
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

function cellOf({ cells }: Row, family: string, qualifier: Uint8Array): Uint8Array | undefined {
  return cells.find((cell) => cell.family === family && equalBytes(cell.qualifier, qualifier))
    ?.value;
}

function holderOf(stored: Row | undefined): Uint8Array | undefined {
  const { family, qualifier } = entryColumns.holder;
  return stored && cellOf(stored, family, qualifier);
}

function isSameCell(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return equalBytes(a, b);
}

/** Whether two reads saw the same write of a row, which has this entry. */
function isSame(before: WatchedRow, after: WatchedRow, entry: SeenEntry): boolean {
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
