/** What must hold before a plan is applied: losses are allowed, and keys decode. */
import { countText, everyKey, RowsmithError, type FaultTexts } from '../../../base/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import {
  conflictError,
  gcConflict,
  type SchemaPlan,
  type SchemaStep,
} from '../../../entities/repository/index.js';
import { collectRows, type Engine } from '../../../data/store/index.js';
import type { Terminal } from '../../terminal/terminal.js';
import { printReport, verifyTable } from '../rows/verify-keys.js';

/** Throws SCHEMA_CONFLICT if a stored family has another kind than the declared one. */
export function checkConflicts({ steps }: SchemaPlan, models: readonly EntityModel[]): void {
  for (const { change } of steps)
    if (change.kind === 'conflict') throw conflictError(models, change);
}

/** Throws SCHEMA_CONFLICT if a step loses data and that is not allowed. */
export function checkLosses({ steps }: SchemaPlan, models: readonly EntityModel[]): void {
  const losing = steps.find(({ safety, applies }) => applies && safety === 'data-losing');
  if (losing === undefined) return;
  const { change } = losing;
  if (change.kind === 'changeGc')
    throw gcConflict(
      models,
      change,
      'declare the stored rule, or give --allow-data-loss to replace it; nothing was changed',
    );
  const { table, from, to } = change as Extract<
    SchemaStep['change'],
    { readonly kind: 'setOption' }
  >;
  throw new RowsmithError('SCHEMA_CONFLICT', {
    table,
    property: 'changeStream',
    ...faults.dataLoss(from, to),
  });
}

/**
 * Verifies the stored keys of tables that get a row key schema: SQL fails at keys that do not
 * decode. Throws FAILED_PRECONDITION if a table has rows and `verify` is not set, and resolves to
 * whether all keys decode.
 */
export async function checkKeys(
  engine: Engine,
  { steps }: SchemaPlan,
  models: readonly EntityModel[],
  { verify, terminal }: { readonly verify: boolean; readonly terminal: Terminal },
): Promise<boolean> {
  for (const { table, isNew } of keySchemaTables(steps)) {
    if (isNew || (await isEmpty(engine, table))) continue;
    if (!verify)
      throw new RowsmithError('FAILED_PRECONDITION', {
        table,
        property: 'rowKeySchema',
        ...faults.unverifiedKeys,
      });
    const sharing = models.filter((model) => model.table.name === table);
    const report = await verifyTable(
      engine,
      { table, models: sharing, sample: undefined },
      terminal,
    );
    printReport(terminal, report);
    if (report.undecodable > 0) {
      terminal.note(
        `rowsmith: ${countText(report.undecodable, 'key')} of ${table} cannot be decoded; nothing was changed`,
      );
      return false;
    }
  }
  return true;
}

/** The tables that get a row key schema, and whether the plan creates them. */
export function keySchemaTables(
  steps: readonly SchemaStep[],
): readonly { readonly table: string; readonly isNew: boolean }[] {
  return steps.flatMap(({ change, applies }) => {
    if (!applies || change.kind !== 'setOption' || change.option !== 'rowKeySchema') return [];
    if (change.effect !== 'on') return [];
    const { table } = change;
    const isNew = steps.some(
      (other) => other.change.kind === 'createTable' && other.change.table === table,
    );
    return [{ table, isNew }];
  });
}

async function isEmpty(engine: Engine, table: string): Promise<boolean> {
  const rows = await collectRows(
    engine.readRows({
      table,
      ranges: [everyKey],
      reversed: false,
      limit: 1,
      filter: { kind: 'stripValue' },
    }),
  );
  return rows.length === 0;
}

const faults = {
  dataLoss: (fromText: string, to: string) => ({
    problem: `stored with ${fromText}, configured with ${to}: recorded changes would be lost`,
    fix: 'configure the stored value, or give --allow-data-loss; nothing was changed',
  }),
  unverifiedKeys: {
    problem: 'the table has rows, and their keys were not verified',
    fix: 'give --verify-keys, which first reads every key of the table; nothing was changed',
  },
} satisfies FaultTexts;
