/** What entities of one table must agree on, and the tables they make together. */
import { compareBytes } from '../../bytes/index.js';
import { patternsCollide } from '../../key/index.js';
import type { FamilySchema, GcRule, TableSchema } from '../../store/index.js';
import { reporter, type BuildContext } from './build-context.js';
import { frozenMap } from './freeze.js';
import type { EntityModel } from '../model.js';

/**
 * Reports entities of one table whose families contradict each other or whose keys can be the same
 * bytes.
 */
export function checkTables(models: readonly EntityModel[], context: BuildContext): void {
  models.forEach((model, i) => {
    const report = reporter(context, model.name);
    for (const other of models.slice(0, i)) {
      if (other.table.name !== model.table.name) continue;
      for (const [family, schema] of model.table.families) {
        const theirs = other.table.families.get(family);
        if (theirs === undefined || familyText(theirs) === familyText(schema)) continue;
        const problem = `family '${family}' of table '${model.table.name}' is declared otherwise by ${other.name}`;
        report(
          undefined,
          problem,
          `declare it once: table('${model.table.name}', { families }), and give both entities that table`,
        );
      }
      const collision = patternsCollide(model.key, other.key);
      if (collision !== undefined) {
        const problem = `keys of ${model.name} and ${other.name} in table '${model.table.name}' can be the same: ${collision}`;
        report(
          'key',
          problem,
          `start each key with a literal of its own: rowKey(literal('${model.name.toLowerCase()}'), ...)`,
        );
      }
    }
  });
}

/**
 * The tables the entities live in: families of all of them together, and the split keys of sharded
 * ones.
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
    return Object.freeze({
      name,
      families: frozenMap(sorted),
      ...(splitKeys.length === 0 ? {} : { splitKeys: Object.freeze(splitKeys) }),
    });
  });
}

function familyText({ gc, aggregate }: FamilySchema): string {
  return `${aggregate ?? 'plain'} ${gc === undefined ? '' : ruleText(gc)}`;
}

/** The order of rules in a union or an intersection says nothing. */
function ruleText(rule: GcRule): string {
  if (rule.kind === 'maxVersions') return `versions ${rule.versions}`;
  if (rule.kind === 'maxAge') return `age ${rule.micros}`;
  return `${rule.kind}(${rule.rules.map(ruleText).sort().join()})`;
}
