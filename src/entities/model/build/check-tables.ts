/** Checks entities that share a table against each other, and merges their tables. */
import { compareBytes, type FaultTexts } from '../../../base/index.js';
import { patternsCollide } from '../../../data/key/index.js';
import type { FamilySchema, TableSchema } from '../../../data/store/index.js';
import { reporter, type BuildContext, type Report } from './shared/build-context.js';
import { frozenMap } from './shared/freeze.js';
import { gcRuleKey } from '../normal-gc-rule.js';
import type { EntityModel } from '../model.js';

/**
 * Reports rollups of several entities with rows that would have the same keys. Returns whether
 * there are none.
 */
export function checkRollupNames(models: readonly EntityModel[], context: BuildContext): boolean {
  const before = context.faults.length;
  const owners = new Map<string, string>();
  for (const { name, rollups } of models) {
    const report = reporter(context, name);
    for (const rollup of rollups) {
      const rows = `${rollup.rows.table.name}\0${rollup.name}`;
      const owner = owners.get(rows);
      if (owner !== undefined)
        report('rollups', faults.duplicateTable(rollup.name, owner, rollup.rows.table.name));
      owners.set(rows, name);
    }
  }
  return context.faults.length === before;
}

/** Reports entities of one table with contradicting families, or with keys that can be equal. */
export function checkSharedTables(models: readonly EntityModel[], context: BuildContext): void {
  models.forEach((model, i) => {
    const report = reporter(context, model.name);
    for (const other of models.slice(0, i)) {
      if (other.table.name !== model.table.name) continue;
      checkFamilies(model, other, report);
      if (model.view === undefined && other.view === undefined) checkKeys(model, other, report);
      else if (model.view?.name === other.view?.name)
        report(undefined, faults.duplicateView(model.view!.name, model.table.name, other.name));
    }
  });
}

function checkFamilies({ table }: EntityModel, other: EntityModel, report: Report): void {
  for (const [family, schema] of table.families) {
    const otherSchema = other.table.families.get(family);
    if (otherSchema === undefined || familyText(otherSchema) === familyText(schema)) continue;
    report(undefined, faults.differentFamilies(family, table.name, other.name));
  }
}

function checkKeys(model: EntityModel, other: EntityModel, report: Report): void {
  const collision = patternsCollide(model.key, other.key);
  if (collision === undefined) return;
  const names = `${model.name} and ${other.name} in table '${model.table.name}'`;
  report(
    'key',
    faults.equalKeys(
      names,
      collision,
      isDerived(model) || isDerived(other),
      model.name.toLowerCase(),
    ),
  );
}

/** Whether a model describes rows of ours: class names have no dot. */
function isDerived({ name }: EntityModel): boolean {
  return name.includes('.');
}

/**
 * The tables of the entities: the families and the split keys of all entities that share a table.
 */
export function tableSchemas(models: readonly EntityModel[]): readonly TableSchema[] {
  return [...new Set(models.map((model) => model.table.name))].map((name) => {
    const sharing = models.filter((model) => model.table.name === name);
    const families = new Map(sharing.flatMap((model) => [...model.table.families]));
    const splitKeys = sharing
      .flatMap((model) => model.key.splitKeys())
      .sort(compareBytes)
      .filter((key, i, keys) => i === 0 || compareBytes(keys[i - 1], key) !== 0);
    const sorted = [...families].sort(([a], [b]) => (a < b ? -1 : 1));
    const schema: TableSchema = { name, families: frozenMap(sorted) };
    if (splitKeys.length === 0) return Object.freeze(schema);
    return Object.freeze({ ...schema, splitKeys: Object.freeze(splitKeys) });
  });
}

function familyText({ gc, aggregate }: FamilySchema): string {
  const kind = aggregate ?? 'plain';
  return `${kind} ${gcRuleKey(gc)}`;
}

const faults = {
  duplicateTable: (rollupName: string, owner: string, tableName: string) => ({
    problem: `rollup '${rollupName}' has the name of one of ${owner} in table '${tableName}'`,
    fix: "give one of them another name or table: table: 'hourly'",
  }),
  differentFamilies: (family: string, tableName: string, otherName: string) => ({
    problem: `family '${family}' of table '${tableName}' is declared differently by ${otherName}`,
    fix: `declare the table once, with table('${tableName}', { families }), and use it in both entities`,
  }),
  duplicateView: (view: string, tableName: string, otherName: string) => ({
    problem: `${otherName} is view '${view}' of table '${tableName}' as well`,
    fix: 'give one of them another name',
  }),
  equalKeys: (names: string, collision: string, isDerivedText: boolean, text: string) => ({
    problem: `keys of ${names} can be equal: ${collision}`,
    fix: isDerivedText
      ? "give the index a table of its own, with .in('name'), or start the row key with a literal"
      : `start each key with a different literal: rowKey(literal('${text}'), ...)`,
  }),
} satisfies FaultTexts;
