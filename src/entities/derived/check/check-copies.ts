/** Compares copies with their sources, and writes copies that differ again. */
import { equalBytes, latin1Text, RowsmithError } from '../../../base/index.js';
import type { Engine, Row } from '../../../data/store/index.js';
import type { RowWriter } from '../write/row-writer.js';
import type { WatchedRow } from '../write/watched-rows.js';
import { copiedCells } from '../source/copied-values.js';
import type { Copied } from '../protocol/step.js';
import { inTurn, settled, type StoredFinding } from './finding.js';
import { isSameCell, rowsByKey } from './stored-rows.js';

interface KeyedRow {
  readonly key: Uint8Array;
  readonly row: WatchedRow;
}

const noChange = { mutations: [] };

/** Looks at the copies that rows have. */
export class CopyCheck {
  readonly #engine: Engine;
  readonly #writer: RowWriter;
  readonly #inFlight: number;

  constructor(engine: Engine, writer: RowWriter, inFlight: number) {
    this.#engine = engine;
    this.#writer = writer;
    this.#inFlight = inFlight;
  }

  /** Copies of a page of rows that differ from their sources. With `repair`, they are written. */
  async check(rows: readonly Row[], repair: boolean): Promise<readonly StoredFinding[]> {
    const seen = rows.map(({ key, cells }) => ({ key, row: this.#writer.rows.seen(key, cells) }));
    // A propagation may be on its way.
    const found = await settled(await this.#findings(seen), (left) => this.#look(left));
    if (!repair) return found;
    const stale = new Map<string, StoredFinding[]>();
    for (const each of found) {
      const row = latin1Text(each.row);
      stale.set(row, [...(stale.get(row) ?? []), each]);
    }
    const repaired = await inTurn([...stale.values()], this.#inFlight, (ofRow) =>
      this.#repair(ofRow),
    );
    return repaired.flat();
  }

  /** The findings that are still true. */
  async #look(findings: readonly StoredFinding[]): Promise<StoredFinding[]> {
    const { model, rows } = this.#writer;
    const keys = findings.map(({ row }) => row);
    const stored = await rowsByKey(this.#engine, model.table.name, keys, rows.filter);
    const current = Array.from(stored.values(), ({ key, cells }) => ({
      key,
      row: rows.seen(key, cells),
    }));
    const found = await this.#findings(current);
    return found.filter((each) =>
      findings.some(({ row, property }) => property === each.property && equalBytes(row, each.row)),
    );
  }

  async #findings(seen: readonly KeyedRow[]): Promise<StoredFinding[]> {
    const invalid: StoredFinding[] = [];
    const names = seen.map((each) => this.#sources(each, invalid));
    const read = await this.#writer.requests.readSources([...new Set(names.flat())]);
    const valuesOf = new Map(read.map((each) => [each.source, each]));
    const stale = seen.flatMap((each, i) =>
      this.#stale(
        each,
        names[i].map((name) => valuesOf.get(name)!),
      ),
    );
    return [...invalid, ...stale];
  }

  /** None for a row with values that are no key of a source. */
  #sources({ key, row }: KeyedRow, invalid: StoredFinding[]): readonly string[] {
    const { model, rows } = this.#writer;
    try {
      return rows.sources(key, row, noChange);
    } catch (error) {
      if (!(error instanceof RowsmithError)) throw error;
      const [{ index, columns }] = model.copies!;
      const { property } = columns[0].to;
      invalid.push({ kind: 'invalid', index, row: key, property, error, repaired: false });
      return [];
    }
  }

  #stale({ key, row }: KeyedRow, copied: Copied): StoredFinding[] {
    const { model, rows } = this.#writer;
    return copiedCells(model, copied).flatMap(({ to, value }) => {
      if (isSameCell(rows.valueOf(row, to), value)) return [];
      const { property } = to;
      const { index } = model.copies!.find(({ columns }) =>
        columns.some((each) => each.to === to),
      )!;
      return [{ kind: 'stale copy', index, row: key, property, repaired: false }];
    });
  }

  async #repair(findings: readonly StoredFinding[]): Promise<readonly StoredFinding[]> {
    try {
      await this.#writer.refresh(findings[0].row);
      return findings.map((finding) => ({ ...finding, repaired: finding.kind === 'stale copy' }));
    } catch (error) {
      if (!(error instanceof RowsmithError)) throw error;
      // Whoever writes the row so often writes its copies.
      if (!['CONTENTION', 'INVALID_KEY', 'INVALID_VALUE'].includes(error.code)) throw error;
      const left = await this.#look(findings);
      const isLeft = ({ property }: StoredFinding): boolean =>
        left.some((each) => each.property === property);
      return findings.map((finding) => ({ ...finding, repaired: !isLeft(finding) }));
    }
  }
}
