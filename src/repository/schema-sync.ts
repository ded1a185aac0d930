/** Brings the tables of an embedded database in line with the declared ones: additions only, contradictions are errors. */
import { compareBytes, equalBytes } from '../bytes/index.js';
import { RowsmithError } from '../errors.js';
import type { EntityModel } from '../model/model.js';
import type { Engine, FamilyChange, FamilySchema, GcRule, TableSchema } from '../store/index.js';

/** `add` creates what is missing; `apply` also replaces garbage collection rules that differ, which may delete history. */
export type SchemaMode = 'add' | 'apply';

/** Creates missing tables and families. Throws SCHEMA_CONFLICT where the stored ones contradict the declared. */
export async function syncTables(engine: Engine, models: readonly EntityModel[], mode: SchemaMode): Promise<void> {
  const stored = new Map((await engine.listTables()).map((table) => [table.name, table]));
  const declared = new Map<string, EntityModel[]>();
  for (const model of models) declared.set(model.table.name, [...(declared.get(model.table.name) ?? []), model]);
  const changes = [...declared].map(([name, sharing]) => ({ name, sharing, changes: changesOf(stored.get(name), name, sharing, mode) }));
  for (const { name, sharing, changes: families } of changes) {
    if (stored.has(name)) {
      if (families.length > 0) await engine.modifyFamilies(name, families);
    } else {
      await engine.createTable({ name, families: familiesOf(sharing), splitKeys: splitKeysOf(sharing) });
    }
  }
}

/** Sorted, each once: entities that share a table may be sharded alike. */
function splitKeysOf(models: readonly EntityModel[]): Uint8Array[] {
  const keys = models.flatMap((model) => model.key.splitKeys()).sort(compareBytes);
  return keys.filter((key, i) => i === 0 || !equalBytes(key, keys[i - 1]));
}

function familiesOf(models: readonly EntityModel[]): ReadonlyMap<string, FamilySchema> {
  return new Map(models.flatMap((model) => [...model.table.families]));
}

function changesOf(stored: TableSchema | undefined, table: string, models: readonly EntityModel[], mode: SchemaMode): FamilyChange[] {
  if (stored === undefined) return [];
  const changes: FamilyChange[] = [];
  for (const [family, schema] of familiesOf(models)) {
    const there = stored.families.get(family);
    if (there === undefined) changes.push({ kind: 'create', family, schema });
    else if (there.aggregate !== schema.aggregate) {
      const problem = `stored as ${aggregateText(there)}, declared as ${aggregateText(schema)}`;
      throw conflict(models, table, family, problem, 'the kind of a family is fixed when it is created: declare a family of another name');
    } else if (ruleText(there.gc) !== ruleText(schema.gc)) {
      const problem = `stored with ${ruleText(there.gc)}, declared with ${ruleText(schema.gc)}`;
      if (mode !== 'apply') throw conflict(models, table, family, problem, `declare the stored rule, or open(url, { schema: 'apply' }) to replace it; a tighter rule deletes history`);
      changes.push({ kind: 'update', family, gc: schema.gc });
    }
  }
  return changes;
}

function conflict(models: readonly EntityModel[], table: string, family: string, problem: string, fix: string): RowsmithError {
  return new RowsmithError('SCHEMA_CONFLICT', { entity: models.map((model) => model.name).join(', '), property: `family ${family}`, problem, fix, table });
}

function aggregateText({ aggregate }: FamilySchema): string {
  return aggregate === undefined ? 'plain cells' : `aggregate ${aggregate}`;
}

/** A rule as text, the same for rules that mean the same order of terms. */
function ruleText(rule: GcRule | undefined): string {
  if (rule === undefined) return 'no garbage collection';
  switch (rule.kind) {
    case 'maxVersions':
      return `maxVersions(${rule.versions})`;
    case 'maxAge':
      return `maxAge(${rule.micros / 1000} ms)`;
    default:
      return `${rule.kind}(${rule.rules.map(ruleText).sort().join(', ')})`;
  }
}
