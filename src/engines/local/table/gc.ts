/** Garbage collection rules, compiled to the question a cell is asked. */
import type { GcRule } from '../../../store/index.js';
import { varintBytes } from '../kv/record.js';

/**
 * True when a cell may go: `index` counts the column's newer cells, `age` is in microseconds
 * (negative for the future).
 */
export type Collects = (index: number, age: number) => boolean;

/** The rule as a function; undefined when it never collects anything. */
export function compileGc(rule: GcRule | undefined): Collects | undefined {
  if (rule === undefined) return undefined;
  switch (rule.kind) {
    case 'maxVersions':
      return (index) => index >= rule.versions;
    case 'maxAge':
      return (_index, age) => age > rule.micros;
    case 'union': {
      const some = compileAll(rule.rules).filter((collects) => collects !== undefined);
      return some.length === 0
        ? undefined
        : (index, age) => some.some((collects) => collects(index, age));
    }
    case 'intersection': {
      const every = compileAll(rule.rules);
      const needed = every.filter((collects) => collects !== undefined);
      // An empty rule inside never collects, and an intersection with it neither.
      return needed.length === 0 || needed.length < every.length
        ? undefined
        : (index, age) => needed.every((collects) => collects(index, age));
    }
  }
}

/** Bytes of the rule as a GcRule message (google/bigtable/admin/v2/table.proto). */
export function ruleBytes(rule: GcRule): number {
  switch (rule.kind) {
    case 'maxVersions':
      return 1 + varintBytes(rule.versions);
    case 'maxAge': {
      // A google.protobuf.Duration; fields of 0 are left out.
      const [seconds, nanos] = [
        Math.floor(rule.micros / 1_000_000),
        (rule.micros % 1_000_000) * 1000,
      ];
      return (
        2 +
        (seconds === 0 ? 0 : 1 + varintBytes(seconds)) +
        (nanos === 0 ? 0 : 1 + varintBytes(nanos))
      );
    }
    case 'union':
    case 'intersection':
      return delimited(rule.rules.reduce((sum, inner) => sum + delimited(ruleBytes(inner)), 0));
  }
}

/** Bytes of a field that holds a message of so many. */
function delimited(bytes: number): number {
  return 1 + varintBytes(bytes) + bytes;
}

function compileAll(rules: readonly GcRule[]): (Collects | undefined)[] {
  return rules.map(compileGc);
}
