/** What a telemetry service does with its readings. */
import type { Database, Repository } from 'rowsmith';
import { type ByteSource, importRows, type ImportResult } from 'rowsmith/tools';
import { Reading } from './entities.js';

/** One sensor of a site. */
export interface Sensor {
  readonly site: string;
  readonly sensor: string;
}

export class TelemetryStore {
  readonly #db: Database;
  readonly #readings: Repository<typeof Reading>;

  constructor(db: Database) {
    this.#db = db;
    this.#readings = db.repository(Reading);
  }

  /**
   * Imports the CSV file of a path, or a source of bytes; never text of a request, which would be
   * taken for a path. Wrong lines are counted as rejected.
   */
  importCsv(csv: ByteSource | string): Promise<ImportResult> {
    return importRows(this.#db.engine, this.#readings.model, csv, { format: 'csv' });
  }

  /** Saves readings as they arrive. A reading that arrives again replaces itself. */
  async record(readings: readonly Reading[]): Promise<void> {
    const { failures } = await this.#readings.saveMany(readings);
    for (const { error } of failures) throw error;
  }

  /** The newest reading of each sensor of a site; the rows between are skipped. */
  latest(site: string): Promise<Reading[]> {
    return this.#readings.prefix({ site }).firstPer('sensor').all();
  }

  /** The hours of a sensor, newest first, of rows that were counted as the readings arrived. */
  hours(sensor: Sensor, since: Date) {
    return this.#readings.rollup('hourly').prefix(sensor).since('at', since).all();
  }
}
