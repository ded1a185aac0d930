/** The database of a studio: opened so that its reads are counted, and told of all rows. */
import type { EngineOptions } from '../../../engines/index.js';
import type { EntityClass } from '../../../entities/model/index.js';
import { Database, openParts } from '../../../entities/repository/index.js';
import { meterStage, reportLeftOut } from './read-meter.js';

/** How the database is opened. */
export interface StudioDatabaseOptions extends Pick<EngineOptions, 'bigtable' | 'clock'> {
  readonly entities: readonly EntityClass[];
  readonly write: boolean;
}

/**
 * Opens the database. Without `write`, another process may have it open. Rejects like `open`, with
 * DATABASE_IN_USE if it is to be written and another process owns it.
 */
export async function openStudioDatabase(
  url: string,
  { entities, write, bigtable, clock }: StudioDatabaseOptions,
): Promise<Database> {
  const parts = await openParts(url, {
    entities,
    readOnly: !write,
    lint: false,
    onForeignRow: reportLeftOut,
    onDamagedCell: reportLeftOut,
    onIncompleteRow: reportLeftOut,
    bigtable,
    clock,
  });
  return new Database({ ...parts, recorded: meterStage });
}
