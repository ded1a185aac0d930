/** Tables with their entities, in an order that does not depend on the config. */
import { type EntityModel, tableSchemas } from '../../../entities/model/index.js';
import type { TableSchema } from '../../../data/store/index.js';
import { commentLine } from '../comment-line.js';
import { sortedBy } from '../sorted-by.js';

/**
 * Split keys as text for a command line. Each is a shard and a delimiter; a delimiter that is
 * binary or a comma, which separates keys on a command line, is left out. No stored key sorts
 * between the two, so the split is the same.
 */
export function splitTexts({ splitKeys = [] }: TableSchema): readonly string[] {
  return splitKeys.map((key) => {
    const text = Buffer.from(key).toString('latin1');
    if (/^[!-+\--~]*$/.test(text)) return text;
    return text.replace(/[^0-9].*$/s, '');
  });
}

/** A table with the entities that it stores. */
export interface TableOfEntities {
  readonly schema: TableSchema;
  readonly models: readonly EntityModel[];
}

/** The tables by name, each with its entities by name. */
export function tablesOf(models: readonly EntityModel[]): readonly TableOfEntities[] {
  return sortedBy(tableSchemas(models), ({ name }) => name).map((schema) => ({
    schema,
    models: sortedBy(
      models.filter((model) => model.table.name === schema.name),
      ({ name }) => name,
    ),
  }));
}

/** The line of a shell script above the commands of a table. */
export function tableComment({ schema, models }: TableOfEntities): string {
  return commentLine('#', `${schema.name}: ${models.map((model) => model.name).join(', ')}`);
}
