/**
 * The position of an import, in a file beside its input, from which a stopped import is resumed.
 */
import { fileFailed, isRecord, type FaultTexts } from '../../../base/index.js';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { replaceFile } from '../file/replace-file.js';
import { assertSameOptions, type ReadingOptions } from './reading-options.js';

/** A position between two lines, up to which all lines are written or rejected. */
export interface ImportPosition {
  /** Number of the last line that is done, from 1; 0 at the start. */
  readonly line: number;
  readonly written: number;
  readonly rejected: number;
  /** Length in bytes of the file of rejected lines. */
  readonly rejectedBytes: number;
  /**
   * Start of the import in milliseconds since 1970: the timestamp of cells without one, so that a
   * line that is written twice writes the same cells.
   */
  readonly began: number;
  /** Written lines that are older than the rules of their families: see `RowAge`. */
  readonly expired: number;
  readonly keptLonger: number;
  /** Number of rejected lines by reason. */
  readonly reasons: Readonly<Record<string, number>>;
}

/** The start of an import that began at this time, in milliseconds since 1970. */
export function startOfImport(began: number): ImportPosition {
  const ages = { expired: 0, keptLonger: 0 };
  return { line: 0, written: 0, rejected: 0, rejectedBytes: 0, began, ...ages, reasons: {} };
}

/** The path of the state file of an import of `input`. */
export function importStateFile(input: string): string {
  return `${input}.rowsmith-import.json`;
}

/** What must be the same to resume an import. */
interface ImportIdentity {
  readonly entity: string;
  readonly table: string;
  /** Size of the input in bytes. */
  readonly size: number;
  /** Modification time of the input, in milliseconds since 1970. */
  readonly modified: number;
}

interface StoredState extends ImportIdentity {
  readonly options: ReadingOptions;
  readonly position: ImportPosition;
}

/** The state of one import of a file. */
export class ImportState {
  readonly #file: string;
  readonly #identity: ImportIdentity;
  readonly #options: ReadingOptions;

  constructor(input: string, entity: string, table: string, options: ReadingOptions) {
    const { size, mtimeMs } = statSync(input);
    this.#file = importStateFile(input);
    this.#identity = { entity, table, size, modified: mtimeMs };
    this.#options = options;
  }

  /**
   * Returns the position where the import stopped, or undefined if there is no state. Throws
   * FILE_FAILED if the state belongs to a different import, or one with other options.
   */
  load(): ImportPosition | undefined {
    if (!existsSync(this.#file)) return undefined;
    const { position, options, ...identity } = this.#read();
    if (JSON.stringify(identity) !== JSON.stringify(this.#identity))
      throw fileFailed(this.#file, faults.changedImport);
    assertSameOptions(this.#file, options, this.#options);
    return position;
  }

  /** Stores a position, up to which everything must be durable. */
  save(position: ImportPosition): void {
    const stored: StoredState = { ...this.#identity, options: this.#options, position };
    replaceFile(this.#file, `${JSON.stringify(stored)}\n`);
  }

  /** Removes the state file. */
  remove(): void {
    rmSync(this.#file, { force: true });
  }

  #read(): StoredState {
    try {
      const stored = JSON.parse(readFileSync(this.#file, 'utf8')) as StoredState;
      // Earlier versions did not count the ages of lines.
      const ages: Partial<ImportPosition> = { expired: 0, keptLonger: 0 };
      const whole: StoredState = { ...stored, position: { ...ages, ...stored.position } };
      if (isValid(whole)) return whole;
    } catch {
      // Reported below, like an invalid state.
    }
    throw fileFailed(this.#file, faults.notAState);
  }
}

function isValid({ position, options }: StoredState): boolean {
  const { line, written, rejected, rejectedBytes, began, expired, keptLonger, reasons } = position;
  const numbers = [line, written, rejected, rejectedBytes, began, expired, keptLonger];
  numbers.push(...Object.values(reasons));
  return isRecord(options) && isRecord(reasons) && numbers.every(Number.isSafeInteger);
}

const faults = {
  changedImport: {
    problem: 'the stopped import was of another entity, or the file has changed since',
    fix: 'import from the start, without resume: rows that exist already are written again unchanged',
  },
  notAState: {
    problem: 'it is not the state of an import',
    fix: 'remove it, and import from the start, without resume',
  },
} satisfies FaultTexts;
