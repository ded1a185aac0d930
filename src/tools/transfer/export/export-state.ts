/**
 * The position of an export, in a file beside its output, from which a stopped export is resumed.
 */
import { fileFailed, type FaultTexts } from '../../../base/index.js';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import type { EntityModel } from '../../../entities/model/index.js';
import { lockOf } from '../../schema/index.js';
import type { Engine } from '../../../data/store/index.js';
import { replaceFile } from '../file/replace-file.js';

/** A position between two records, up to which the output is on disk. */
export interface ExportPosition {
  /** Length of the output in bytes. */
  readonly bytes: number;
  /** SHA-256 of the last `tailBytes` bytes of the output, hexadecimal. */
  readonly tail: string;
  /** Row key of the last record, hexadecimal; null before the first record. */
  readonly key: string | null;
  readonly rows: number;
  readonly undeclaredCells: number;
}

/** The bytes before the position by which a partial output is recognized. */
export const tailBytes = 1 << 16;

/** SHA-256 as hexadecimal text. */
export function digestOf(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('hex');
}

/** The start of an export. */
export const startOfExport: ExportPosition = Object.freeze({
  bytes: 0,
  tail: digestOf(''),
  key: null,
  rows: 0,
  undeclaredCells: 0,
});

/** What must be the same to resume an export. Error messages use these names. */
export interface ExportIdentity {
  readonly entity: string;
  readonly table: string;
  readonly database: string;
  readonly format: string;
  readonly gzip: boolean;
  readonly plain: boolean;
  /** Undefined for the default, a comma. */
  readonly delimiter?: string;
  /** Undefined for false. */
  readonly guardFormulas?: true;
  /** Identifies the query; undefined for all rows. */
  readonly query?: string;
  /** Digest of the declaration: keys, columns and their names. */
  readonly declaration: string;
}

/** The identity of an export of the entity. */
export function exportIdentity(
  engine: Engine,
  model: EntityModel,
  options: Pick<ExportIdentity, 'format' | 'gzip' | 'plain' | 'delimiter' | 'query'> & {
    readonly guardFormulas?: boolean;
  },
): ExportIdentity {
  const { delimiter, guardFormulas } = options;
  return {
    entity: model.name,
    table: model.table.name,
    database: engine.name,
    ...options,
    delimiter: delimiter === ',' ? undefined : delimiter,
    guardFormulas: guardFormulas === true ? true : undefined,
    declaration: digestOf(JSON.stringify(lockOf([model]))),
  };
}

/** The path of the state file of an export to `output`. */
export function exportStateFile(output: string): string {
  return `${output}.rowsmith-export.json`;
}

interface StoredState extends ExportIdentity {
  /** Identifies the run that owns the output: the last that claimed it. */
  readonly run: string;
  readonly position: ExportPosition;
}

/** The state of one export to a file. */
export class ExportState {
  readonly #file: string;
  readonly #identity: ExportIdentity;
  readonly #run = randomBytes(8).toString('hex');

  constructor(output: string, identity: ExportIdentity) {
    this.#file = exportStateFile(output);
    this.#identity = identity;
  }

  /**
   * Returns the position where the export stopped, or the start if there is no state. Throws
   * FILE_FAILED if the state belongs to a different export.
   */
  load(): ExportPosition {
    if (!existsSync(this.#file)) return startOfExport;
    const stored = this.#read();
    const names = Object.keys(this.#identity) as (keyof ExportIdentity)[];
    const different = names.filter((name) => stored[name] !== this.#identity[name]);
    if (different.length === 0) return stored.position;
    throw fileFailed(
      this.#file,
      faults.changedExport(different.map((name) => identityText(name, stored)).join(', ')),
    );
  }

  /** Makes this run the owner of the output; an earlier run that is still active will stop. */
  claim(position: ExportPosition): void {
    this.#write(position);
  }

  /**
   * Stores a position, up to which the output must be durable. Throws FILE_FAILED if another run
   * has claimed the output.
   */
  save(position: ExportPosition): void {
    this.assertOwned();
    this.#write(position);
  }

  /** Throws FILE_FAILED if another run has claimed the output. */
  assertOwned(): void {
    if (this.isOwned()) return;
    throw fileFailed(this.#file, faults.concurrentExport);
  }

  /** Whether this run still owns the output. */
  isOwned(): boolean {
    try {
      return this.#read().run === this.#run;
    } catch {
      return false;
    }
  }

  /** Removes the state file, unless another run has claimed the output. */
  remove(): void {
    if (this.isOwned()) rmSync(this.#file, { force: true });
  }

  #write(position: ExportPosition): void {
    const stored: StoredState = { ...this.#identity, run: this.#run, position };
    replaceFile(this.#file, `${JSON.stringify(stored)}\n`);
  }

  #read(): StoredState {
    try {
      const stored = JSON.parse(readFileSync(this.#file, 'utf8')) as StoredState;
      if (isValid(stored)) return stored;
    } catch {
      // Reported below, like an invalid state.
    }
    throw fileFailed(this.#file, faults.notAState);
  }
}

function isValid({ run, position }: StoredState): boolean {
  const { bytes, rows, undeclaredCells, key, tail } = position;
  const counts = [bytes, rows, undeclaredCells];
  return (
    counts.every((count) => Number.isSafeInteger(count) && count >= 0) &&
    (key === null || /^([0-9a-f]{2})+$/.test(key)) &&
    typeof tail === 'string' &&
    typeof run === 'string'
  );
}

/** The name, with the stored value if a user chose it by name. */
function identityText(name: keyof ExportIdentity, stored: ExportIdentity): string {
  if (name === 'declaration' || name === 'gzip' || name === 'plain') return name;
  return `${name} (${stored[name]})`;
}

const faults = {
  changedExport: (list: string) => ({
    problem: `the stopped export had a different ${list}`,
    fix: 'repeat the same export, or export from the start, without resume',
  }),
  concurrentExport: {
    problem: 'another export to the same file was started, or the state file was removed',
    fix: 'run one export to a file at a time; this one stops',
  },
  notAState: {
    problem: 'it is not the state of an export',
    fix: 'remove it, and export from the start, without resume',
  },
} satisfies FaultTexts;
