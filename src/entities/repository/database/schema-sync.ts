/**
 * Compares stored tables with declared ones: plans and applies additions and changed garbage
 * collection rules, and reports contradictions as errors.
 */
import {
  compareBytes,
  equalBytes,
  RowsmithError,
  type FaultText,
  type FaultTexts,
} from '../../../base/index.js';
import { type EntityModel, gcRuleKey, gcRuleText, normalGcRule } from '../../model/index.js';
import type {
  Engine,
  FamilyChange,
  FamilySchema,
  GcRule,
  TableSchema,
} from '../../../data/store/index.js';

/**
 * Which changes `open` makes to stored tables. `add` creates missing tables and families. `apply`
 * also replaces garbage collection rules that differ, which may delete versions.
 */
export type SchemaMode = 'add' | 'apply';

/** One change that brings the stored tables in line with the declared ones. */
export type SchemaChange =
  | {
      readonly kind: 'createTable';
      readonly table: string;
      /** The table with all its families. */
      readonly schema: TableSchema;
    }
  | {
      readonly kind: 'createFamily';
      readonly table: string;
      readonly family: string;
      readonly schema: FamilySchema;
    }
  | {
      readonly kind: 'changeGc';
      readonly table: string;
      readonly family: string;
      /** The stored rule; undefined if nothing is collected. */
      readonly from: GcRule | undefined;
      /** The declared rule; undefined if nothing is collected. */
      readonly to: GcRule | undefined;
      /**
       * False if every cell that the stored rule keeps is also kept by the declared one; true if
       * not, or if that cannot be decided. Collected cells cannot be recovered.
       */
      readonly losesData: boolean;
    };

/**
 * Creates missing tables and families. Throws SCHEMA_CONFLICT if stored ones contradict the
 * declaration.
 */
export async function syncTables(
  engine: Engine,
  models: readonly EntityModel[],
  mode: SchemaMode,
): Promise<void> {
  const changes = planTables(await engine.listTables(), models);
  const differing = changes.find((change) => change.kind === 'changeGc');
  if (mode !== 'apply' && differing !== undefined) throw gcConflict(models, differing);
  await applyChanges(engine, changes);
}

/**
 * Throws SCHEMA_CONFLICT if entities cannot read the stored tables. Missing ones, and other garbage
 * collection rules, do not matter for reading.
 */
export async function checkTables(engine: Engine, models: readonly EntityModel[]): Promise<void> {
  planTables(await engine.listTables(), models);
}

/**
 * Returns the changes that are needed, in the order of the declarations. Throws SCHEMA_CONFLICT for
 * a difference that no change can resolve.
 */
export function planTables(
  tables: readonly TableSchema[],
  models: readonly EntityModel[],
): SchemaChange[] {
  return compareTables(tables, models).map((difference) => {
    if (difference.kind === 'conflict') throw conflictError(models, difference);
    return difference;
  });
}

/** A difference of a stored family that no change can resolve. */
export interface SchemaConflict {
  readonly kind: 'conflict';
  readonly table: string;
  readonly family: string;
  readonly problem: string;
  readonly fix: string;
}

/** The changes that are needed, and the conflicts, in the order of the declarations. */
export function compareTables(
  tables: readonly TableSchema[],
  models: readonly EntityModel[],
): readonly (SchemaChange | SchemaConflict)[] {
  const stored = new Map(tables.map((table) => [table.name, table]));
  return [...modelsByTable(models)].flatMap(
    ([table, sharing]): readonly (SchemaChange | SchemaConflict)[] => {
      const existing = stored.get(table);
      if (existing !== undefined) return familyChanges(existing, sharing);
      return [
        {
          kind: 'createTable',
          table,
          schema: { name: table, families: familiesOf(sharing), splitKeys: splitKeysOf(sharing) },
        },
      ];
    },
  );
}

/** SCHEMA_CONFLICT for a difference that no change can resolve. */
export function conflictError(
  models: readonly EntityModel[],
  { table, family, problem, fix }: SchemaConflict,
): RowsmithError {
  return schemaConflict(models, table, family, { problem, fix });
}

/** Applies the changes. All families of one table change in one call. */
export async function applyChanges(
  engine: Engine,
  changes: readonly SchemaChange[],
): Promise<void> {
  const families = new Map<string, FamilyChange[]>();
  for (const change of changes) {
    if (change.kind === 'createTable') await engine.createTable(change.schema);
    else families.set(change.table, [...(families.get(change.table) ?? []), familyChange(change)]);
  }
  for (const [table, all] of families) await engine.modifyFamilies(table, all);
}

/** SCHEMA_CONFLICT for a garbage collection rule that differs and may not be replaced. */
export function gcConflict(
  models: readonly EntityModel[],
  { table, family, from, to }: Extract<SchemaChange, { kind: 'changeGc' }>,
  fix?: string,
): RowsmithError {
  const [stored, declared] = [ruleText(from), ruleText(to)];
  const fault =
    fix === undefined
      ? faults.otherRule(stored, declared)
      : faults.ruleMismatch(stored, declared, fix);
  return schemaConflict(models, table, family, fault);
}

/** The change of a family as engines take it. */
export function familyChange(change: Exclude<SchemaChange, { kind: 'createTable' }>): FamilyChange {
  const { family } = change;
  if (change.kind === 'createFamily') return { kind: 'create', family, schema: change.schema };
  return { kind: 'update', family, gc: change.to };
}

/** The models of each table, in the order of the declarations. */
export function modelsByTable(
  models: readonly EntityModel[],
): ReadonlyMap<string, readonly EntityModel[]> {
  const tables = new Map<string, EntityModel[]>();
  for (const model of models) {
    const { name } = model.table;
    tables.set(name, [...(tables.get(name) ?? []), model]);
  }
  return tables;
}

/** Sorted and without duplicates: entities that share a table may have the same shards. */
function splitKeysOf(models: readonly EntityModel[]): Uint8Array[] {
  const keys = models.flatMap((model) => model.key.splitKeys()).sort(compareBytes);
  return keys.filter((key, i) => i === 0 || !equalBytes(key, keys[i - 1]));
}

function familiesOf(models: readonly EntityModel[]): ReadonlyMap<string, FamilySchema> {
  return new Map(models.flatMap((model) => [...model.table.families]));
}

function familyChanges(
  stored: TableSchema,
  models: readonly EntityModel[],
): readonly (SchemaChange | SchemaConflict)[] {
  const table = stored.name;
  return [...familiesOf(models)].flatMap(([family, schema]): (SchemaChange | SchemaConflict)[] => {
    const existing = stored.families.get(family);
    if (existing === undefined) return [{ kind: 'createFamily', table, family, schema }];
    if (existing.aggregate !== schema.aggregate || existing.otherType !== undefined) {
      const problem = `stored as ${aggregateText(existing)}, declared as ${aggregateText(schema)}`;
      const fix =
        'the kind of a family is fixed when it is created: declare a family with another name';
      return [{ kind: 'conflict', table, family, problem, fix }];
    }
    const [from, to] = [existing.gc, schema.gc];
    if (gcRuleKey(from) === gcRuleKey(to)) return [];
    return [{ kind: 'changeGc', table, family, from, to, losesData: losesData(from, to) }];
  });
}

function schemaConflict(
  models: readonly EntityModel[],
  table: string,
  family: string,
  fault: FaultText,
): RowsmithError {
  const sharing = models.filter((model) => model.table.name === table).map((model) => model.name);
  return new RowsmithError('SCHEMA_CONFLICT', {
    entity: sharing.join(', '),
    property: `family ${family}`,
    problem: fault.problem,
    fix: fault.fix,
    shell: fault.shell,
    table,
  });
}

/** Whether `to` may collect cells that `from` keeps; true if that cannot be decided. */
export function losesData(from: GcRule | undefined, to: GcRule | undefined): boolean {
  return !keepsAll(normalGcRule(from), normalGcRule(to));
}

/**
 * Whether `from` already collects everything that `to` collects. Conservative: false if the rules
 * are not comparable term by term. Both are in normal form.
 */
function keepsAll(from: GcRule | undefined, to: GcRule | undefined): boolean {
  if (to === undefined) return true;
  if (from === undefined) return false;
  if (to.kind === 'union') return to.rules.every((rule) => keepsAll(from, rule));
  if (from.kind === 'intersection') return from.rules.every((rule) => keepsAll(rule, to));
  if (to.kind === 'intersection' && to.rules.some((rule) => keepsAll(from, rule))) return true;
  if (from.kind === 'union') return from.rules.some((rule) => keepsAll(rule, to));
  if (from.kind === 'maxVersions') return to.kind === 'maxVersions' && to.versions >= from.versions;
  return to.kind === 'maxAge' && to.micros >= from.micros;
}

function aggregateText({ aggregate, otherType }: FamilySchema): string {
  if (otherType !== undefined) return otherType;
  if (aggregate === undefined) return 'plain cells';
  return `aggregate ${aggregate}`;
}

function ruleText(rule: GcRule | undefined): string {
  if (normalGcRule(rule) === undefined) return 'no garbage collection';
  return gcRuleText(rule!);
}

const faults = {
  otherRule: (stored: string, declared: string) => ({
    problem: `stored with ${stored}, declared with ${declared}`,
    fix:
      `declare the stored rule, or open(url, { schema: 'apply' }) to replace it; ` +
      'a stricter rule deletes stored versions',
    shell: {
      fix:
        'declare the stored rule, or replace it with rowsmith schema apply; ' +
        'a stricter rule deletes stored versions',
    },
  }),
  ruleMismatch: (rule: string, ruleText2: string, fix: string) => ({
    problem: `stored with ${rule}, declared with ${ruleText2}`,
    fix,
  }),
} satisfies FaultTexts;
