/** The generator of random histories. */
import type {
  DropTarget,
  FamilyChange,
  Filter,
  GcRule,
  Mutation,
  ReadModifyWriteRule,
  RowMutation,
} from '../../src/data/store/index.js';
import { random, type Random } from '../engines/history.js';
import { bytes, ValueGenerator, rules, second } from './value-generator.js';
import { deepFilter, randomFilter } from './generate-filter.js';
import type { History, KeyBound, Operation, ReadOperation } from './operation.js';

type Table = Omit<History, 'operations'>;
const day = 86_400 * second;
const aggregates = {
  s: { aggregate: 'sum' },
  low: { aggregate: 'min' },
  high: { aggregate: 'max' },
} as const;
const familiesWithRules = {
  a: { gc: rules[1] },
  b: { gc: rules[2] },
  c: { gc: rules[3] },
  d: { gc: rules[4] },
  e: {},
  s: { aggregate: 'sum', gc: rules[2] },
} as const;

/** Tables that Google's emulator supports, too (rules.ts, historyRules). */
const emulatorTables: readonly Table[] = [
  { families: { a: {} } },
  { families: { a: {}, 'b-2': {}, Z: {} }, splitKeys: [bytes(0x61), bytes(0x62)] },
  { families: { a: {}, s: { aggregate: 'sum' } } },
];
const ownTables: readonly Table[] = [
  { families: aggregates },
  {
    families: {
      a: { gc: { kind: 'maxVersions', versions: 2 } },
      b: { gc: { kind: 'maxAge', micros: day } },
      c: {
        gc: {
          kind: 'intersection',
          rules: [
            { kind: 'maxVersions', versions: 1 },
            { kind: 'maxAge', micros: day },
          ],
        },
      },
    },
  },
  { families: { a: {}, b: {} }, granularity: 'micros' },
];
const clockTables: readonly Table[] = [
  { families: familiesWithRules, clock: true },
  { families: familiesWithRules, clock: true, gc: 'manual' },
];

const hex = (value: Uint8Array): string => Buffer.from(value).toString('hex');

/** The history of a seed, with `length` calls. */
export function generate(seed: number, length: number): History {
  const next = random(seed);
  const table = pickTable(next);
  const generator = new HistoryGenerator(new ValueGenerator(next, table), table);
  const operations = Array.from({ length }, () => generator.operation());
  // Enough data that row keys are sampled. Only a few histories, since each of their reads takes as
  // long as a hundred other reads.
  if (seed % 90 === 7)
    operations.splice(
      length >> 1,
      0,
      generator.fillTable(),
      { kind: 'sample' },
      { kind: 'reopen' },
      { kind: 'drop', target: { kind: 'prefix', prefix: bytes(0x61) } },
      { kind: 'sample' },
      { kind: 'drop', target: { kind: 'all' } },
    );
  return { ...table, operations };
}

function pickTable(next: Random): Table {
  const kind = next(20);
  if (kind < 15) return emulatorTables[next(emulatorTables.length)];
  if (kind < 18) return ownTables[next(ownTables.length)];
  return clockTables[next(clockTables.length)];
}

class HistoryGenerator {
  readonly #values: ValueGenerator;
  readonly #table: Table;

  constructor(values: ValueGenerator, table: Table) {
    this.#values = values;
    this.#table = table;
  }

  operation(): Operation {
    const values = this.#values;
    const kind = values.next(100);
    if (kind < 18) return { kind: 'mutateRow', ...this.#row(new Set()) };
    if (kind < 37) {
      const clockedColumns = new Set<string>();
      return { kind: 'mutateRows', rows: values.list(24, () => this.#row(clockedColumns)) };
    }
    if (kind < 47) return this.#check();
    if (kind < 57) return { kind: 'modify', key: values.key(), rules: this.#rules() };
    if (kind < 92) return this.#read();
    if (kind < 94) return { kind: 'drop', target: this.#dropTarget() };
    if (kind < 96) {
      const changes = [this.#change()];
      if (values.oneIn(4)) changes.push(this.#change());
      return { kind: 'families', changes };
    }
    if (kind < 98 && this.#table.clock === true)
      return { kind: 'wait', ms: values.pick([1, 1000, 1000, 2000, 3000, 4000]) };
    if (kind >= 98 && this.#table.gc === 'manual')
      return { kind: values.pick(['collect', 'reopen']) };
    return this.#otherOperation();
  }

  #dropTarget(): DropTarget {
    const values = this.#values;
    if (values.oneIn(6)) return { kind: 'all' };
    const key = values.key();
    if (values.oneIn(12)) return { kind: 'prefix', prefix: key.slice(0, 0) };
    return { kind: 'prefix', prefix: key.slice(0, 1 + values.next(2)) };
  }

  /** Writes more than two megabytes. */
  fillTable(): Operation {
    const [family] = this.#values.familyNames;
    const isAggregate = this.#table.families[family].aggregate !== undefined;
    const mutation = (at: number): Mutation => {
      const cell = { family, qualifier: bytes(), timestamp: 0 };
      if (isAggregate) return { kind: 'addToCell', ...cell, input: BigInt(at) };
      return { kind: 'setCell', ...cell, value: new Uint8Array(100_000).fill(at) };
    };
    const row = (at: number): RowMutation => ({
      key: bytes(at % 2 === 0 ? 0x61 : 0x7f, at),
      mutations: [mutation(at)],
    });
    return { kind: 'mutateRows', rows: Array.from({ length: 24 }, (_none, at) => row(at)) };
  }

  /** Operations other than reads and writes. */
  #otherOperation(): Operation {
    const values = this.#values;
    switch (values.next(14)) {
      case 0:
        return { kind: 'reopen' };
      case 1:
        return { kind: 'collect' };
      case 2:
      case 3:
        return { kind: 'schema' };
      case 4:
        return {
          kind: 'token',
          bogus: values.inOneOf(3, () => true),
          mode: values.inOneOf(2, () =>
            values.pick(['standardReadRemoteWrites', 'dataBoostReadLocalWrites']),
          ),
        };
      case 5:
        return { kind: 'protect', on: values.oneIn(2) };
      case 6:
        return {
          kind: 'recreate',
          families: this.#table.families,
          granularity: this.#table.granularity,
          splitKeys: this.#table.splitKeys,
        };
      case 7:
      case 8:
      case 11:
        return { kind: 'missingTable', call: this.#operationOnMissingTable() };
      case 9:
        return { kind: 'list' };
      case 10:
        return { kind: 'ping' };
      default:
        return { kind: 'sample' };
    }
  }

  /** An operation without any other error. */
  #operationOnMissingTable(): Operation {
    const key = bytes(0x61);
    const mutations: readonly Mutation[] = [{ kind: 'deleteFromRow' }];
    return this.#values.pick<Operation>([
      { kind: 'mutateRow', key, mutations },
      { kind: 'mutateRows', rows: [{ key, mutations }] },
      { kind: 'check', key, onTrue: mutations, onFalse: [] },
      { kind: 'modify', key, rules: [{ kind: 'append', family: 'a', qualifier: key, value: key }] },
      { kind: 'read', keys: [], ranges: [], reversed: false },
      { kind: 'drop', target: { kind: 'prefix', prefix: key } },
      { kind: 'families', changes: [{ kind: 'create', family: 'new', schema: {} }] },
      { kind: 'sample' },
      { kind: 'token' },
      { kind: 'schema' },
      { kind: 'protect', on: true },
      { kind: 'list' },
    ]);
  }

  #row(clockedColumns: Set<string>): RowMutation {
    const values = this.#values;
    const key = values.key();
    if (values.rarely()) return { key, mutations: [] };
    const first = this.#mutation(key, clockedColumns);
    return {
      key,
      mutations: [first, ...values.list(3, () => this.#mutation(key, clockedColumns))],
    };
  }

  /**
   * `clockedColumns`: the columns of this call with a cell that has the time of the server. There
   * is at most one for each column, since the clock may or may not advance before the next.
   */
  #mutation(key: Uint8Array, clockedColumns: Set<string>): Mutation {
    const values = this.#values;
    const kind = values.next(20);
    const family = values.family();
    const qualifier = values.qualifier();
    if (kind === 0) return { kind: 'deleteFromRow' };
    if (kind === 1) return { kind: 'deleteFromFamily', family };
    if (kind < 5)
      return {
        kind: 'deleteFromColumn',
        family,
        qualifier,
        start: values.inOneOf(2, () => values.timestamp()),
        end: values.inOneOf(2, () => values.timestamp()),
      };
    const isAggregate = values.schema(family)?.aggregate !== undefined;
    // Rarely the wrong kind of mutation for the family.
    if (values.rarely() !== isAggregate) {
      if (values.oneIn(3))
        return {
          kind: 'mergeToCell',
          family,
          qualifier,
          timestamp: values.timestamp(),
          input:
            values.exceptOneIn(8, () =>
              new Uint8Array(values.rarely() ? 7 : 8).fill(values.pick([0, 1, 255])),
            ) ?? null,
        };
      return {
        kind: 'addToCell',
        family,
        qualifier,
        timestamp: values.timestamp(),
        input: values.pick([1n, -1n, 500n, -(2n ** 63n), 2n ** 63n - 1n]),
      };
    }
    const column = `${hex(key)} ${family} ${hex(qualifier)}`;
    if (values.oneIn(12) && !clockedColumns.has(column)) {
      clockedColumns.add(column);
      return { kind: 'setCell', family, qualifier, timestamp: -1, value: values.value() };
    }
    if (values.oneIn(10)) {
      const timestamp = values.oneIn(2) ? 1001 : values.timestamp();
      const value = values.value();
      return { kind: 'setCell', family, qualifier, timestamp, value, truncate: true };
    }
    return {
      kind: 'setCell',
      family,
      qualifier,
      timestamp: values.timestamp(),
      value: values.value(),
    };
  }

  #check(): Operation {
    const values = this.#values;
    const key = values.key();
    const branch = (): Mutation[] => {
      const clockedColumns = new Set<string>();
      return values.list(2, () => this.#mutation(key, clockedColumns));
    };
    return {
      kind: 'check',
      key,
      predicate: values.exceptOneIn(4, () => this.#filter(2)),
      onTrue: branch(),
      onFalse: branch(),
    };
  }

  #rules(): ReadModifyWriteRule[] {
    const values = this.#values;
    if (values.rarely()) return [];
    return [this.#rule(), ...values.list(2, () => this.#rule())];
  }

  #rule(): ReadModifyWriteRule {
    const values = this.#values;
    const column = { family: values.family(), qualifier: values.qualifier() };
    if (values.oneIn(2))
      return { kind: 'increment', ...column, amount: values.pick([1n, -7n, 2n ** 63n - 1n]) };
    return { kind: 'append', ...column, value: values.value() };
  }

  #read(): ReadOperation {
    const values = this.#values;
    const wholeTable = values.oneIn(3);
    return {
      kind: 'read',
      keys: wholeTable ? [] : values.list(3, () => values.key()),
      ranges: wholeTable ? [] : values.list(2, () => this.#keyRange()),
      reversed: values.oneIn(3),
      limit: values.inOneOf(3, () => (values.rarely() ? -1 : values.next(5))),
      filter: values.exceptOneIn(5, () => this.#filter(3)),
      pageRows: values.inOneOf(2, () => 1 + values.next(8)),
      stats: values.inOneOf(8, () => true),
    };
  }

  #keyRange(): { readonly start?: KeyBound; readonly end?: KeyBound } {
    const values = this.#values;
    return {
      start: values.exceptOneIn(4, () => this.#keyBound()),
      end: values.exceptOneIn(4, () => this.#keyBound()),
    };
  }

  #filter(depth: number): Filter {
    if (this.#values.rarely()) return deepFilter(this.#values);
    return randomFilter(this.#values, depth);
  }

  #keyBound(): KeyBound {
    const values = this.#values;
    const key = values.oneIn(12) ? bytes() : values.key();
    return { key, open: values.oneIn(2) };
  }

  #change(): FamilyChange {
    const values = this.#values;
    const family = values.pick([...values.familyNames, 'new']);
    const kind = values.next(5);
    if (kind === 0) return { kind: 'drop', family };
    if (kind < 4) return { kind: 'create', family, schema: values.schema(family) ?? {} };
    return { kind: 'update', family, gc: this.#newRule() };
  }

  /** No rule for tables that the emulator supports: it would start collecting garbage. */
  #newRule(): GcRule | undefined {
    const hasRules = Object.values(this.#table.families).some(({ gc }) => gc !== undefined);
    if (!hasRules) return undefined;
    return this.#values.pick([undefined, ...rules]);
  }
}
