/** Plans: what differs between the stored tables and the declared ones, with all consequences. */
import { createHash } from 'node:crypto';
import { isRowsmithError, toHex } from '../../../base/index.js';
import { type EntityModel, gcRuleKey } from '../../model/index.js';
import type { Engine, GcRule, TableSchema, TableUpdate } from '../../../data/store/index.js';
import { compareTables, modelsByTable } from '../database/schema-sync.js';
import { safetyClasses, stepOf, undeclaredSteps } from './schema-step.js';
import { optionChanges } from './table-options.js';
import type { SchemaStep } from './step.js';

/** What is declared. */
export interface DeclaredSchema {
  /** All models that store rows, also the models of indexes and rollups. */
  readonly models: readonly EntityModel[];
  /** Settings by table; other tables, and settings that are absent, are left alone. */
  readonly settings: ReadonlyMap<string, TableUpdate>;
  /** Whether the database is live: only there tables have all settings. */
  readonly isLive: boolean;
}

/** What apply would do, and the state that it was computed from. */
export interface SchemaPlan {
  /** Equal for plans with the same steps from the same stored tables. */
  readonly id: string;
  /** By safety, the safest first. */
  readonly steps: readonly SchemaStep[];
  /** By table that is declared: a text that changes with its stored schema. */
  readonly stored: ReadonlyMap<string, string>;
}

/** Reads the stored tables and plans what they need. */
export async function readSchemaPlan(
  engine: Engine,
  declared: DeclaredSchema,
): Promise<SchemaPlan> {
  return planSchema(await engine.listTables(), declared);
}

/** Plans what stored tables need. */
export function planSchema(
  tables: readonly TableSchema[],
  { models, settings, isLive }: DeclaredSchema,
): SchemaPlan {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const declared = modelsByTable(models);
  const steps = [
    ...compareTables(tables, models).map((change) => stepOf(change, isLive)),
    ...[...declared.keys()].flatMap((name) =>
      optionChanges(name, byName.get(name), settings.get(name) ?? {}).map((change) =>
        stepOf(change, isLive),
      ),
    ),
    ...[...declared].flatMap(([name, sharing]) => {
      const table = byName.get(name);
      if (table === undefined) return [];
      const families = sharing.flatMap((model) => [...model.table.families.keys()]);
      return undeclaredSteps(table, new Set(families));
    }),
  ].sort((a, b) => safetyClasses.indexOf(a.safety) - safetyClasses.indexOf(b.safety));
  const stored = new Map(
    [...declared.keys()].map((name) => [name, tableFingerprint(byName.get(name))]),
  );
  const id = createHash('sha256')
    .update(JSON.stringify([[...stored], steps.map(({ change }) => changeKey(change))]))
    .digest('hex')
    .slice(0, 16);
  return { id, steps, stored };
}

/** A text that is equal for tables with the same schema; `none` for no table. */
export function tableFingerprint(table: TableSchema | undefined): string {
  if (table === undefined) return 'none';
  const { families, granularity, deletionProtection = false } = table;
  const { changeStreamMicros, automatedBackup, rowKeySchema } = table;
  return JSON.stringify([
    [...families]
      .map(([name, { gc, aggregate, otherType }]) => [name, gcRuleKey(gc), aggregate, otherType])
      .sort(([a], [b]) => (a! < b! ? -1 : 1)),
    granularity ?? 'millis',
    deletionProtection,
    changeStreamMicros,
    automatedBackup?.retentionMicros,
    automatedBackup?.frequencyMicros,
    rowKeySchema === undefined ? undefined : toHex(rowKeySchema),
  ]);
}

/** Properties of changes that hold rules. */
const ruleNames: ReadonlySet<string> = new Set(['gc', 'from', 'to']);

/** Rules in normal form; maps and bytes have no form in JSON. */
function changeKey(change: SchemaStep['change']): string {
  return JSON.stringify(change, (name, value: unknown) => {
    if (ruleNames.has(name) && typeof value === 'object') return gcRuleKey(value as GcRule);
    if (value instanceof Map) return [...(value as Map<string, unknown>)];
    return value instanceof Uint8Array ? toHex(value) : value;
  });
}

/** The stored schema of one table; undefined if there is no such table. */
export async function readStoredTable(
  engine: Engine,
  name: string,
  isLive: boolean,
): Promise<TableSchema | undefined> {
  // Listing reads every table of the instance, and an empty update of a live table only reads it.
  if (!isLive) return (await engine.listTables()).find((table) => table.name === name);
  try {
    return await engine.updateTable(name, {});
  } catch (error) {
    if (isRowsmithError(error) && error.code === 'TABLE_NOT_FOUND') return undefined;
    throw error;
  }
}
