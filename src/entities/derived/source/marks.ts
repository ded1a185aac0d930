/**
 * Marks: rows that say that values of a source row are about to change, or changed, and that their
 * copies are due. Each write has a separate mark, so that no write and no request that is late
 * takes away another's.
 */
import { type KeyRange, rangesAfter, unionRanges } from '../../../base/index.js';
import { type EntityModel, markColumns, markToken } from '../../model/index.js';
import { fullScan, rangesOf } from '../../query/index.js';
import {
  type Cell,
  collectRows,
  type Engine,
  type Filter,
  type Mutation,
  type Row,
  type RowMutation,
} from '../../../data/store/index.js';
import { newestOf } from './copied-values.js';

/** A mark that was read. */
export interface Mark {
  /** Of the mark's own row. */
  readonly key: Uint8Array;
  /** The key of the source row. */
  readonly row: Uint8Array;
  /** The segments of the source row. */
  readonly segments: Readonly<Record<string, unknown>>;
  /** Of the write. */
  readonly token: string;
  readonly since: Date;
  /** The position of its propagation; undefined at the beginning. */
  readonly position: string | undefined;
  /** Number of rows that are done. */
  readonly done: number;
}

/** A repeated request writes the same cells. */
const timestamp = 0;
const pageMarks = 256;

/** The marks of the rows of one source. */
export class Marks {
  readonly #engine: Engine;
  readonly #source: EntityModel;
  readonly #mark: EntityModel;

  /** `source` is a model with `copiedBy`. */
  constructor(engine: Engine, source: EntityModel) {
    this.#engine = engine;
    this.#source = source;
    this.#mark = source.copiedBy!.mark;
  }

  /** The table of the marks. */
  get table(): string {
    return this.#mark.table.name;
  }

  /** What writes a mark of a row. */
  mutation(row: Uint8Array, token: string, now: Date): RowMutation {
    const since = this.#column('since').codec.encode(now);
    return {
      key: this.#mark.key.encode({ ...this.#segments(row), [markToken]: token }),
      mutations: [{ kind: 'setCell', ...markColumns.since, timestamp, value: since }],
    };
  }

  /** The marks of one row. */
  async of(row: Uint8Array): Promise<readonly Mark[]> {
    const prefixes = [this.#segments(row)];
    const key = { depth: this.#source.segments.length, prefixes };
    return this.#read(rangesOf(this.#mark, { key }).perShard.flat());
  }

  /** All marks, in pages. A mark that is written meanwhile may be missing. */
  async *all(): AsyncGenerator<readonly Mark[]> {
    let ranges: readonly KeyRange[] = unionRanges(rangesOf(this.#mark, fullScan).perShard.flat());
    while (ranges.length > 0) {
      const marks = await this.#read(ranges, pageMarks);
      if (marks.length > 0) yield marks;
      if (marks.length < pageMarks) return;
      ranges = rangesAfter(ranges, marks[marks.length - 1].key, false);
    }
  }

  /** Stores how far the propagation of marks is, unless they were removed. */
  async advance(marks: readonly Mark[], position: string, done: number): Promise<void> {
    const mutations = [this.#setCell('position', position), this.#setCell('done', done)];
    for (const { key } of marks)
      await this.#engine.checkAndMutateRow(this.#mark.table.name, { key, onTrue: mutations });
  }

  async remove(marks: readonly Mark[]): Promise<void> {
    for (const { key } of marks)
      await this.#engine.mutateRow(this.#mark.table.name, {
        key,
        mutations: [{ kind: 'deleteFromRow' }],
      });
  }

  async #read(ranges: readonly KeyRange[], limit?: number): Promise<readonly Mark[]> {
    const filter: Filter = { kind: 'cellsPerColumn', count: 1 };
    const table = this.#mark.table.name;
    const stream = this.#engine.readRows({ table, ranges, reversed: false, limit, filter });
    return (await collectRows(stream)).flatMap((row) => this.#markOf(row) ?? []);
  }

  #markOf({ key, cells }: Row): Mark | undefined {
    const values = this.#mark.key.decode(key);
    if (values === undefined) return undefined;
    const { [markToken]: token, ...segments } = values;
    return {
      key,
      row: this.#source.key.encode(segments),
      segments,
      token: token as string,
      since: (this.#value('since', cells) as Date | undefined) ?? new Date(0),
      position: this.#value('position', cells) as string | undefined,
      done: (this.#value('done', cells) as number | undefined) ?? 0,
    };
  }

  #segments(row: Uint8Array): Record<string, unknown> {
    return this.#source.key.decode(row)!;
  }

  #column(name: keyof typeof markColumns): EntityModel['columns'][number] {
    return this.#mark.columns.find(({ property }) => property === name)!;
  }

  #value(name: keyof typeof markColumns, cells: readonly Cell[]): unknown {
    const column = this.#column(name);
    const value = newestOf(cells, column);
    return value && column.codec.decode(value, 0, value.length);
  }

  #setCell(name: keyof typeof markColumns, value: unknown): Mutation {
    const stored = this.#column(name).codec.encode(value);
    return { kind: 'setCell', ...markColumns[name], timestamp, value: stored };
  }
}
