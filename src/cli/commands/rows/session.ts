/** The project, entity and database that a command on rows works on. */
import { type RowsmithError, suggestionText } from '../../../base/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import { type Database, open } from '../../../entities/repository/index.js';
import { UsageError, type CommandContext } from '../../command.js';
import type { Project } from '../../project/load-project.js';
import { checkStored, patience } from '../open-stored.js';
import { databaseUrl } from '../row-command.js';

/** An open database, and the cells that could not be read. */
export interface Session {
  readonly db: Database;
  /** Rows that were left out, because a cell of them cannot be decoded. */
  readonly damaged: RowsmithError[];
}

/** How a database is opened. */
export interface SessionOptions {
  readonly url: string | undefined;
  /** Default true: another process may have the database open. */
  readonly readOnly?: boolean;
  /** Leave damaged rows out and collect them; by default they are errors. */
  readonly skipsDamaged?: boolean;
}

/** The entity that an argument names. Throws UsageError with the usage, or the nearest name. */
export function findEntity(
  { models }: Project,
  name: string | undefined,
  usage: string,
): EntityModel {
  const names = models.map((model) => model.name);
  if (name === undefined)
    throw new UsageError(`no entity was named: ${usage}; the entities are ${names.join(', ')}`);
  const found = models.find((model) => model.name === name);
  if (found !== undefined) return found;
  throw new UsageError(
    `the project has no entity '${name}'; ${suggestionText(name, names, 'the entities are')}`,
  );
}

/** Opens the database of `--url` or the config, which must exist. */
export async function openSession(
  project: Project,
  { folder }: Pick<CommandContext, 'folder'>,
  { url, readOnly = true, skipsDamaged = false }: SessionOptions,
): Promise<Session> {
  const target = storedUrl(project, url, folder);
  checkStored(target);
  const damaged: RowsmithError[] = [];
  const db = await open(target, {
    entities: project.entities,
    readOnly,
    lint: false,
    bigtable: patience,
    onDamagedCell: skipsDamaged ? (error) => void damaged.push(error) : 'throw',
  });
  return { db, damaged };
}

/** The url of `--url` or the config. Throws UsageError for memory:. */
export function storedUrl(project: Project, url: string | undefined, folder: string): string {
  const target = databaseUrl(project, url, folder);
  if (target !== 'memory:') return target;
  throw new UsageError(
    'memory: is empty in every process; name file:./directory or bigtable://project/instance',
  );
}
