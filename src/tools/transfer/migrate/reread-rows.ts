/**
 * Finds rows that a migration within one table would read again after writing them: it would
 * overwrite rows that are still to be moved, or move rows twice.
 */
import {
  equalBytes,
  printable,
  RowsmithError,
  toHex,
  type FaultText,
  type FaultTexts,
} from '../../../base/index.js';
import type { Cell, Row } from '../../../data/store/index.js';
import { compareCells, type MovedCell, type MovedRow } from './moved-row.js';
import type { RowMover } from './row-mover.js';

const maxExamples = 5;

/** Collects such rows. */
export class RereadRows {
  readonly #mover: RowMover;
  readonly #decodeKey: ReturnType<RowMover['from']['key']['decoder']>;
  /** New keys that the old class reads. */
  readonly #moved = new Examples();
  /** Rows that stay where they are and would become other rows when they are moved again. */
  readonly #changing = new Examples();

  constructor(mover: RowMover) {
    this.#mover = mover;
    this.#decodeKey = mover.from.key.decoder();
  }

  look(rows: readonly MovedRow[]): void {
    const { from, to } = this.#mover;
    if (from.table.name !== to.table.name) return;
    for (const row of rows) {
      const key = row.to;
      if (key === undefined) continue;
      if (!equalBytes(key, row.source.key)) {
        if (this.#decodeKey(key, 0, key.length, {})) this.#moved.add(row);
      } else if (!this.#isStable(row)) this.#changing.add(row);
    }
  }

  /** Throws FAILED_PRECONDITION if there are such rows. */
  assertNone(consequence: string): void {
    const { from, to } = this.#mover;
    const moved = this.#moved.rows.map(
      ({ source, to: key }) => `${printable(source.key)} becomes ${printable(key!)}`,
    );
    if (this.#moved.count > 0)
      throw this.#error(
        this.#moved,
        faults.overlappingKeys(
          this.#moved.count,
          to.table.name,
          from.name,
          moved.join(', '),
          consequence,
        ),
      );
    const changing = this.#changing.rows.map(({ source }) => printable(source.key));
    if (this.#changing.count > 0)
      throw this.#error(
        this.#changing,
        faults.repeatedChanges(this.#changing.count, changing.join(', '), consequence),
      );
  }

  /** Whether the row, once it is written, is moved to the same row again. */
  #isStable(row: MovedRow): boolean {
    const again = this.#mover.move(written(row));
    return (
      again?.to !== undefined &&
      equalBytes(again.to, row.to!) &&
      again.cells.length === row.cells.length &&
      again.cells.every((cell, i) => isSameCell(cell, row.cells[i]))
    );
  }

  #error({ rows: [{ to: key }] }: Examples, fault: FaultText): RowsmithError {
    const entity = this.#mover.to.name;
    const keyHex = toHex(key!);
    return new RowsmithError('FAILED_PRECONDITION', {
      entity,
      property: 'map',
      problem: fault.problem,
      fix: fault.fix,
      keyHex,
    });
  }
}

class Examples {
  count = 0;
  readonly rows: MovedRow[] = [];

  add(row: MovedRow): void {
    this.count++;
    if (this.rows.length < maxExamples) this.rows.push(row);
  }
}

/** The row after its new cells were written in place. */
function written({ source, cells }: MovedRow): Row {
  const kept = source.cells.filter((cell) => !cells.some((other) => isSamePlace(cell, other)));
  const added = cells.map(({ family, qualifier, timestamp, value }): Cell => ({
    family,
    qualifier,
    timestamp,
    value,
    labels: [],
  }));
  return { key: source.key, cells: [...kept, ...added].sort(compareCells) };
}

type Place = Pick<MovedCell, 'family' | 'qualifier' | 'timestamp'>;

function isSamePlace(a: Place, b: Place): boolean {
  return (
    a.family === b.family && a.timestamp === b.timestamp && equalBytes(a.qualifier, b.qualifier)
  );
}

function isSameCell(a: MovedCell, b: MovedCell): boolean {
  return isSamePlace(a, b) && equalBytes(a.value, b.value);
}

const faults = {
  overlappingKeys: (
    count: number,
    tableName: string,
    fromName: string,
    list: string,
    consequence: string,
  ) => ({
    problem:
      `${count} new keys in table '${tableName}' are keys of ${fromName}, too, ` +
      `so that rows would be overwritten or moved twice: ${list}`,
    fix: `move the rows to another table, or start the new key with a literal of its own; ${consequence}`,
  }),
  repeatedChanges: (count: number, list: string, consequence: string) => ({
    problem:
      `${count} rows stay at their keys, and the map function would change them ` +
      `again if it is resumed or repeated: ${list}`,
    fix: `move the rows to another table, or give the changed columns new qualifiers; ${consequence}`,
  }),
} satisfies FaultTexts;
