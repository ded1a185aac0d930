/** What a project declares of its tables: entities, and the settings of the config. */
import { suggestionText, type FaultTexts } from '../../../base/index.js';
import { rowKeySchema } from '../../../tools/codegen/index.js';
import { parseEngineUrl } from '../../../engines/index.js';
import { type EntityModel, storedModels } from '../../../entities/model/index.js';
import { encodeRowKeySchema } from '../../../engines/protocol/index.js';
import type { DeclaredSchema } from '../../../entities/repository/index.js';
import type { TableUpdate } from '../../../data/store/index.js';
import type { TableSettings } from '../../define-config.js';
import { configError } from '../../project/config-fault.js';
import type { Project } from '../../project/load-project.js';
import { settingsUpdate } from '../../project/table-settings.js';

/** The schema that a project declares for a database. Throws INVALID_CONFIG for its settings. */
export function declaredSchema(project: Project, url: string): DeclaredSchema {
  const models = storedModels(project.models);
  const names = [...new Set(models.map(({ table }) => table.name))];
  const settings = new Map<string, TableUpdate>();
  for (const [table, declared] of Object.entries(project.tables)) {
    if (!names.includes(table)) throw configError(project.file, faults.unknownTable(table, names));
    const keySchema = keySchemaOf(project, table, declared, models);
    settings.set(table, { ...settingsUpdate(declared), rowKeySchema: keySchema });
  }
  return { models, settings, isLive: parseEngineUrl(url).kind === 'live' };
}

function keySchemaOf(
  project: Project,
  table: string,
  { rowKeySchema: setting }: TableSettings,
  models: readonly EntityModel[],
): TableUpdate['rowKeySchema'] {
  if (setting === undefined) return undefined;
  if (!setting) return null;
  const { struct, notes } = rowKeySchema(models.filter((model) => model.table.name === table));
  if (struct !== undefined) return encodeRowKeySchema(struct);
  throw configError(project.file, faults.unsupportedRowKeySchema(table, notes.join(' ')));
}

const faults = {
  unknownTable: (table: string, names: readonly string[]) => ({
    problem: `tables: no entity has the table '${table}'`,
    fix: suggestionText(table, names, 'the tables are'),
  }),
  unsupportedRowKeySchema: (table: string, list: string) => ({
    problem: `tables.${table}.rowKeySchema: ${list}`,
    fix: 'leave rowKeySchema out for this table',
  }),
} satisfies FaultTexts;
