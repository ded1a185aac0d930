/**
 * Increments and appends of rows from which other rows follow. ReadModifyWriteRow has no condition,
 * so they become a write of the new values, on condition that the old ones are as they were read.
 */
import { equalBytes } from '../../../base/index.js';
import type {
  Cell,
  CellClock,
  Filter,
  Mutation,
  ReadModifyWriteRule,
} from '../../../data/store/index.js';
import type { CallerCondition } from './guarded-check.js';

/** A column that rules change. */
interface ChangedColumn {
  readonly family: string;
  readonly qualifier: Uint8Array;
  /** The newest stored cell. */
  readonly stored: Cell | undefined;
  value: Uint8Array;
}

/** The write that rules become, and the cells that it leaves. */
export interface ModifiedRow {
  readonly mutations: readonly Mutation[];
  readonly condition: CallerCondition;
  readonly cells: readonly Cell[];
}

const newest: Filter = Object.freeze({ kind: 'cellsPerColumn', count: 1 });
const everyCell: Filter = Object.freeze({ kind: 'passAll' });

/** What must be read of the row. */
export function ruleFilter(rules: readonly ReadModifyWriteRule[]): Filter {
  const columns = rules.map(({ family, qualifier }) => ({ family, qualifiers: [qualifier] }));
  const distinct = columns.filter(
    (column, i) => columns.findIndex((each) => isSame(each, column)) === i,
  );
  return { kind: 'chain', filters: [{ kind: 'columns', columns: distinct }, newest] };
}

function isSame(
  a: { readonly family: string; readonly qualifiers: readonly Uint8Array[] },
  b: { readonly family: string; readonly qualifiers: readonly Uint8Array[] },
): boolean {
  return a.family === b.family && equalBytes(a.qualifiers[0], b.qualifiers[0]);
}

/**
 * Applies rules to the cells that were read. Undefined if a value is no int64, which storage
 * rejects.
 */
export function modifiedRow(
  rules: readonly ReadModifyWriteRule[],
  stored: readonly Cell[],
  clock: Pick<CellClock, 'next'>,
): ModifiedRow | undefined {
  const changed: ChangedColumn[] = [];
  for (const rule of rules) {
    const column = columnOf(changed, rule, stored);
    const value = newValue(rule, column.value);
    if (value === undefined) return undefined;
    column.value = value;
  }
  const now = BigInt(clock.next());
  const cells = changed.map(({ family, qualifier, stored: before, value }): Cell => {
    // The newest, whatever the clocks of earlier writers.
    const after = before === undefined ? 0n : before.timestamp + 1000n;
    return { family, qualifier, timestamp: after > now ? after : now, value };
  });
  const mutations = cells.map((cell): Mutation => ({ kind: 'setCell', ...cell }));
  return { mutations, condition: conditionOf(changed), cells };
}

function columnOf(
  changed: ChangedColumn[],
  { family, qualifier }: ReadModifyWriteRule,
  cells: readonly Cell[],
): ChangedColumn {
  const isIt = (each: { readonly family: string; readonly qualifier: Uint8Array }): boolean =>
    each.family === family && equalBytes(each.qualifier, qualifier);
  const known = changed.find(isIt);
  if (known !== undefined) return known;
  const stored = cells.find(isIt);
  const column = { family, qualifier, stored, value: stored?.value ?? Buffer.alloc(0) };
  changed.push(column);
  return column;
}

function newValue(rule: ReadModifyWriteRule, value: Uint8Array): Uint8Array | undefined {
  if (rule.kind === 'append') return Buffer.concat([value, rule.value]);
  if (value.length !== 8 && value.length !== 0) return undefined;
  const bytes = Buffer.from(value);
  const before = bytes.length === 0 ? 0n : bytes.readBigInt64BE();
  const sum = Buffer.alloc(8);
  sum.writeBigInt64BE(BigInt.asIntN(64, before + rule.amount));
  return sum;
}

/** Every column is as it was read. A row without cells passes no filter: then none has one. */
function conditionOf(changed: readonly ChangedColumn[]): CallerCondition {
  const present = changed.filter(({ stored }) => stored !== undefined);
  const absent = changed.filter(({ stored }) => stored === undefined);
  const columns = absent.map(({ family, qualifier }) => ({ family, qualifiers: [qualifier] }));
  const any: Filter = { kind: 'columns', columns };
  if (present.length === 0) return { predicate: any, appliedWhen: false };
  const none: Filter =
    absent.length === 0 ? everyCell : { kind: 'condition', predicate: any, onFalse: everyCell };
  const predicate = present.reduceRight<Filter>(
    (rest, { family, qualifier, stored }) => ({
      kind: 'condition',
      predicate: {
        kind: 'chain',
        filters: [
          { kind: 'columns', columns: [{ family, qualifiers: [qualifier] }] },
          newest,
          { kind: 'valueEquals', value: stored!.value },
        ],
      },
      onTrue: rest,
    }),
    none,
  );
  return { predicate, appliedWhen: true };
}
