/**
 * Time series in wide rows: a row for each interval of time, and in its column map an entry for
 * each time. A range of times is one range of rows and, in each of them, one range of qualifiers.
 */
import {
  checkOptions,
  checkSignal,
  isDate,
  RowsmithError,
  valueText,
  type FaultTexts,
  type ProblemText,
} from '../../../../base/index.js';
import type { ColumnModel, EntityModel, SegmentModel } from '../../../model/index.js';
import {
  checkCount,
  type Entries,
  type Explanation,
  type QuerySpec,
} from '../../../query/index.js';
import type { Page, PageRequest } from '../../types/query-types.js';
import type { TimedEntry } from '../../types/series-types.js';

/** Rows are wide: the default page of 256 rows would hold too many entries at once. */
const rowsPerPage = 8;

/** Maximum number of rows that are read at once for a limited number of entries. */
const maxRowsPerPage = 64;

/** The methods of a query that a series needs. */
export interface SeriesSource {
  between(segment: string, from: unknown, to: unknown): SeriesSource;
  since(segment: string, from: unknown): SeriesSource;
  until(segment: string, to: unknown): SeriesSource;
  select(part: Entries): SeriesSource;
  reverse(): SeriesSource;
  limit(rows: number): SeriesSource;
  signal(signal: AbortSignal): SeriesSource;
  pages(): AsyncIterableIterator<object[]>;
  page(request: PageRequest): Promise<Page<object>>;
  explain(): Explanation;
}

/** Options of a series, untyped. */
interface SeriesRange {
  readonly from?: Date;
  readonly to?: Date;
  readonly limit?: number;
  readonly newestFirst?: boolean;
  readonly signal?: AbortSignal;
}

type MapColumn = Extract<ColumnModel, { readonly kind: 'columnMap' }>;

/** Implements Series. Immutable. */
export class EntrySeries implements AsyncIterable<TimedEntry<unknown>> {
  readonly #query: SeriesSource;
  readonly #property: string;
  readonly #limit: number;
  /** Whether the entries of a row come in the opposite order. */
  readonly #turned: boolean;

  /** Throws INVALID_QUERY and INVALID_ARGUMENT. `source` has the conditions of `spec`. */
  constructor(
    model: EntityModel,
    spec: QuerySpec,
    source: (pageRows: number) => SeriesSource,
    property: unknown,
    options: unknown,
  ) {
    const column = timedMap(model, property);
    const segment = timeSegment(model, spec);
    const { from, to, limit, newestFirst, signal } = checkRange(model, options);
    this.#property = column.property;
    this.#limit = limit ?? Infinity;
    this.#turned = column.qualifiers.descending !== newestFirst;
    const pageRows = limit === undefined ? rowsPerPage : 1;
    let query = boundQuery(source(pageRows), segment.property, from, to);
    if ((segment.type.order === 'desc') !== newestFirst) query = query.reverse();
    if (limit !== undefined) query = query.limit(limit);
    if (signal !== undefined) query = query.signal(signal);
    this.#query = query.select(this.#part(from, to));
  }

  async first(): Promise<TimedEntry<unknown> | undefined> {
    for await (const entry of this) return entry;
    return undefined;
  }

  async all(): Promise<TimedEntry<unknown>[]> {
    const found: TimedEntry<unknown>[] = [];
    for await (const entry of this) found.push(entry);
    return found;
  }

  explain(): Explanation {
    return this.#query.explain();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<TimedEntry<unknown>> {
    let left = this.#limit;
    for await (const page of this.#pages()) {
      for (const row of page) {
        for (const entry of this.#entriesOf(row)) {
          yield entry;
          if (--left === 0) return;
        }
      }
    }
  }

  #pages(): AsyncIterable<readonly object[]> {
    if (this.#turned && this.#limit < Infinity) return this.#growingPages();
    return this.#query.pages();
  }

  /** Rows that are read whole for a few of their entries: one, and more only if it has too few. */
  async *#growingPages(): AsyncGenerator<readonly object[]> {
    let after: string | undefined;
    for (let size = 1; ; size = Math.min(size * 4, maxRowsPerPage)) {
      const { rows, next } = await this.#query.page({ size, after });
      yield rows;
      if (next === undefined) return;
      after = next;
    }
  }

  /** The entries of each row. If a row has to be turned, its last entries are the first. */
  #part(from: Date | undefined, to: Date | undefined): Entries {
    const range: { from?: Date; to?: Date; limit?: number } = {};
    if (from !== undefined) range.from = from;
    if (to !== undefined) range.to = to;
    if (this.#limit < Infinity && !this.#turned) range.limit = this.#limit;
    return { entriesOf: this.#property, form: 'list', range };
  }

  #entriesOf(row: object): TimedEntry<unknown>[] {
    const found = (row as Record<string, TimedEntry<unknown>[]>)[this.#property];
    if (this.#turned) return found.reverse();
    return found;
  }
}

function boundQuery(
  source: SeriesSource,
  segment: string,
  from: Date | undefined,
  to: Date | undefined,
): SeriesSource {
  if (from !== undefined && to !== undefined) return source.between(segment, from, to);
  if (from !== undefined) return source.since(segment, from);
  if (to !== undefined) return source.until(segment, to);
  return source;
}

function timedMap(model: EntityModel, property: unknown): MapColumn {
  const isTimed = (column: ColumnModel): column is MapColumn =>
    column.kind === 'columnMap' && column.qualifiers.type.kind === 'timestamp';
  const column = model.columns.find((candidate) => candidate.property === property);
  if (column !== undefined && isTimed(column)) return column;
  const names = model.columns.filter(isTimed).map((each) => each.property);
  let fix = "declare @ColumnMap(family, type, { qualifiers: 'timestamp' })";
  if (names.length > 0) fix = `use one of ${names.join(', ')}`;
  throw new RowsmithError('INVALID_QUERY', {
    entity: model.name,
    property: typeof property === 'string' ? property : 'series',
    ...faults.notATimestampMap(property, fix),
  });
}

/** The last segment of the key: the start of a row's interval. */
function timeSegment(model: EntityModel, spec: QuerySpec): SegmentModel {
  const problem = seriesProblem(model, spec);
  if (problem === undefined) return model.segments[spec.key.depth];
  const last = model.segments[model.segments.length - 1].property;
  const before = model.key.names.slice(0, -1).map((name) => `${name}: ...`);
  throw new RowsmithError('INVALID_QUERY', {
    entity: model.name,
    property: last,
    ...faults.unfitKey(problem, before.join(', '), last),
  });
}

function seriesProblem(model: EntityModel, spec: QuerySpec): string | undefined {
  const { key, firstPer, reversed, limit, select, keysOnly } = spec;
  if (key.prefixes.length !== 1) return 'a series is that of one prefix';
  if (key.bound !== undefined || firstPer !== undefined)
    return 'series() takes its own range of times';
  if (reversed || limit !== undefined || select !== undefined || keysOnly)
    return 'series() takes its own order and limit, and reads its own columns';
  if (key.depth !== model.segments.length - 1)
    return 'a series needs values for all segments but the last';
  const { property, type } = model.segments[key.depth];
  const isFloored =
    (type.kind === 'timestamp' && type.floor !== undefined) ||
    (type.kind === 'isoDate' && type.precision === 'day');
  if (isFloored) return undefined;
  return `'${property}' is not a floored time, so that a row has no interval`;
}

function checkRange(
  model: EntityModel,
  options: unknown,
): SeriesRange & { readonly newestFirst: boolean } {
  if (options === undefined) return { newestFirst: false };
  const entity = model.name;
  const known = ['from', 'to', 'limit', 'newestFirst', 'signal'];
  checkOptions('series()', options, known, { entity });
  const { from, to, limit, newestFirst = false, signal } = options as SeriesRange;
  for (const [name, value] of Object.entries(options as object)) {
    if (value === undefined && name !== 'signal')
      throw rangeError(entity, name, faults.undefinedOption(name));
  }
  if (limit !== undefined) checkCount(model, 'limit', limit);
  if (typeof newestFirst !== 'boolean') throw rangeError(entity, 'newestFirst', faults.notABoolean);
  for (const [name, value] of Object.entries({ from, to })) {
    if (value !== undefined && !(isDate(value) && value.getTime() >= 0))
      throw rangeError(entity, name, faults.notADate(name));
  }
  if (signal !== undefined) checkSignal(signal, { entity });
  return { from, to, limit, newestFirst, signal };
}

function rangeError(entity: string, property: string, { problem }: ProblemText): RowsmithError {
  return new RowsmithError('INVALID_QUERY', {
    entity,
    property,
    ...faults.wrongRange(problem),
  });
}

const faults = {
  notATimestampMap: (property: unknown, fix: string) => ({
    problem: `series() reads a column map with timestamp qualifiers, and ${valueText(property)} is not one`,
    fix,
  }),
  unfitKey: (problem: string, list: string, last: string) => ({
    problem,
    fix: `write prefix({ ${list} }).series(...), with a floored '${last}' at the end of the key`,
  }),
  undefinedOption: (name: string) => ({
    problem: `${name} is undefined, which never widens a query`,
  }),
  notABoolean: { problem: 'newestFirst is not a boolean' },
  notADate: (name: string) => ({ problem: `${name} is not a valid Date since 1970` }),
  wrongRange: (problem: string) => ({ problem, fix: 'pass another value, or leave it out' }),
} satisfies FaultTexts;
