/** Random histories, from a seed. */
import type {
  FamilyChange,
  Filter,
  GcRule,
  Mutation,
  ReadModifyWriteRule,
  RowMutation,
} from '../../src/store/index.js';
import { random } from '../engines/history.js';
import { bytes, Draw, rules, second } from './draw.js';
import { deepFilter, randomFilter } from './generate-filter.js';
import type { History, KeyBound, Operation, ReadOperation } from './operation.js';

type Table = Omit<History, 'operations'>;
const day = 86_400 * second;
const aggregates = {
  s: { aggregate: 'sum' },
  low: { aggregate: 'min' },
  high: { aggregate: 'max' },
} as const;
const collected = {
  a: { gc: rules[1] },
  b: { gc: rules[2] },
  c: { gc: rules[3] },
  d: { gc: rules[4] },
  e: {},
  s: { aggregate: 'sum', gc: rules[2] },
} as const;

/** Within reach of Google's emulator, whose families, rules and aggregates end there (rules.ts). */
const shared: readonly Table[] = [
  { families: { a: {} } },
  { families: { a: {}, 'b-2': {}, Z: {} }, splitKeys: [bytes(0x61), bytes(0x62)] },
  { families: { a: {}, s: { aggregate: 'sum' } } },
];
const ours: readonly Table[] = [
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
const clocked: readonly Table[] = [
  { families: collected, clock: true },
  { families: collected, clock: true, gc: 'manual' },
];

const hex = (value: Uint8Array): string => Buffer.from(value).toString('hex');

/** The history of a seed, of `length` calls. */
export function generate(seed: number, length: number): History {
  const next = random(seed);
  const among = next(20);
  const table = (among < 15 ? shared : among < 18 ? ours : clocked)[next(among < 18 ? 3 : 2)];
  const maker = new Maker(new Draw(next, table), table);
  const operations = Array.from({ length }, () => maker.operation());
  // Enough rows that there is something to sample; few of such histories, for every read of them
  // costs as much as a hundred others.
  if (seed % 90 === 7)
    operations.splice(
      length >> 1,
      0,
      maker.fill(),
      { kind: 'sample' },
      { kind: 'reopen' },
      { kind: 'drop', target: { kind: 'prefix', prefix: bytes(0x61) } },
      { kind: 'sample' },
      { kind: 'drop', target: { kind: 'all' } },
    );
  return { ...table, operations };
}

class Maker {
  readonly #draw: Draw;
  readonly #table: Table;

  constructor(draw: Draw, table: Table) {
    this.#draw = draw;
    this.#table = table;
  }

  operation(): Operation {
    const draw = this.#draw;
    const kind = draw.next(100);
    if (kind < 18) return { kind: 'mutateRow', ...this.#row(new Set()) };
    if (kind < 37) {
      const clockedCells = new Set<string>();
      return { kind: 'mutateRows', rows: draw.some(24, () => this.#row(clockedCells)) };
    }
    if (kind < 47) return this.#check();
    if (kind < 57) return { kind: 'modify', key: draw.key(), rules: this.#rules() };
    if (kind < 92) return this.#read();
    if (kind < 94)
      return {
        kind: 'drop',
        target:
          draw.next(6) === 0
            ? { kind: 'all' }
            : {
                kind: 'prefix',
                prefix: draw.key().slice(0, draw.next(12) === 0 ? 0 : 1 + draw.next(2)),
              },
      };
    if (kind < 96)
      return {
        kind: 'families',
        changes: [this.#change(), ...(draw.next(4) === 0 ? [this.#change()] : [])],
      };
    if (kind < 98)
      return this.#table.clock === true
        ? { kind: 'wait', ms: draw.pick([1, 1000, 1000, 2000, 3000, 4000]) }
        : this.#aside();
    return this.#table.gc === 'manual' ? { kind: draw.pick(['collect', 'reopen']) } : this.#aside();
  }

  /** More than two megabytes in rows that a read has no need to name. */
  fill(): Operation {
    const [family] = this.#draw.names;
    const row = (at: number): RowMutation => ({
      key: bytes(at % 2 === 0 ? 0x61 : 0x7f, at),
      mutations: [
        this.#table.families[family].aggregate === undefined
          ? {
              kind: 'setCell',
              family,
              qualifier: bytes(),
              timestamp: 0,
              value: new Uint8Array(100_000).fill(at),
            }
          : { kind: 'addToCell', family, qualifier: bytes(), timestamp: 0, input: BigInt(at) },
      ],
    });
    return { kind: 'mutateRows', rows: Array.from({ length: 24 }, (_none, at) => row(at)) };
  }

  /** What is done now and then, beside reading and writing. */
  #aside(): Operation {
    const draw = this.#draw;
    switch (draw.next(14)) {
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
          ...(draw.next(3) === 0 ? { bogus: true } : {}),
          ...(draw.next(2) === 0
            ? { mode: draw.pick(['standardReadRemoteWrites', 'dataBoostReadLocalWrites']) }
            : {}),
        };
      case 5:
        return { kind: 'protect', on: draw.next(2) === 0 };
      case 6:
        return {
          kind: 'recreate',
          families: this.#table.families,
          ...(this.#table.granularity === undefined
            ? {}
            : { granularity: this.#table.granularity }),
          ...(this.#table.splitKeys === undefined ? {} : { splitKeys: this.#table.splitKeys }),
        };
      case 7:
      case 8:
      case 11:
        return { kind: 'nowhere', call: this.#astray() };
      case 9:
        return { kind: 'list' };
      case 10:
        return { kind: 'warm' };
      default:
        return { kind: 'sample' };
    }
  }

  /** A call with no fault of its own. */
  #astray(): Operation {
    const key = bytes(0x61);
    const mutations: readonly Mutation[] = [{ kind: 'deleteFromRow' }];
    return this.#draw.pick<Operation>([
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

  #row(clockedCells: Set<string>): RowMutation {
    const draw = this.#draw;
    const key = draw.key();
    return {
      key,
      mutations: draw.rare()
        ? []
        : [
            this.#mutation(key, clockedCells),
            ...draw.some(3, () => this.#mutation(key, clockedCells)),
          ],
    };
  }

  /**
   * `clockedCells`: the columns of this call that have a cell of the server's clock, which may have
   * gone on when it writes the next.
   */
  #mutation(key: Uint8Array, clockedCells: Set<string>): Mutation {
    const draw = this.#draw;
    const kind = draw.next(20);
    const family = draw.family();
    const qualifier = draw.qualifier();
    if (kind === 0) return { kind: 'deleteFromRow' };
    if (kind === 1) return { kind: 'deleteFromFamily', family };
    if (kind < 5)
      return {
        kind: 'deleteFromColumn',
        family,
        qualifier,
        ...(draw.next(2) === 0 ? { start: draw.cellTime() } : {}),
        ...(draw.next(2) === 0 ? { end: draw.cellTime() } : {}),
      };
    const aggregate = draw.schema(family)?.aggregate !== undefined;
    if (draw.rare() ? !aggregate : aggregate) {
      if (draw.next(3) === 0)
        return {
          kind: 'mergeToCell',
          family,
          qualifier,
          timestamp: draw.cellTime(),
          input: new Uint8Array(draw.rare() ? 7 : 8).fill(draw.pick([0, 1, 255])),
        };
      return {
        kind: 'addToCell',
        family,
        qualifier,
        timestamp: draw.cellTime(),
        input: draw.pick([1n, -1n, 500n, -(2n ** 63n), 2n ** 63n - 1n]),
      };
    }
    const column = `${hex(key)} ${family} ${hex(qualifier)}`;
    if (draw.next(12) === 0 && !clockedCells.has(column)) {
      clockedCells.add(column);
      return { kind: 'setCell', family, qualifier, timestamp: -1, value: draw.value() };
    }
    return { kind: 'setCell', family, qualifier, timestamp: draw.cellTime(), value: draw.value() };
  }

  #check(): Operation {
    const draw = this.#draw;
    const key = draw.key();
    const branch = (): Mutation[] => {
      const clockedCells = new Set<string>();
      return draw.some(2, () => this.#mutation(key, clockedCells));
    };
    return {
      kind: 'check',
      key,
      ...(draw.next(4) > 0 ? { predicate: this.#filter(2) } : {}),
      onTrue: branch(),
      onFalse: branch(),
    };
  }

  #rules(): ReadModifyWriteRule[] {
    const draw = this.#draw;
    return draw.rare() ? [] : [this.#rule(), ...draw.some(2, () => this.#rule())];
  }

  #rule(): ReadModifyWriteRule {
    const draw = this.#draw;
    const column = { family: draw.family(), qualifier: draw.qualifier() };
    return draw.next(2) === 0
      ? { kind: 'increment', ...column, amount: draw.pick([1n, -7n, 2n ** 63n - 1n]) }
      : { kind: 'append', ...column, value: draw.value() };
  }

  #read(): ReadOperation {
    const draw = this.#draw;
    const whole = draw.next(3) === 0;
    return {
      kind: 'read',
      keys: whole ? [] : draw.some(3, () => draw.key()),
      ranges: whole
        ? []
        : draw.some(2, () => ({
            ...(draw.next(4) > 0 ? { start: this.#keyBound() } : {}),
            ...(draw.next(4) > 0 ? { end: this.#keyBound() } : {}),
          })),
      reversed: draw.next(3) === 0,
      ...(draw.next(3) === 0 ? { limit: draw.rare() ? -1 : draw.next(5) } : {}),
      ...(draw.next(5) > 0 ? { filter: this.#filter(3) } : {}),
      ...(draw.next(2) === 0 ? { pageRows: 1 + draw.next(8) } : {}),
      ...(draw.next(8) === 0 ? { stats: true } : {}),
    };
  }

  #filter(depth: number): Filter {
    return this.#draw.rare() ? deepFilter(this.#draw) : randomFilter(this.#draw, depth);
  }

  #keyBound(): KeyBound {
    const draw = this.#draw;
    return { key: draw.next(12) === 0 ? bytes() : draw.key(), open: draw.next(2) === 0 };
  }

  #change(): FamilyChange {
    const draw = this.#draw;
    const family = draw.pick([...draw.names, 'new']);
    const kind = draw.next(5);
    if (kind === 0) return { kind: 'drop', family };
    if (kind < 4) return { kind: 'create', family, schema: draw.schema(family) ?? {} };
    return { kind: 'update', family, gc: this.#newRule() };
  }

  /** No rule where Google's emulator is asked: one would start its own collection. */
  #newRule(): GcRule | undefined {
    const ruled = Object.values(this.#table.families).some(({ gc }) => gc !== undefined);
    return ruled ? this.#draw.pick([undefined, ...rules]) : undefined;
  }
}
