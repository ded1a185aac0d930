/** A conformance case: a guarantee of engines (docs/data-model.md), as data with its check. */
import type { Engine, FamilySchema, Mutation, ReadPlan, Row } from '../../data/store/index.js';
import { Difference, equal, shownValue } from './assert.js';
import { rowsOf, shown, caseTable, utf8, withSortedFamilies } from './rows.js';

/** Families of the table that each case finds, without rows. */
export const caseFamilies: ReadonlyMap<string, FamilySchema> = new Map<string, FamilySchema>([
  ['b', {}],
  ['a', {}],
  ['sum', { aggregate: 'sum' }],
  ['min', { aggregate: 'min' }],
  ['max', { aggregate: 'max' }],
]);

/** One guarantee. */
export interface ConformanceCase {
  /** Identifiers of docs/data-model.md and a colon, if it has any; then what holds. */
  readonly title: string;
  /**
   * Why the case cannot hold on a service (Cloud Bigtable, or a server like it), where the clock,
   * the time of changes and the size of pages are not ours: it is left out, or checked less
   * strictly.
   */
  readonly onService?: { readonly leftOut: string } | { readonly relaxed: string };
  /** It changes or drops the table, so that the next case needs another one. */
  readonly changesTable?: true;
  /** It closes its engine, and no other case may use it. */
  readonly closes?: true;
  /** Rejects with Difference if the guarantee does not hold. */
  run(context: CaseContext): Promise<void>;
}

/** Cases of one subject. */
export interface CaseGroup {
  readonly title: string;
  readonly cases: readonly ConformanceCase[];
}

/** The clock of an embedded engine, in milliseconds. */
export interface CaseClock {
  now(): number;
  advance(ms: number): void;
}

/** What a case runs on. */
export interface CaseTarget {
  readonly engine: Engine;
  /** Undefined on a service. */
  readonly clock?: CaseClock | undefined;
  /** Closes the engine and opens its database again. Undefined if nothing outlives the engine. */
  readonly reopen?: (() => Promise<Engine>) | undefined;
  /** How long a service may take until reads show a change of tables, in milliseconds. */
  readonly settleMs?: number | undefined;
}

/** Pause between two reads of `eventually`, in milliseconds. */
const pollMs = 1_000;

/** The target of a case, with its usual calls. */
export class CaseContext {
  readonly engine: Engine;
  readonly clock: CaseClock | undefined;
  readonly reopen: (() => Promise<Engine>) | undefined;
  readonly #settleMs: number;

  constructor({ engine, clock, reopen, settleMs = 0 }: CaseTarget) {
    this.#settleMs = settleMs;
    this.engine = engine;
    this.clock = clock;
    this.reopen = reopen;
  }

  /** Whether the clock and the timing are not ours. */
  get isService(): boolean {
    return this.clock === undefined;
  }

  /** Writes one row of the table. */
  readonly put = (key: string, ...mutations: Mutation[]): Promise<void> =>
    this.engine.mutateRow(caseTable, { key: utf8(key), mutations });

  /** Rows of the table. */
  readonly rows = (plan?: Partial<ReadPlan>, pageRows?: number): Promise<Row[]> =>
    rowsOf(this.engine, plan, pageRows);

  /** The first row of the table. */
  readonly row = async (plan?: Partial<ReadPlan>): Promise<Row> => {
    const [row] = await this.rows({ ...plan, limit: 1 });
    if (row === undefined) throw new Difference('a row', 'no row');
    return row;
  };

  /** Rows of the table as text; of a service with families in the order of their names. */
  readonly read = async (plan?: Partial<ReadPlan>, pageRows?: number): Promise<string[]> => {
    const rows = await this.rows(plan, pageRows);
    return shown(this.isService ? withSortedFamilies(rows) : rows);
  };

  /** `equal` for the effect of a change of tables, for which a service may take some time. */
  readonly eventually = async <T>(find: () => Promise<T>, expected: T): Promise<void> => {
    let found = await find();
    const end = Date.now() + this.#settleMs;
    while (shownValue(found) !== shownValue(expected) && Date.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, pollMs));
      found = await find();
    }
    equal(found, expected);
  };
}
