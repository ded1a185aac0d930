/**
 * A database anywhere, with faults: in a directory, or a live one, where testDatabase() has its own
 * in memory.
 */
import { buildModels } from '../../model/index.js';
import {
  cellClock,
  Database,
  type DatabaseParts,
  open,
  type OpenOptions,
} from '../../repository/index.js';
import type { Faults } from './faults.js';
import { FaultyEngine } from './faulty-engine.js';

/** How to open a database with faults: as open() does, but that nobody observes it. */
export type FaultyDatabaseOptions = Omit<OpenOptions, 'observe'>;

/** A database as any other, whose storage fails when it is told to. */
export class FaultyDatabase extends Database {
  /** What goes wrong with storage, from when it is added until it is cleared. */
  readonly faults: Faults;

  /** @internal faultyDatabase() makes them. */
  constructor(parts: DatabaseParts & { readonly engine: FaultyEngine }) {
    super(parts);
    this.faults = parts.engine.faults;
  }
}

/**
 * Opens a database as open() does, with faults over its engine: `faultyDatabase('file:./data', {
 * entities: [Reading] })`.
 */
export async function faultyDatabase(
  url: string,
  options: FaultyDatabaseOptions,
): Promise<FaultyDatabase> {
  const { engine } = await open(url, options);
  const {
    entities,
    clock = Date.now,
    validate = true,
    onForeignRow: onForeignRow = 'skip',
    onDamagedCell = 'throw',
  } = options;
  return new FaultyDatabase({
    url,
    engine: new FaultyEngine(engine),
    models: buildModels(entities),
    now: cellClock(clock),
    validate,
    onForeignRow,
    onDamagedCell,
  });
}
