/**
 * What the stored tables lack of the declared ones, and how they get it: additions, garbage
 * collection rules, and contradictions as errors.
 */
import { compareBytes, equalBytes } from '../../bytes/index.js';
import { RowsmithError } from '../../errors.js';
import type { EntityModel } from '../../model/index.js';
import type { Engine, FamilyChange, FamilySchema, GcRule, TableSchema } from '../../store/index.js';

/**
 * `add` creates what is missing; `apply` also replaces garbage collection rules that differ, which
 * may delete history.
 */
export type SchemaMode = 'add' | 'apply';

/** One step from the stored tables to the declared ones. Plain data, told apart by `kind`. */
export type SchemaChange =
  | {
      readonly kind: 'createTable';
      readonly table: string;
      /** With all its families. */ readonly schema: TableSchema;
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
      /** The stored rule; undefined where nothing is collected. */
      readonly from: GcRule | undefined;
      /** The declared one. */
      readonly to: GcRule | undefined;
      /**
       * True unless the new rule keeps everything that the old one keeps. What is collected is gone
       * for good.
       */
      readonly losesData: boolean;
    };

/**
 * Creates missing tables and families. Throws SCHEMA_CONFLICT where the stored ones contradict the
 * declared.
 */
export async function syncTables(
  engine: Engine,
  models: readonly EntityModel[],
  mode: SchemaMode,
): Promise<void> {
  const changes = planTables(await engine.listTables(), models);
  const differing = changes.find((change) => change.kind === 'changeGc');
  if (mode !== 'apply' && differing !== undefined) {
    throw gcConflict(
      models,
      differing,
      `declare the stored rule, or open(url, { schema: 'apply' }) to replace it; a tighter rule deletes history`,
    );
  }
  await applyChanges(engine, changes);
}

/**
 * The steps that are needed, in the order of the declarations. Throws SCHEMA_CONFLICT for what no
 * step can change.
 */
export function planTables(
  tables: readonly TableSchema[],
  models: readonly EntityModel[],
): SchemaChange[] {
  const stored = new Map(tables.map((table) => [table.name, table]));
  const declared = new Map<string, EntityModel[]>();
  for (const model of models)
    declared.set(model.table.name, [...(declared.get(model.table.name) ?? []), model]);
  return [...declared].flatMap(([table, sharing]): SchemaChange[] => {
    const there = stored.get(table);
    if (there !== undefined) return familyChanges(there, sharing);
    return [
      {
        kind: 'createTable',
        table,
        schema: { name: table, families: familiesOf(sharing), splitKeys: splitKeysOf(sharing) },
      },
    ];
  });
}

/** Takes the steps: a table's families change together. */
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

/** SCHEMA_CONFLICT for a rule that differs and may not be replaced. */
export function gcConflict(
  models: readonly EntityModel[],
  { table, family, from, to }: Extract<SchemaChange, { kind: 'changeGc' }>,
  fix: string,
): RowsmithError {
  return conflict(
    models,
    table,
    family,
    `stored with ${ruleText(from)}, declared with ${ruleText(to)}`,
    fix,
  );
}

function familyChange(change: Exclude<SchemaChange, { kind: 'createTable' }>): FamilyChange {
  const { family } = change;
  return change.kind === 'createFamily'
    ? { kind: 'create', family, schema: change.schema }
    : { kind: 'update', family, gc: change.to };
}

/** Sorted, each once: entities that share a table may be sharded alike. */
function splitKeysOf(models: readonly EntityModel[]): Uint8Array[] {
  const keys = models.flatMap((model) => model.key.splitKeys()).sort(compareBytes);
  return keys.filter((key, i) => i === 0 || !equalBytes(key, keys[i - 1]));
}

function familiesOf(models: readonly EntityModel[]): ReadonlyMap<string, FamilySchema> {
  return new Map(models.flatMap((model) => [...model.table.families]));
}

function familyChanges(stored: TableSchema, models: readonly EntityModel[]): SchemaChange[] {
  const table = stored.name;
  return [...familiesOf(models)].flatMap(([family, schema]): SchemaChange[] => {
    const there = stored.families.get(family);
    if (there === undefined) return [{ kind: 'createFamily', table, family, schema }];
    if (there.aggregate !== schema.aggregate || there.otherType !== undefined) {
      const problem = `stored as ${aggregateText(there)}, declared as ${aggregateText(schema)}`;
      throw conflict(
        models,
        table,
        family,
        problem,
        'the kind of a family is fixed when it is created: declare a family of another name',
      );
    }
    const [from, to] = [there.gc, schema.gc];
    return ruleText(from) === ruleText(to)
      ? []
      : [{ kind: 'changeGc', table, family, from, to, losesData: !keepsAll(from, to) }];
  });
}

function conflict(
  models: readonly EntityModel[],
  table: string,
  family: string,
  problem: string,
  fix: string,
): RowsmithError {
  const sharing = models.filter((model) => model.table.name === table).map((model) => model.name);
  return new RowsmithError('SCHEMA_CONFLICT', {
    entity: sharing.join(', '),
    property: `family ${family}`,
    problem,
    fix,
    table,
  });
}

/** Whether all that `to` collects `from` collects, too. False where that is not plain to see. */
function keepsAll(from: GcRule | undefined, to: GcRule | undefined): boolean {
  if (to === undefined || keepsEverything(to)) return true;
  if (from === undefined || keepsEverything(from)) return false;
  if (to.kind === 'union') return to.rules.every((rule) => keepsAll(from, rule));
  if (from.kind === 'intersection') return from.rules.every((rule) => keepsAll(rule, to));
  if (to.kind === 'intersection' && to.rules.some((rule) => keepsAll(from, rule))) return true;
  if (from.kind === 'union') return from.rules.some((rule) => keepsAll(rule, to));
  if (from.kind === 'maxVersions') return to.kind === 'maxVersions' && to.versions >= from.versions;
  return to.kind === 'maxAge' && to.micros >= from.micros;
}

/** An empty list of rules collects nothing (table.proto, GcRule). */
function keepsEverything(rule: GcRule): boolean {
  return (rule.kind === 'union' || rule.kind === 'intersection') && rule.rules.length === 0;
}

function aggregateText({ aggregate, otherType }: FamilySchema): string {
  if (otherType !== undefined) return otherType;
  return aggregate === undefined ? 'plain cells' : `aggregate ${aggregate}`;
}

/** A rule as text, the same for rules that mean the same order of terms. */
function ruleText(rule: GcRule | undefined): string {
  if (rule === undefined || keepsEverything(rule)) return 'no garbage collection';
  switch (rule.kind) {
    case 'maxVersions':
      return `maxVersions(${rule.versions})`;
    case 'maxAge':
      return `maxAge(${rule.micros / 1000} ms)`;
    default:
      return `${rule.kind}(${rule.rules.map(ruleText).sort().join(', ')})`;
  }
}
