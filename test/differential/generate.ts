/** Random histories, from a seed. Few keys, columns and timestamps, so that what is done meets what was done. */
import type { FamilyChange, FamilySchema, Filter, Mutation, ReadModifyWriteRule, RowMutation } from '../../src/store/index.js';
import { random, type Random } from '../engines/history.js';
import { far, type History, type KeyBound, type Operation, type ReadOperation } from './operation.js';

/** Tables of histories. The first ones are within reach of Google's emulator, whose families, rules and aggregates end there (rules.ts). */
const tables: readonly Omit<History, 'operations'>[] = [
  { families: { a: {} } },
  { families: { a: {}, 'b-2': {}, Z: {} } },
  { families: { a: {}, s: { aggregate: 'sum' } } },
  { families: { s: { aggregate: 'sum' }, low: { aggregate: 'min' }, high: { aggregate: 'max' } } },
  { families: { a: { gc: { kind: 'maxVersions', versions: 2 } }, b: { gc: { kind: 'maxAge', micros: 86_400_000_000 } }, c: { gc: { kind: 'intersection', rules: [{ kind: 'maxVersions', versions: 1 }, { kind: 'maxAge', micros: 86_400_000_000 }] } } } },
  { families: { a: {}, b: {} }, granularity: 'micros' },
];
/** Of ten histories this many are within the emulator's reach. */
const shared = 8;

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const text = (value: string): Uint8Array => new Uint8Array(Buffer.from(value, 'latin1'));
const hex = (value: Uint8Array): string => Buffer.from(value).toString('hex');

/** The history of a seed, of `length` calls. */
export function generate(seed: number, length: number): History {
  const next = random(seed);
  const table = tables[next(10) < shared ? next(3) : 3 + next(3)];
  const maker = new Maker(next, table);
  return { ...table, operations: Array.from({ length }, () => maker.operation()) };
}

class Maker {
  private readonly names: readonly string[];
  private readonly unit: number;

  constructor(private readonly next: Random, private readonly table: Omit<History, 'operations'>) {
    this.names = Object.keys(table.families);
    this.unit = table.granularity === 'micros' ? 1 : 1000;
  }

  operation(): Operation {
    const kind = this.next(100);
    if (kind < 20) return { kind: 'mutateRow', ...this.row(new Set()) };
    if (kind < 40) {
      const clocked = new Set<string>();
      return { kind: 'mutateRows', rows: this.some(24, () => this.row(clocked)) };
    }
    if (kind < 50) return this.check();
    if (kind < 60) return { kind: 'modify', key: this.key(), rules: this.rules() };
    if (kind < 96) return this.read();
    if (kind < 98) return { kind: 'drop', target: this.next(6) === 0 ? { kind: 'all' } : { kind: 'prefix', prefix: this.key().slice(0, this.next(12) === 0 ? 0 : 1 + this.next(2)) } };
    return { kind: 'families', changes: [this.change(), ...(this.next(4) === 0 ? [this.change()] : [])] };
  }

  private pick<T>(values: readonly T[]): T {
    return values[this.next(values.length)];
  }

  private some<T>(most: number, make: () => T): T[] {
    return Array.from({ length: this.next(most + 1) }, make);
  }

  private rare(): boolean {
    return this.next(60) === 0;
  }

  private key(): Uint8Array {
    if (this.next(150) === 0) return this.pick([bytes(), new Uint8Array(4096).fill(0x61), new Uint8Array(4097).fill(0x61)]);
    return bytes(this.pick([0, 0x61, 0x61, 0x62, 0x7f, 0xff]), ...this.some(2, () => this.pick([0, 0x61, 0x0a, 0xff])));
  }

  private qualifier(): Uint8Array {
    return this.next(600) === 0 ? new Uint8Array(this.pick([16_384, 16_385])).fill(0x71) : bytes(...this.some(2, () => this.pick([0, 0x71, 0x71, 0x3a, 0xff])));
  }

  private value(): Uint8Array {
    const size = this.pick([0, 1, 2, 8, 8, 8, 20]);
    return new Uint8Array(this.next(1000) === 0 ? this.pick([4096, 70_000]) : size).fill(this.pick([0, 0, 1, 0x61, 0xff]));
  }

  /** Five in all, so that two branches of an interleave give a column at most ten cells (rules.ts, ties). */
  private cellTime(): number {
    return this.rare() ? this.pick([-2, 1001]) : this.pick([0, this.unit, 2 * this.unit, 3 * this.unit, far]);
  }

  private family(): string {
    return this.rare() ? 'missing' : this.pick(this.names);
  }

  private schema(family: string): FamilySchema | undefined {
    return this.table.families[family];
  }

  private row(clocked: Set<string>): RowMutation {
    const key = this.key();
    return { key, mutations: this.rare() ? [] : [this.mutation(key, clocked), ...this.some(3, () => this.mutation(key, clocked))] };
  }

  /** `clocked`: the columns of this call that have a cell of the server's clock, which may have gone on when it writes the next. */
  private mutation(key: Uint8Array, clocked: Set<string>): Mutation {
    const kind = this.next(20);
    const family = this.family();
    const qualifier = this.qualifier();
    if (kind === 0) return { kind: 'deleteFromRow' };
    if (kind === 1) return { kind: 'deleteFromFamily', family };
    if (kind < 5) return { kind: 'deleteFromColumn', family, qualifier, ...(this.next(2) === 0 ? { start: this.cellTime() } : {}), ...(this.next(2) === 0 ? { end: this.cellTime() } : {}) };
    const aggregate = this.schema(family)?.aggregate !== undefined;
    if (this.rare() ? !aggregate : aggregate) {
      if (this.next(3) === 0) return { kind: 'mergeToCell', family, qualifier, timestamp: this.cellTime(), input: new Uint8Array(this.rare() ? 7 : 8).fill(this.pick([0, 1, 255])) };
      return { kind: 'addToCell', family, qualifier, timestamp: this.cellTime(), input: this.pick([1n, -1n, 500n, -(2n ** 63n), 2n ** 63n - 1n]) };
    }
    const column = `${hex(key)} ${family} ${hex(qualifier)}`;
    if (this.next(12) === 0 && !clocked.has(column)) {
      clocked.add(column);
      return { kind: 'setCell', family, qualifier, timestamp: -1, value: this.value() };
    }
    return { kind: 'setCell', family, qualifier, timestamp: this.cellTime(), value: this.value() };
  }

  private check(): Operation {
    const key = this.key();
    const branch = (): Mutation[] => {
      const clocked = new Set<string>();
      return this.some(2, () => this.mutation(key, clocked));
    };
    return { kind: 'check', key, ...(this.next(4) > 0 ? { predicate: this.filter(2) } : {}), onTrue: branch(), onFalse: branch() };
  }

  private rules(): ReadModifyWriteRule[] {
    return this.rare() ? [] : [this.rule(), ...this.some(2, () => this.rule())];
  }

  private rule(): ReadModifyWriteRule {
    const column = { family: this.family(), qualifier: this.qualifier() };
    return this.next(2) === 0 ? { kind: 'increment', ...column, amount: this.pick([1n, -7n, 2n ** 63n - 1n]) } : { kind: 'append', ...column, value: this.value() };
  }

  private read(): ReadOperation {
    const whole = this.next(3) === 0;
    return {
      kind: 'read',
      keys: whole ? [] : this.some(3, () => this.key()),
      ranges: whole ? [] : this.some(2, () => ({ ...(this.next(4) > 0 ? { start: this.keyBound() } : {}), ...(this.next(4) > 0 ? { end: this.keyBound() } : {}) })),
      reversed: this.next(3) === 0,
      ...(this.next(3) === 0 ? { limit: this.rare() ? -1 : this.next(5) } : {}),
      ...(this.next(5) > 0 ? { filter: this.filter(3) } : {}),
    };
  }

  private keyBound(): KeyBound {
    return { key: this.next(12) === 0 ? bytes() : this.key(), open: this.next(2) === 0 };
  }

  /** Its bytes stay far below the 20,480 that a filter may have as a message: the Engine interface has no such limit. */
  private filter(depth: number): Filter {
    const kind = this.next(depth > 0 ? 30 : 20);
    switch (kind) {
      case 0: case 1: return { kind: 'familyRegex', pattern: this.pick([...this.names, ...this.names, '.*', '[a-c].*', 'Z|s', 'x.*', 'b-\\d', '', this.rare() ? 'a:b' : 'missing']) };
      case 2: case 3: return { kind: 'qualifierRegex', pattern: this.pattern() };
      case 4: return { kind: 'valueRegex', pattern: this.pattern() };
      case 5: return { kind: 'rowKeyRegex', pattern: this.pattern() };
      case 6: case 7: return { kind: 'cellsPerColumn', count: this.rare() ? this.pick([0, -1]) : 1 + this.next(3) };
      case 8: return { kind: 'cellsPerRow', count: this.rare() ? this.pick([0, -1]) : 1 + this.next(4) };
      case 9: return { kind: 'cellsPerRowOffset', count: this.rare() ? -1 : this.next(4) };
      case 10: return { kind: 'timestampRange', ...(this.next(2) === 0 ? { start: this.cellTime() } : {}), ...(this.next(2) === 0 ? { end: this.cellTime() } : {}) };
      case 11: return { kind: 'stripValue' };
      case 12: return this.next(3) === 0 ? { kind: 'blockAll' } : { kind: 'passAll' };
      case 13: return this.next(2) === 0 ? { kind: 'sink' } : { kind: 'passAll' };
      case 14: return this.next(3) === 0 ? { kind: 'rowSample', probability: this.pick([0.3, 0.7, 0, 1]) } : { kind: 'passAll' };
      case 15: case 16: return { kind: 'columnRange', family: this.family(), ...this.bounds(() => this.qualifier().slice(0, 40), (qualifier, inclusive) => ({ qualifier, inclusive })) };
      case 17: return { kind: 'valueRange', ...this.bounds(() => this.value().slice(0, 4096), (value, inclusive) => ({ value, inclusive })) };
      case 18: return this.next(2) === 0 ? { kind: 'valueBitmask', mask: new Uint8Array(this.pick([0, 1, 8, 20])).fill(this.next(4)) } : { kind: 'passAll' };
      case 19: return { kind: 'label', label: this.rare() ? 'Bad' : this.pick(['one', 'two-2']) };
      case 20: case 21: case 22: return { kind: 'condition', predicate: this.filter(depth - 1), ...(this.next(4) > 0 ? { onTrue: this.filter(depth - 1) } : {}), ...(this.next(4) > 0 ? { onFalse: this.filter(depth - 1) } : {}) };
      case 23: case 24: case 25: return { kind: 'interleave', filters: [this.filter(depth - 1), this.filter(depth - 1), ...this.some(1, () => this.filter(depth - 1))] };
      default: return { kind: 'chain', filters: [this.filter(depth - 1), this.filter(depth - 1), ...this.some(1, () => this.filter(depth - 1))] };
    }
  }

  /** Two ends, mostly in their order. */
  private bounds<B>(make: () => Uint8Array, end: (bytes: Uint8Array, inclusive: boolean) => B): { start?: B; end?: B } {
    const two = [make(), make()];
    if (!this.rare()) two.sort(Buffer.compare);
    return { ...(this.next(3) > 0 ? { start: end(two[0], this.next(2) === 0) } : {}), ...(this.next(3) > 0 ? { end: end(two[1], this.next(2) === 0) } : {}) };
  }

  /** Patterns that JavaScript and RE2 read alike, for the reference engine. */
  private pattern(): Uint8Array {
    return text(this.pick(['a', 'q', 'a\\C*', '.*', '.+', '\\C*', '[a-c]+', '(a|q)\\C*', '\\x00.*', '[^a]\\C*', 'q?', '\\xff+', '\xff', 'a\\C?|b', '(?:a|q){1,2}', '\\x00{8}', '[^q:]*', '\\d*', '\\W+', '^q$', this.rare() ? '[' : '']));
  }

  private change(): FamilyChange {
    const family = this.pick([...this.names, 'new']);
    const kind = this.next(5);
    if (kind === 0) return { kind: 'drop', family };
    if (kind < 4) return { kind: 'create', family, schema: this.schema(family) ?? {} };
    return { kind: 'update', family, gc: this.schema(family)?.gc };
  }
}
