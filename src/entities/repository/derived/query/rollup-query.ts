/** Queries of a rollup: of the model of its rows, with the declared values as results. */
import {
  invalidArgument,
  nearestName,
  quotedList,
  type Values,
  valueText,
  type FaultTexts,
} from '../../../../base/index.js';
import { OpenBuckets } from '../../../derived/index.js';
import {
  type EntityModel,
  type RollupModel,
  rowsProperty,
  scopedModel,
} from '../../../model/index.js';
import { fullScan, planOf } from '../../../query/index.js';
import type { Engine } from '../../../../data/store/index.js';
import type { Pages, ReaderContext } from '../../read/rows/entity-pages.js';
import { FurtherPages } from '../../read/runs/further-pages.js';
import { KeyQuery, type KeySource, planReading, storedRows } from '../../read/query/key-query.js';
import { PointReader } from '../../read/rows/point-reader.js';
import type { Reading } from '../../read/query/query.js';
import type { RunOptions } from '../../read/runs/query-run.js';
import { ScopeGuard } from '../../scope/scope-guard.js';
import { storagePath } from '../../storage-path.js';
import { rowNotFound } from '../../row-not-found.js';
import type { CallOptions } from '../../types/entity-types.js';

/** What the rollups of a repository are read with. */
export interface RollupParts {
  readonly context: ReaderContext;
  /** The entity, possibly in a scope. */
  readonly model: EntityModel;
  /** The path to rows of rollups. */
  readonly engine: Engine;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The rollup of an entity with this name. Throws INVALID_ARGUMENT. */
export function rollupQuery(parts: RollupParts, name: unknown): RollupQuery {
  const { context, model } = parts;
  const rollup = rollupOf(model, name);
  const { scope } = model.key;
  const rows = scope === undefined ? rollup.rows : scopedModel(rollup.rows, scope.values());
  const engine = storagePath(parts.engine, {
    scope: rows.key.scope && new ScopeGuard(rows, rows.key.scope.ranges),
  });
  const reads = { ...context, engine };
  const point = new PointReader(reads, rows);
  const results = new RollupResults(parts, rollup, point);
  return new RollupQuery(rollupSource(reads, rows, { rollup, point, results }), { spec: fullScan });
}

/** The rollup of a model with this name. Throws INVALID_ARGUMENT. */
export function rollupOf({ name: entity, rollups }: EntityModel, name: unknown): RollupModel {
  const rollup = rollups.find((each) => each.name === name);
  if (rollup !== undefined) return rollup;
  const names = rollups.map((each) => each.name);
  const nearest = nearestName(name, names);
  let fix = names.length === 0 ? 'declare static readonly rollups' : `use ${quotedList(names)}`;
  if (nearest !== undefined) fix = `did you mean '${nearest}'?`;
  throw invalidArgument('rollup', faults.unknownRollup(entity, name, fix), { entity });
}

/** Turns stored rows into results. */
class RollupResults {
  readonly #rollup: RollupModel;
  readonly #names: readonly string[];
  readonly #open: OpenBuckets;
  readonly #point: PointReader;
  readonly #given: () => Record<string, unknown>;

  constructor(
    { engine, model, context, now }: RollupParts,
    rollup: RollupModel,
    point: PointReader,
  ) {
    this.#rollup = rollup;
    this.#point = point;
    const { scope } = model.key;
    this.#given = () => scope?.values() ?? {};
    const hidden = Object.keys(this.#given());
    this.#names = rollup.by.filter((name) => !hidden.includes(name));
    const source = context.modelsOf(model.table.name).find(({ name }) => name === model.name);
    const whole = source!.rollups.find(({ id }) => id === rollup.id)!;
    this.#open = new OpenBuckets(engine, source!, whole, now);
  }

  /** The rows as writers leave them, without buckets that have no rows. */
  async filled(rows: readonly Values[], signal?: AbortSignal): Promise<Values[]> {
    return (await this.#settled(rows, signal)).filter(isFilled);
  }

  /** The result of a stored row. */
  of(row: Values): object {
    const result: Record<string, unknown> = {};
    for (const name of this.#names) result[name] = row[name];
    for (const { name, of } of this.#rollup.results) result[name] = of(row);
    return result;
  }

  /** The rows, after settling what their writers can no longer do. */
  async #settled(rows: readonly Values[], signal?: AbortSignal): Promise<readonly Values[]> {
    const open = rows.filter((row) => this.#open.isOpen(row));
    if (open.length === 0) return rows;
    await this.#open.settle(
      open.map((row) => ({ ...row, ...this.#given() })),
      signal,
    );
    const current = await this.#point.getMany(open.map((row) => this.#keyOf(row)));
    const byRow = new Map(open.map((row, i) => [row, current[i] as Values | undefined]));
    return rows.map((row) => byRow.get(row) ?? row);
  }

  #keyOf(row: Values): Values {
    return {
      ...Object.fromEntries(this.#rollup.by.map((name) => [name, row[name]])),
      ...this.#given(),
    };
  }
}

/** Whether a bucket has rows: one that became empty, or has only marks, has none. */
function isFilled(row: Values): boolean {
  const count = row[rowsProperty];
  return count !== undefined && count !== 0n;
}

interface RollupSource extends KeySource {
  readonly rollup: RollupModel;
  readonly point: PointReader;
  readonly results: RollupResults;
}

/** Implements what `rollup()` returns. Immutable. */
export class RollupQuery extends KeyQuery<object, RollupSource> {
  async get(key: unknown, options?: CallOptions): Promise<object | undefined> {
    const { point, rollup, results, model } = this.source;
    this.checkOptions('get()', options);
    if (typeof key !== 'object' || key === null)
      throw invalidArgument('key', faults.wrongKey(model.key.names, key), { entity: model.name });
    const segments = { ...(key as Record<string, unknown>), ...model.key.scope?.values() };
    const at = segments[rollup.time];
    // Other values are reported by the key.
    if (at instanceof Date)
      segments[rollup.time] = new Date(Math.floor(at.getTime() / rollup.width) * rollup.width);
    const row = await point.get(segments, options);
    if (row === undefined) return undefined;
    const [filled] = await results.filled([row as Values], options?.signal);
    return filled && results.of(filled);
  }

  async getOrThrow(key: unknown, options?: CallOptions): Promise<object> {
    const found = await this.get(key, options);
    if (found !== undefined) return found;
    throw rowNotFound(this.source.model, key as Values, `rollup '${this.source.rollup.name}'`);
  }
}

function rollupSource(
  context: ReaderContext,
  model: EntityModel,
  parts: Pick<RollupSource, 'rollup' | 'point' | 'results'>,
): RollupSource {
  const { results } = parts;
  return {
    ...storedRows(context, model),
    ...parts,
    rows: undefined,
    reading: (spec, ranges) => {
      const isDistinct = spec.distinct === true;
      // Rows are counted by what is in them.
      const plan = planOf(model, { ...spec, keysOnly: isDistinct }, ranges);
      const stored = planReading(context, model, plan);
      if (isDistinct) return stored;
      return {
        ...stored,
        open: (options) => new FilledPages(stored, model, results, options),
        resultOf: (row) => results.of(row as Values),
      };
    },
  };
}

/** Stored rows as writers leave them. Buckets without rows do not count in the limit. */
class FilledPages implements Pages<object> {
  readonly #rows: FurtherPages<object>;
  readonly #results: RollupResults;
  readonly #signal: AbortSignal | undefined;
  #left: number;

  constructor(
    stored: Pick<Reading<object>, 'open'>,
    model: EntityModel,
    results: RollupResults,
    options: RunOptions,
  ) {
    const keyOf = (row: object): Uint8Array => model.key.encode(row as Values);
    this.#rows = new FurtherPages((each) => stored.open(each), keyOf, options);
    this.#results = results;
    this.#signal = options.signal;
    this.#left = options.limit ?? Infinity;
  }

  async next(): Promise<object[] | undefined> {
    while (this.#left > 0) {
      const page = await this.#rows.next();
      if (page === undefined) return undefined;
      const filled = await this.#results.filled(page as Values[], this.#signal);
      const rows = filled.slice(0, this.#left);
      this.#left -= rows.length;
      if (rows.length > 0) return rows;
    }
    await this.close();
    return undefined;
  }

  close(): Promise<void> {
    this.#left = 0;
    return this.#rows.close();
  }
}

const faults = {
  unknownRollup: (entity: string, name: unknown, fix: string) => ({
    problem: `${entity} has no rollup ${valueText(name)}`,
    fix,
  }),
  wrongKey: (names: readonly string[], key: unknown) => ({
    problem: `a key is an object with ${quotedList(names)}, not ${valueText(key)}`,
    fix: 'pass the segments of the row; any time of its bucket will do',
  }),
} satisfies FaultTexts;
