/** How far an export is, in a file beside its output: so that it goes on where it was killed. */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import type { EntityModel } from '../../model/index.js';
import { lockOf } from '../../schema/index.js';
import type { Engine } from '../../store/index.js';
import { fileFailed, replaceFile } from '../file/replace-file.js';

/** What is known to be on the disk: whole records only. */
export interface ExportPosition {
  /** Bytes of the output. */
  readonly bytes: number;
  /** SHA-256 of the last of these bytes, at most `tailBytes` of them. */
  readonly tail: string;
  /** Key of the row of the last record, hexadecimal; null before the first. */
  readonly key: string | null;
  readonly rows: number;
  readonly undeclaredCells: number;
}

/** Bytes before the position by which the output is known again. */
export const tailBytes = 1 << 16;

/** SHA-256, hexadecimal. */
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

/** Which export it is; the names are those that an error says. */
export interface ExportIdentity {
  readonly entity: string;
  readonly table: string;
  readonly database: string;
  readonly format: string;
  readonly gzip: boolean;
  readonly plain: boolean;
  /** Digest of all that decides keys, columns and their names. */
  readonly declaration: string;
}

/** The identity of an export of the entity. */
export function exportIdentity(
  engine: Engine,
  model: EntityModel,
  options: Pick<ExportIdentity, 'format' | 'gzip' | 'plain'>,
): ExportIdentity {
  return {
    entity: model.name,
    table: model.table.name,
    database: engine.name,
    ...options,
    declaration: digestOf(JSON.stringify(lockOf([model]))),
  };
}

/** Where the state of an export into a file is kept. */
export function exportStateFile(output: string): string {
  return `${output}.rowsmith-export.json`;
}

interface Stored extends ExportIdentity {
  /** Of the run that writes the output: there is one at a time. */
  readonly run: string;
  readonly position: ExportPosition;
}

/** The state of one export into a file. */
export class ExportState {
  readonly #file: string;
  readonly #identity: ExportIdentity;
  readonly #run = randomBytes(8).toString('hex');

  constructor(output: string, identity: ExportIdentity) {
    this.#file = exportStateFile(output);
    this.#identity = identity;
  }

  /**
   * Where such an export stopped; the start where none did. Throws FILE_FAILED for the state of
   * another one.
   */
  load(): ExportPosition {
    if (!existsSync(this.#file)) return startOfExport;
    const stored = this.#read();
    const names = Object.keys(this.#identity) as (keyof ExportIdentity)[];
    const other = names.filter((name) => stored[name] !== this.#identity[name]);
    if (other.length === 0) return stored.position;
    const told = other
      .map((name) =>
        name === 'declaration' || name === 'gzip' || name === 'plain'
          ? name
          : `${name} (${stored[name]})`,
      )
      .join(', ');
    throw fileFailed(
      this.#file,
      `the export that stopped had another ${told}`,
      'ask for the same export as then, or export from the start, without resume',
    );
  }

  /** Makes this run the one that writes the output: an earlier one that still runs will stop. */
  claim(position: ExportPosition): void {
    this.#write(position);
  }

  /**
   * Keeps a position; what it says is durable before. Throws FILE_FAILED when another run has taken
   * the output over.
   */
  save(position: ExportPosition): void {
    this.check();
    this.#write(position);
  }

  /** Throws FILE_FAILED when another run has taken the output over. */
  check(): void {
    if (this.isMine()) return;
    throw fileFailed(
      this.#file,
      'another export to the same file was started meanwhile, or the state was removed',
      'let one export at a time write a file; this one stops',
    );
  }

  /** Whether this run is the one that writes the output. */
  isMine(): boolean {
    try {
      return this.#read().run === this.#run;
    } catch {
      return false;
    }
  }

  /** The export is done, or nothing is worth keeping. What another run keeps stays. */
  remove(): void {
    if (this.isMine()) rmSync(this.#file, { force: true });
  }

  #write(position: ExportPosition): void {
    const stored: Stored = { ...this.#identity, run: this.#run, position };
    replaceFile(this.#file, `${JSON.stringify(stored)}\n`);
  }

  #read(): Stored {
    try {
      const said = JSON.parse(readFileSync(this.#file, 'utf8')) as Stored;
      const { bytes, rows, undeclaredCells, key, tail } = said.position;
      const sound =
        [bytes, rows, undeclaredCells].every(
          (count) => Number.isSafeInteger(count) && count >= 0,
        ) &&
        (key === null || /^([0-9a-f]{2})+$/.test(key)) &&
        typeof tail === 'string' &&
        typeof said.run === 'string';
      if (sound) return said;
    } catch {
      // Told below, as any other damage.
    }
    throw fileFailed(
      this.#file,
      'it is not what an export keeps',
      'remove it, and export from the start, without resume',
    );
  }
}
