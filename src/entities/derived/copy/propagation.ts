/** Runs propagations of one source entity: reads marks, and writes the copies of their rows. */
import {
  type KeyRange,
  latin1Text,
  pointRange,
  rangesAfter,
  RowsmithError,
  unionRanges,
  type FaultTexts,
} from '../../../base/index.js';
import type { CopyModel, EntityModel, IndexModel } from '../../model/index.js';
import { rangesOf } from '../../query/index.js';
import { collectRows, type Engine, type Row } from '../../../data/store/index.js';
import { entryFilter } from '../index/entry-filter.js';
import { RowWriter, newId, type ReadBefore } from '../write/row-writer.js';
import type { WatchedRow } from '../write/watched-rows.js';
import { RowTurns } from '../write/row-turns.js';
import { type Mark, Marks } from '../source/marks.js';
import {
  continuePropagation,
  type PropagationAnswer,
  type PropagationRequest,
  startPropagation,
} from './propagate.js';

/** Rows that are read together, and how many of them are written at the same time. */
const pageEntries = 256;
const rowsInFlight = 32;
/** How often a row is looked at again because other writers change it. */
const maxLooks = 16;

/** An entry of the index by which the copies of a source are found. */
interface FoundEntry {
  readonly link: number;
  /** Of the entry, and of the row. */
  readonly entry: Uint8Array;
  readonly row: Uint8Array;
}

/** An entity that copies from the source, and how. */
interface Link {
  /** The same in all programs. */
  readonly id: string;
  readonly writer: RowWriter;
  /** The turns of the rows of its entity. */
  readonly turns: RowTurns;
  readonly copy: CopyModel;
}

export interface PropagationOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of rows that this run has written. */
  readonly onProgress?: ((done: number) => void) | undefined;
}

/** One run, and what it found so far. */
interface Run {
  readonly row: Uint8Array;
  readonly marks: readonly Mark[];
  readonly named: (tokens: readonly string[]) => readonly Mark[];
  readonly signal: AbortSignal | undefined;
  readonly failed: RowsmithError[];
}

/** The copies of the rows of one source. */
export class Propagation {
  readonly marks: Marks;
  readonly #engine: Engine;
  readonly #source: EntityModel;
  readonly #writer: RowWriter;
  readonly #links: readonly Link[];

  /** `source` is a model with `copiedBy`. */
  constructor(
    engine: Engine,
    source: EntityModel,
    turnsOf: (target: EntityModel) => RowTurns = () => new RowTurns(),
  ) {
    this.#engine = engine;
    this.#source = source;
    this.marks = new Marks(engine, source);
    this.#writer = new RowWriter(engine, source);
    this.#links = source.copiedBy!.targets.flatMap((target) => {
      const writer = new RowWriter(engine, target);
      const turns = turnsOf(target);
      return target
        .copies!.filter((copy) => copy.source.entityClass === source.entityClass)
        .map((copy) => ({
          id: `${target.name}/${target.indexes[copy.index].id}`,
          writer,
          turns,
          copy,
        }));
    });
  }

  /**
   * Writes the copies of a row for which there are marks, and removes these. Resolves to the number
   * of rows. Rejects with CONTENTION, the errors of the storage, and the signal's reason: the marks
   * stay, and another call goes on.
   */
  async run(row: Uint8Array, { signal, onProgress }: PropagationOptions = {}): Promise<number> {
    let step = startPropagation<FoundEntry>();
    let marks: readonly Mark[] = [];
    let done = 0;
    const failed: RowsmithError[] = [];
    while (step.kind === 'ask') {
      signal?.throwIfAborted();
      const { state, request }: typeof step = step;
      const named = (tokens: readonly string[]): readonly Mark[] =>
        marks.filter(({ token }) => tokens.includes(token));
      if (request.kind === 'readMarks') marks = await this.marks.of(row);
      if (request.kind === 'removeMarks' && failed.length > 0) throw failed[0];
      const run = { row, marks, named, signal, failed };
      const answer = await this.#answer(run, request);
      if (request.kind === 'refresh') {
        done += request.entries.length;
        onProgress?.(done);
      }
      step = continuePropagation(state, answer);
    }
    if (step.result === 'busy') throw this.#contention('the source was');
    return done;
  }

  async #answer(
    { row, marks, named, signal, failed }: Run,
    request: PropagationRequest<FoundEntry>,
  ): Promise<PropagationAnswer<FoundEntry>> {
    const { requests } = this.#writer;
    switch (request.kind) {
      case 'readMarks':
        return { kind: 'marks', marks };
      case 'readVersion':
        return { kind: 'version', version: (await requests.readRow(row)).version };
      case 'fence': {
        const fence = { row: latin1Text(row), version: request.version, next: `${newId()}.f` };
        const write = { key: row, mutations: [], condition: undefined };
        const answer = await requests.send({ kind: 'fence', ...fence }, write);
        return { kind: 'done', applied: answer.kind === 'done' && answer.applied };
      }
      case 'page':
        return this.#page(row, request.after);
      case 'refresh':
        failed.push(...(await this.#refresh(request.entries, signal)));
        break;
      case 'advance':
        // Another propagation has to look at a row that failed again.
        if (failed.length > 0) break;
        await this.marks.advance(named(request.tokens), request.position, request.done);
        break;
      case 'removeMarks':
        await this.marks.remove(named(request.tokens));
        break;
    }
    return { kind: 'done', applied: true };
  }

  /** The next entries of one index. A position of an index that is gone is the beginning. */
  async #page(
    row: Uint8Array,
    after: string | undefined,
  ): Promise<Extract<PropagationAnswer<FoundEntry>, { kind: 'page' }>> {
    const [id, key] = after?.split(':') ?? [];
    const at = Math.max(
      0,
      this.#links.findIndex((link) => link.id === id),
    );
    const { writer, copy } = this.#links[at];
    const index = writer.model.indexes[copy.index];
    let ranges = this.#rangesOf(row, this.#links[at]);
    if (this.#links[at].id === id && key !== undefined)
      ranges = rangesAfter(ranges, Buffer.from(key, 'base64url'), false);
    const rows = ranges.length === 0 ? [] : await this.#entries(index, ranges);
    const entries = rows.flatMap((entry) => this.#found(at, entry) ?? []);
    return { kind: 'page', entries, position: this.#positionAfter(at, rows) };
  }

  #positionAfter(at: number, rows: readonly Row[]): string | undefined {
    if (rows.length === pageEntries) {
      const last = Buffer.from(rows[rows.length - 1].key).toString('base64url');
      return `${this.#links[at].id}:${last}`;
    }
    return at + 1 < this.#links.length ? this.#links[at + 1].id : undefined;
  }

  /** Where the entries of rows that copy from a row are. */
  #rangesOf(row: Uint8Array, { writer, copy }: Link): readonly KeyRange[] {
    const segments = this.#source.key.decode(row)!;
    const fixed = Object.fromEntries(
      Array.from(copy.by, ([segment, property]) => [property, segments[segment]]),
    );
    const { entry } = writer.model.indexes[copy.index];
    if (entry.segments.length === copy.by.size) return [pointRange(entry.key.encode(fixed))];
    const key = { depth: copy.by.size, prefixes: [fixed] };
    return unionRanges(rangesOf(entry, { key }).perShard.flat());
  }

  #entries(index: IndexModel, ranges: readonly KeyRange[]): Promise<readonly Row[]> {
    const { name } = index.entry.table;
    const filter = entryFilter(index);
    const plan = { table: name, ranges, reversed: false, filter, limit: pageEntries };
    return collectRows(this.#engine.readRows(plan));
  }

  #found(link: number, { key, cells }: Row): FoundEntry | undefined {
    const { writer, copy } = this.#links[link];
    const index = writer.model.indexes[copy.index];
    const { qualifier } = index.own.holder;
    const row = index.unique
      ? cells.find((cell) => Buffer.compare(cell.qualifier, qualifier) === 0)?.value
      : writer.requests.baseKey(index, key);
    return row && { link, entry: key, row };
  }

  /**
   * The rows of a page are read together, then their sources: see the protocol. Resolves to errors
   * of rows that cannot hold what they copy.
   */
  async #refresh(
    entries: readonly FoundEntry[],
    signal: AbortSignal | undefined,
  ): Promise<readonly RowsmithError[]> {
    const before = await this.#readBefore(entries);
    const errors: RowsmithError[] = [];
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < entries.length) {
        signal?.throwIfAborted();
        const i = next++;
        try {
          const { turns } = this.#links[entries[i].link];
          const { row } = entries[i];
          const known = turns.isBusy(row) ? undefined : before[i];
          await turns.take(row, () => this.#refreshRow(entries[i], known));
        } catch (error) {
          if (!isOfRow(error)) throw error;
          errors.push(error);
        }
      }
    };
    const workers = Array.from({ length: Math.min(rowsInFlight, entries.length) }, work);
    for (const settled of await Promise.allSettled(workers))
      if (settled.status === 'rejected') throw settled.reason;
    return errors;
  }

  async #readBefore(entries: readonly FoundEntry[]): Promise<readonly (ReadBefore | undefined)[]> {
    const [{ link }] = entries;
    const { writer } = this.#links[link];
    const { rows, requests, model } = writer;
    const stored = await collectRows(
      this.#engine.readRows({
        table: model.table.name,
        ranges: unionRanges(entries.map(({ row }) => pointRange(row))),
        reversed: false,
        filter: rows.filter,
      }),
    );
    const cellsOf = new Map(stored.map(({ key, cells }) => [latin1Text(key), cells]));
    const seen = entries.map(({ row }) => rows.seen(row, cellsOf.get(latin1Text(row)) ?? []));
    const names = entries.map(({ row }, i) => sourcesOf(writer, row, seen[i]));
    const copied = await requests.readSources([...new Set(names.flatMap((each) => each ?? []))]);
    const valuesOf = new Map(copied.map((each) => [each.source, each]));
    return seen.map((row, i) => {
      const own = names[i]?.map((name) => valuesOf.get(name)!);
      return own && { row, copied: own };
    });
  }

  /** A row that does not exist may be about to be written with what it copies: it is fenced. */
  async #refreshRow(
    { link, entry, row }: FoundEntry,
    before: ReadBefore | undefined,
  ): Promise<void> {
    const { writer, copy } = this.#links[link];
    const name = { index: copy.index, key: latin1Text(entry) };
    let known = before;
    for (let look = 0; look < maxLooks; look++) {
      if (await writer.refresh(row, known)) return;
      known = undefined;
      const { kind } = await writer.repair(name, row);
      if (kind === 'deleted') return;
      if (kind === 'failed') throw new RowsmithError('UNAVAILABLE', { entity: writer.model.name });
      // Kept: the entry is gone, or the row exists now.
      if (kind === 'kept' && !(await writer.requests.readRow(row)).exists) return;
    }
    throw this.#contention('a row with a copy was');
  }

  #contention(what: string): RowsmithError {
    return new RowsmithError('CONTENTION', {
      entity: this.#source.name,
      ...faults.changedMeanwhile(what),
    });
  }
}

/** Undefined for a row with a value that is no key of a source: its write reports the error. */
function sourcesOf(
  { rows }: RowWriter,
  key: Uint8Array,
  seen: WatchedRow,
): readonly string[] | undefined {
  try {
    return rows.sources(key, seen, { mutations: [] });
  } catch (error) {
    if (!(error instanceof RowsmithError)) throw error;
    return undefined;
  }
}

/** Whether the next row may still be written. */
function isOfRow(error: unknown): error is RowsmithError {
  return (
    error instanceof RowsmithError && (error.code === 'INVALID_KEY' || error.code === 'CONTENTION')
  );
}

const faults = {
  changedMeanwhile: (what: string) => ({
    problem: `${what} written by another writer at each attempt`,
    fix: 'call db.derived.propagate() later',
    shell: { fix: 'run rowsmith derived propagate later' },
  }),
} satisfies FaultTexts;
