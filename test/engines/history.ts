/** Random histories of operations, as plain data that can be replayed and shortened. */
import { nextKey, nextPrefix, RowsmithError } from '../../src/base/index.js';
import {
  collectRows,
  type DropTarget,
  type Engine,
  type FamilyChange,
  type FamilySchema,
  type Filter,
  type Mutation,
  type ReadModifyWriteRule,
  type ReadPlan,
  type RowMutation,
} from '../../src/data/store/index.js';

export type Operation =
  | { kind: 'mutateRow'; row: RowMutation }
  | { kind: 'mutateRows'; rows: RowMutation[] }
  | { kind: 'check'; key: Uint8Array; predicate?: Filter; onTrue: Mutation[]; onFalse: Mutation[] }
  | { kind: 'modify'; key: Uint8Array; rules: ReadModifyWriteRule[] }
  | { kind: 'read'; plan: ReadPlan; pageRows: number }
  | { kind: 'drop'; target: DropTarget }
  | { kind: 'families'; changes: FamilyChange[] }
  | { kind: 'collect' }
  | { kind: 'wait'; ms: number }
  | { kind: 'reopen' };

/** A generator of whole numbers below a bound, from a seed (mulberry32). */
export type Random = (below: number) => number;
export function random(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

export const families: Record<string, FamilySchema> = {
  a: {},
  'b-2': { gc: { kind: 'maxVersions', versions: 2 } },
  Z: { gc: { kind: 'maxAge', micros: 5_000_000 } },
  s: { aggregate: 'sum' },
  u: {
    gc: {
      kind: 'union',
      rules: [
        { kind: 'maxVersions', versions: 3 },
        { kind: 'maxAge', micros: 20_000_000 },
      ],
    },
  },
  i: {
    gc: {
      kind: 'intersection',
      rules: [
        { kind: 'maxVersions', versions: 1 },
        { kind: 'maxAge', micros: 3_000_000 },
      ],
    },
  },
};
const names = Object.keys(families);

/** A history of `length` operations; `start` is the clock's first millisecond. */
export function history(next: Random, length: number, start: number): Operation[] {
  const generator = new HistoryGenerator(next, start);
  return Array.from({ length }, () => generator.operation());
}

class HistoryGenerator {
  readonly #next: Random;
  readonly #start: number;

  constructor(next: Random, start: number) {
    this.#next = next;
    this.#start = start;
  }

  operation(): Operation {
    const kind = this.#next(100);
    if (kind < 35) return { kind: 'mutateRow', row: this.#row() };
    if (kind < 45) return { kind: 'mutateRows', rows: this.#some(6, () => this.#row()) };
    if (kind < 53)
      return {
        kind: 'check',
        key: this.#key(),
        predicate: this.#next(3) > 0 ? this.#filter(2) : undefined,
        onTrue: this.#some(3, () => this.#mutation()),
        onFalse: this.#some(3, () => this.#mutation()),
      };
    if (kind < 61)
      return { kind: 'modify', key: this.#key(), rules: this.#some(3, () => this.#rule()) };
    if (kind < 88) return { kind: 'read', plan: this.#plan(), pageRows: 1 + this.#next(5) };
    if (kind < 90)
      return {
        kind: 'drop',
        target:
          this.#next(8) === 0
            ? { kind: 'all' }
            : { kind: 'prefix', prefix: this.#key().slice(0, 1 + this.#next(2)) },
      };
    if (kind < 92) return { kind: 'families', changes: [this.#change()] };
    if (kind < 94) return { kind: 'collect' };
    if (kind < 98) return { kind: 'wait', ms: this.#next(4000) };
    return { kind: 'reopen' };
  }

  #pick<T>(values: readonly T[]): T {
    return values[this.#next(values.length)];
  }

  #some<T>(maxCount: number, create: () => T): T[] {
    return Array.from({ length: this.#next(maxCount + 1) }, create);
  }

  /**
   * Few different keys, so that rows are written again: extreme bytes, and keys around the maximum
   * length of the store.
   */
  #key(): Uint8Array {
    const short = this.#some(3, () => this.#pick([0, 1, 0x61, 0x7f, 0x80, 0xff]));
    if (this.#next(5) > 0) return Uint8Array.from(short.length > 0 ? short : [0x61]);
    const long = new Uint8Array(this.#pick([3999, 4000, 4001, 4002, 4096])).fill(
      this.#pick([0x61, 0xff]),
    );
    if (this.#next(2) === 0) long[long.length - 1] = this.#pick([0, 0x62]);
    return long;
  }

  #qualifier(): Uint8Array {
    if (this.#next(40) === 0) return new Uint8Array(5000).fill(this.#next(2));
    return this.#next(3) === 0
      ? Uint8Array.from([this.#next(256), this.#next(2)])
      : Uint8Array.from(this.#some(2, () => this.#pick([0, 0x71, 0xff])));
  }

  #value(): Uint8Array {
    const size = this.#pick([0, 1, 8, 8, 20, 300]);
    const length = this.#next(15) === 0 ? this.#pick([4095, 4096, 4097, 20_000]) : size;
    return new Uint8Array(length).fill(this.#next(4));
  }

  #timestamp(): number {
    return this.#next(12) === 0
      ? this.#pick([-1, 0, 1001])
      : (this.#start + this.#next(8) * 1000 - 2000) * 1000;
  }

  #family(): string {
    return this.#next(60) === 0 ? 'missing' : this.#pick(names);
  }

  #row(): RowMutation {
    // Sometimes many cells, so that a family is split into chunks.
    if (this.#next(6) === 0) {
      const family = this.#pick(['a', 'u', 'i']);
      const from = this.#next(200);
      return {
        key: this.#key(),
        mutations: Array.from({ length: 150 + this.#next(150) }, (_, at) => ({
          kind: 'setCell',
          family,
          qualifier: Uint8Array.from([0x63, (from + at) & 0xff]),
          timestamp: this.#start * 1000,
          value: new Uint8Array(60).fill(at),
        })),
      };
    }
    return {
      key: this.#next(60) === 0 ? new Uint8Array(0) : this.#key(),
      mutations: this.#some(4, () => this.#mutation()),
    };
  }

  #mutation(): Mutation {
    const kind = this.#next(20);
    const family = this.#family();
    const qualifier = this.#qualifier();
    if (kind === 0) return { kind: 'deleteFromRow' };
    if (kind < 3) return { kind: 'deleteFromFamily', family };
    if (kind < 6)
      return {
        kind: 'deleteFromColumn',
        family,
        qualifier,
        start: this.#next(2) === 0 ? this.#timestamp() : undefined,
        end: this.#next(2) === 0 ? this.#timestamp() : undefined,
      };
    if (family === 's' && this.#next(8) > 0) {
      if (this.#next(3) === 0)
        return {
          kind: 'mergeToCell',
          family,
          qualifier,
          timestamp: this.#timestamp(),
          input: new Uint8Array(this.#next(8) === 0 ? 7 : 8).fill(this.#pick([0, 1, 255])),
        };
      return {
        kind: 'addToCell',
        family,
        qualifier,
        timestamp: this.#timestamp(),
        input: BigInt(this.#next(1000)) - 500n,
      };
    }
    return {
      kind: 'setCell',
      family,
      qualifier,
      timestamp: this.#timestamp(),
      value: this.#value(),
    };
  }

  #rule(): ReadModifyWriteRule {
    const column = { family: this.#family(), qualifier: this.#qualifier() };
    return this.#next(2) === 0
      ? { kind: 'increment', ...column, amount: BigInt(this.#next(100)) }
      : { kind: 'append', ...column, value: this.#value() };
  }

  #plan(): ReadPlan {
    const bounds = [
      ...new Map(
        this.#some(6, () => this.#key()).map((key) => [Buffer.from(key).toString('hex'), key]),
      ).entries(),
    ]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, key]) => key);
    const ranges: { start: Uint8Array; end?: Uint8Array }[] = [];
    for (let at = 0; at < bounds.length; at += 2) {
      if (this.#next(4) === 0) ranges.push({ start: bounds[at], end: nextKey(bounds[at]) });
      else if (at + 1 < bounds.length) ranges.push({ start: bounds[at], end: bounds[at + 1] });
    }
    if (this.#next(3) === 0) ranges.splice(0, ranges.length, { start: new Uint8Array(0) });
    if (this.#next(6) === 0) {
      const prefix = this.#key().slice(0, 1);
      const end = nextPrefix(prefix);
      ranges.splice(
        0,
        ranges.length,
        end === undefined ? { start: prefix } : { start: prefix, end },
      );
    }
    return {
      table: 't',
      ranges,
      reversed: this.#next(2) === 0,
      limit: this.#next(2) === 0 ? 1 + this.#next(6) : undefined,
      filter: this.#next(4) > 0 ? this.#filter(3) : undefined,
    };
  }

  #filter(depth: number): Filter {
    const leaf = this.#next(depth > 0 ? 28 : 20);
    switch (leaf) {
      case 0:
        return { kind: 'families', families: this.#some(3, () => this.#family()) };
      case 1:
      case 2:
        return {
          kind: 'columns',
          columns: this.#some(3, () => ({
            family: this.#family(),
            qualifiers:
              this.#next(3) === 0 ? ('all' as const) : this.#some(3, () => this.#qualifier()),
          })),
        };
      case 3:
        return { kind: 'cellsPerColumn', count: 1 + this.#next(3) };
      case 4:
        return { kind: 'cellsPerRow', count: 1 + this.#next(4) };
      case 5:
        return {
          kind: 'timestampRange',
          start: this.#next(2) === 0 ? this.#timestamp() : undefined,
          end: this.#next(2) === 0 ? this.#timestamp() : undefined,
        };
      case 6:
        return { kind: 'valueEquals', value: this.#value() };
      case 7:
        return { kind: 'stripValue' };
      case 8:
        return this.#next(4) === 0 ? { kind: 'blockAll' } : { kind: 'passAll' };
      case 9:
        return { kind: 'sink' };
      case 10:
        return { kind: 'cellsPerRowOffset', count: this.#next(4) };
      case 11:
        return { kind: 'rowSample', probability: this.#pick([0.3, 0.7]) };
      case 12:
        return { kind: 'rowKeyRegex', pattern: this.#pattern() };
      case 13:
        return {
          kind: 'familyRegex',
          pattern: this.#pick(['a', '.*', '[a-c].*', 'Z|s', 'missing', 'x.*']),
        };
      case 14:
        return { kind: 'qualifierRegex', pattern: this.#pattern() };
      case 15:
        return { kind: 'valueRegex', pattern: this.#pattern() };
      case 16: {
        const [start, end] = [this.#qualifier(), this.#qualifier()];
        return {
          kind: 'columnRange',
          family: this.#family(),
          start:
            this.#next(3) > 0 ? { qualifier: start, inclusive: this.#next(2) === 0 } : undefined,
          end: this.#next(3) > 0 ? { qualifier: end, inclusive: this.#next(2) === 0 } : undefined,
        };
      }
      case 17: {
        const [start, end] = [this.#value(), this.#value()];
        return {
          kind: 'valueRange',
          start: this.#next(3) > 0 ? { value: start, inclusive: this.#next(2) === 0 } : undefined,
          end: this.#next(3) > 0 ? { value: end, inclusive: this.#next(2) === 0 } : undefined,
        };
      }
      case 18:
        return {
          kind: 'valueBitmask',
          mask: new Uint8Array(this.#pick([0, 1, 8, 20])).fill(this.#next(4)),
        };
      case 19:
        return { kind: 'label', label: this.#pick(['one', 'two-2', 'Bad']) };
      case 20:
      case 21:
        return {
          kind: 'condition',
          predicate: this.#filter(depth - 1),
          onTrue: this.#next(3) > 0 ? this.#filter(depth - 1) : undefined,
          onFalse: this.#next(3) > 0 ? this.#filter(depth - 1) : undefined,
        };
      case 22:
      case 23:
      case 24:
        return {
          kind: 'interleave',
          filters: [this.#filter(depth - 1), ...this.#some(2, () => this.#filter(depth - 1))],
        };
      default:
        return {
          kind: 'chain',
          filters: [this.#filter(depth - 1), ...this.#some(2, () => this.#filter(depth - 1))],
        };
    }
  }

  /** Patterns with the same meaning in JavaScript and RE2, for the reference engine. */
  #pattern(): Uint8Array {
    return Buffer.from(
      this.#pick([
        '',
        'a',
        'a\\C*',
        '.*',
        '\\C*',
        '[a-c]+',
        '(a|q)\\C*',
        '\\x00.*',
        '[^a]\\C*',
        'q?',
        '\\xff+',
        '(?:\\x01|\\x02){1,8}',
        '[',
      ]),
      'latin1',
    );
  }

  #change(): FamilyChange {
    const family = this.#pick(['a', 'b-2', 'Z']);
    const kind = this.#next(3);
    if (kind === 0) return { kind: 'drop', family };
    if (kind === 1) return { kind: 'create', family, schema: families[family] };
    return {
      kind: 'update',
      family,
      gc: this.#pick([undefined, { kind: 'maxVersions', versions: 1 }, families.u.gc]),
    };
  }
}

/** Runs one operation and returns its result, or its error, in a form that can be compared. */
export async function run(engine: Engine, operation: Operation): Promise<unknown> {
  try {
    switch (operation.kind) {
      case 'mutateRow':
        return await engine.mutateRow('t', operation.row);
      case 'mutateRows':
        return (await engine.mutateRows('t', operation.rows)).map(
          (error) => error && errorResult(error),
        );
      case 'check':
        return await engine.checkAndMutateRow('t', operation);
      case 'modify':
        return await engine.readModifyWriteRow('t', operation.key, operation.rules);
      case 'read':
        return await collectRows(engine.readRows(operation.plan, { pageRows: operation.pageRows }));
      case 'drop':
        return await engine.dropRowRange('t', operation.target);
      case 'families':
        return [...(await engine.modifyFamilies('t', operation.changes)).families];
      case 'collect':
        await engine.compact('t');
        return undefined;
      default:
        return undefined;
    }
  } catch (error) {
    if (error instanceof RowsmithError) return errorResult(error);
    throw error;
  }
}

/**
 * An operation may be invalid in several ways, and which error is reported is not specified. The
 * conformance kit checks each code separately.
 */
function errorResult({ code }: RowsmithError): string {
  return ['INVALID_ARGUMENT', 'FAMILY_NOT_FOUND', 'LIMIT_EXCEEDED'].includes(code)
    ? 'rejected'
    : code;
}
