/** A database with faults on any engine: in a directory, or a live table. */
import {
  Database,
  type DatabaseParts,
  openParts,
  type OpenOptions,
} from '../../../entities/repository/index.js';
import type { Faults } from './faults.js';
import { FaultyEngine } from './faulty-engine.js';

/** Options of faultyDatabase(): the options of open(), except `observe`. */
export type FaultyDatabaseOptions = Omit<OpenOptions, 'observe'>;

/** A database with storage that fails on request. */
export class FaultyDatabase extends Database {
  /** Faults to inject into storage. A fault is active from when it is added until it is cleared. */
  readonly faults: Faults;

  /** @internal Use faultyDatabase(). */
  constructor(parts: DatabaseParts & { readonly engine: FaultyEngine }) {
    super(parts);
    this.faults = parts.engine.faults;
  }
}

/**
 * Opens a database like open(), with faults on its engine: `faultyDatabase('file:./data', {
 * entities: [Reading] })`.
 */
export async function faultyDatabase(
  url: string,
  options: FaultyDatabaseOptions,
): Promise<FaultyDatabase> {
  const parts = await openParts(url, options);
  return new FaultyDatabase({ ...parts, engine: new FaultyEngine(parts.engine) });
}
