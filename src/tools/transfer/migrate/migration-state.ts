/** The position of a migration, in a file from which a stopped migration is resumed. */
import { fileFailed, type FaultTexts } from '../../../base/index.js';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import type { EntityModel } from '../../../entities/model/index.js';
import { lockOf } from '../../schema/index.js';
import { replaceFile } from '../file/replace-file.js';

/** A pass over the old rows. `check` compares new keys, if several old keys could have the same. */
export type MigrationPhase = 'check' | StoredPhase;

/** A pass with a stored position; `check` writes nothing and is repeated. */
type StoredPhase = 'copy' | 'verify' | 'delete';

const phases: readonly StoredPhase[] = ['copy', 'verify', 'delete'];

/** Totals of all runs of a migration; see MigrationResult. */
export interface MigrationCounts {
  readonly rows: number;
  readonly copied: number;
  readonly leftOut: number;
  readonly undeclaredCells: number;
  readonly verified: number;
  readonly deleted: number;
}

const noCounts: MigrationCounts = {
  rows: 0,
  copied: 0,
  leftOut: 0,
  undeclaredCells: 0,
  verified: 0,
  deleted: 0,
};
const countNames = Object.keys(noCounts) as (keyof MigrationCounts)[];

/** Milliseconds between two stored positions; after a kill, rows of that time are repeated. */
const saveMs = 500;

interface StoredState {
  /** The declarations between which rows are moved. */
  readonly identity: string;
  readonly phase: StoredPhase;
  /** Key of the last row that is done in this phase, hexadecimal; null before the first. */
  readonly last: string | null;
  readonly counts: MigrationCounts;
}

/** The state of one migration; without a file it is not stored. */
export class MigrationState {
  readonly #file: string | undefined;
  readonly #identity: string;
  #phase: StoredPhase = 'copy';
  #last: string | undefined;
  #counts = noCounts;
  #savedAt = performance.now();

  /** Reads the file if it exists. Throws FILE_FAILED if it belongs to a different migration. */
  constructor(file: string | undefined, from: EntityModel, to: EntityModel) {
    this.#file = file;
    this.#identity = JSON.stringify([lockOf([from]).tables, lockOf([to]).tables]);
    if (file === undefined || !existsSync(file)) return;
    const { identity, phase, last, counts } = readState(file);
    if (identity !== this.#identity) throw fileFailed(file, faults.changedMigration);
    this.#phase = phase;
    this.#last = last ?? undefined;
    this.#counts = counts;
  }

  get phase(): StoredPhase {
    return this.#phase;
  }

  /** Key of the last row that is done in this phase, hexadecimal; undefined before the first. */
  get last(): string | undefined {
    return this.#last;
  }

  get counts(): MigrationCounts {
    return this.#counts;
  }

  /** Starts a phase at the first row. Starting `copy` resets the counts. */
  begin(phase: StoredPhase): void {
    this.#phase = phase;
    this.#last = undefined;
    if (phase === 'copy') this.#counts = noCounts;
    this.#save();
  }

  /** Adds to the counts. They are stored with the next position. */
  add(more: Partial<MigrationCounts>): void {
    const counts: Record<keyof MigrationCounts, number> = { ...this.#counts };
    for (const name of countNames) counts[name] += more[name] ?? 0;
    this.#counts = counts;
  }

  /**
   * Advances to a row, up to which all rows are done, and stores the position from time to time.
   */
  advanceTo(last: string): void {
    this.#last = last;
    if (performance.now() - this.#savedAt >= saveMs) this.#save();
  }

  /** Removes the state file. */
  remove(): void {
    if (this.#file !== undefined) rmSync(this.#file, { force: true });
  }

  #save(): void {
    this.#savedAt = performance.now();
    const stored: StoredState = {
      identity: this.#identity,
      phase: this.#phase,
      last: this.#last ?? null,
      counts: this.#counts,
    };
    if (this.#file !== undefined) replaceFile(this.#file, `${JSON.stringify(stored)}\n`);
  }
}

function readState(file: string): StoredState {
  try {
    const stored = JSON.parse(readFileSync(file, 'utf8')) as StoredState;
    if (isValid(stored)) return stored;
  } catch {
    // Reported below, like an invalid state.
  }
  throw fileFailed(file, faults.notAState);
}

function isValid({ identity, phase, last, counts }: StoredState): boolean {
  return (
    typeof identity === 'string' &&
    phases.includes(phase) &&
    (last === null || /^([0-9a-f]{2})+$/.test(last)) &&
    countNames.every((name) => Number.isSafeInteger(counts[name]))
  );
}

const faults = {
  changedMigration: {
    problem: 'it is the state of another migration, or the classes have changed since',
    fix: 'name another state file, or remove it to start again',
  },
  notAState: {
    problem: 'it is not the state of a migration',
    fix: 'remove it, and start the migration again',
  },
} satisfies FaultTexts;
