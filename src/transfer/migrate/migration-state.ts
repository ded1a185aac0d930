/**
 * How far a migration is, in a file: the last row that is done, and what was counted up to there.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import type { EntityModel } from '../../model/index.js';
import { lockOf } from '../../schema/index.js';
import { fileFailed, replaceFile } from '../file/replace-file.js';

/** What is done with the old rows, in order. */
export type MigrationPhase = 'copy' | 'verify' | 'delete';

/** What is counted. */
export interface MigrationCounts {
  readonly rows: number;
  readonly copied: number;
  readonly leftOut: number;
  readonly undeclaredCells: number;
  readonly verified: number;
  readonly deleted: number;
}

const none: MigrationCounts = {
  rows: 0,
  copied: 0,
  leftOut: 0,
  undeclaredCells: 0,
  verified: 0,
  deleted: 0,
};
/** Milliseconds between two states on the disk; after a kill that much is done once more. */
const saveEvery = 500;

interface Stored {
  /** The declarations between which rows are moved. */
  readonly identity: string;
  readonly phase: MigrationPhase;
  /** Hexadecimal. */
  readonly last: string | null;
  readonly counts: MigrationCounts;
}

/** The state of one migration; kept nowhere without a file. */
export class MigrationState {
  readonly #file: string | undefined;
  readonly #identity: string;
  #phase: MigrationPhase = 'copy';
  #last: string | undefined;
  #counts = none;
  #savedAt = performance.now();

  /** Reads the file, where it is there. Throws FILE_FAILED for the state of another migration. */
  constructor(file: string | undefined, from: EntityModel, to: EntityModel) {
    this.#file = file;
    this.#identity = JSON.stringify([lockOf([from]).tables, lockOf([to]).tables]);
    if (file === undefined || !existsSync(file)) return;
    const { identity, phase, last, counts } = readState(file);
    if (identity !== this.#identity)
      throw fileFailed(
        file,
        'it is the state of another migration, or the classes have changed since',
        'name another state file, or remove it to start again',
      );
    this.#phase = phase;
    this.#last = last ?? undefined;
    this.#counts = counts;
  }

  get phase(): MigrationPhase {
    return this.#phase;
  }

  /** Key of the last row that this phase is done with. */
  get last(): string | undefined {
    return this.#last;
  }

  get counts(): MigrationCounts {
    return this.#counts;
  }

  /** Starts a phase at the first row; `copy` starts everything again. */
  begin(phase: MigrationPhase): void {
    this.#phase = phase;
    this.#last = undefined;
    if (phase === 'copy') this.#counts = none;
    this.#save();
  }

  /** Adds to what is counted; kept with the next row that is reached. */
  add(more: Partial<MigrationCounts>): void {
    this.#counts = Object.fromEntries(
      Object.entries(this.#counts).map(([name, count]) => [
        name,
        (count as number) + (more[name as keyof MigrationCounts] ?? 0),
      ]),
    ) as unknown as MigrationCounts;
  }

  /** Everything up to this row is done. */
  reached(last: string): void {
    this.#last = last;
    if (performance.now() - this.#savedAt >= saveEvery) this.#save();
  }

  /** The migration is done. */
  remove(): void {
    if (this.#file !== undefined) rmSync(this.#file, { force: true });
  }

  #save(): void {
    this.#savedAt = performance.now();
    const stored: Stored = {
      identity: this.#identity,
      phase: this.#phase,
      last: this.#last ?? null,
      counts: this.#counts,
    };
    if (this.#file !== undefined) replaceFile(this.#file, `${JSON.stringify(stored)}\n`);
  }
}

function readState(file: string): Stored {
  try {
    const said = JSON.parse(readFileSync(file, 'utf8')) as Stored;
    const sound =
      typeof said.identity === 'string' &&
      ['copy', 'verify', 'delete'].includes(said.phase) &&
      (said.last === null || /^([0-9a-f]{2})+$/.test(said.last)) &&
      Object.keys(none).every((name) =>
        Number.isSafeInteger(said.counts[name as keyof MigrationCounts]),
      );
    if (sound) return said;
  } catch {
    // Told below, as any other damage.
  }
  throw fileFailed(
    file,
    'it is not what a migration keeps',
    'remove it, and start the migration again',
  );
}
