/** Garbage collection rules, compiled to predicates over cells. */
import type { GcRule } from '../../../data/store/index.js';
import { varintBytes } from '../kv/bytes.js';

/**
 * True when a cell may be collected. `index` is the number of newer cells in its column, `age` is
 * in microseconds and negative for timestamps in the future.
 */
export type GcPredicate = (index: number, age: number) => boolean;

/** Compiles a rule; undefined when it never collects anything. */
export function compileGc(rule: GcRule | undefined): GcPredicate | undefined {
  if (rule === undefined) return undefined;
  switch (rule.kind) {
    case 'maxVersions':
      return (index) => index >= rule.versions;
    case 'maxAge':
      return (_index, age) => age > rule.micros;
    case 'union': {
      const predicates = compileRules(rule.rules);
      if (predicates.length === 0) return undefined;
      return (index, age) => predicates.some((isCollectable) => isCollectable(index, age));
    }
    case 'intersection': {
      const predicates = compileRules(rule.rules);
      // An empty rule never collects, and neither does an intersection with it.
      if (predicates.length === 0 || predicates.length < rule.rules.length) return undefined;
      return (index, age) => predicates.every((isCollectable) => isCollectable(index, age));
    }
  }
}

/** Size of the rule as a GcRule message (google/bigtable/admin/v2/table.proto). */
export function ruleBytes(rule: GcRule): number {
  switch (rule.kind) {
    case 'maxVersions':
      return 1 + varintBytes(rule.versions);
    case 'maxAge': {
      // A google.protobuf.Duration.
      const seconds = Math.floor(rule.micros / 1_000_000);
      const nanos = (rule.micros % 1_000_000) * 1000;
      return 2 + varintFieldBytes(seconds) + varintFieldBytes(nanos);
    }
    case 'union':
    case 'intersection': {
      let bytes = 0;
      for (const inner of rule.rules) bytes += messageFieldBytes(ruleBytes(inner));
      return messageFieldBytes(bytes);
    }
  }
}

/** Size of a field with a message of so many bytes. */
function messageFieldBytes(bytes: number): number {
  return 1 + varintBytes(bytes) + bytes;
}

/** Size of an integer field, which is omitted when it is 0. */
function varintFieldBytes(value: number): number {
  if (value === 0) return 0;
  return 1 + varintBytes(value);
}

function compileRules(rules: readonly GcRule[]): GcPredicate[] {
  return rules.map(compileGc).filter((predicate) => predicate !== undefined);
}
