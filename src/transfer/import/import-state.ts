/** How far an import is, in a file beside its input: so that it goes on where it was killed. */
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { fileFailed, replaceFile } from '../file/replace-file.js';

/** What is known to be done. */
export interface ImportPosition {
  /** Number of the last line that is written or rejected, as are all before it. */
  readonly line: number;
  readonly written: number;
  readonly rejected: number;
  /** Bytes of the side file with the rejected ones of these lines. */
  readonly rejectedBytes: number;
  /**
   * Milliseconds since 1970: when the import began, which is the time of cells that name none. A
   * line that is written once more writes the same cells.
   */
  readonly began: number;
}

/** The start of an import. */
export function startOfImport(began: number): ImportPosition {
  return { line: 0, written: 0, rejected: 0, rejectedBytes: 0, began };
}

/** Where the state of an import of a file is kept. */
export function importStateFile(input: string): string {
  return `${input}.rowsmith-import.json`;
}

/** Which import it is: of this file, as it is now, into this entity. */
interface Identity {
  readonly entity: string;
  readonly table: string;
  readonly size: number;
  readonly modified: number;
}

/** The state of one import of a file. */
export class ImportState {
  readonly #file: string;
  readonly #identity: Identity;

  constructor(input: string, entity: string, table: string) {
    const { size, mtimeMs } = statSync(input);
    this.#file = importStateFile(input);
    this.#identity = { entity, table, size, modified: mtimeMs };
  }

  /**
   * Where an import of this very file stopped; undefined where none did. Throws FILE_FAILED for a
   * state of another file.
   */
  load(): ImportPosition | undefined {
    if (!existsSync(this.#file)) return undefined;
    const { position, ...identity } = this.#read();
    if (JSON.stringify(identity) === JSON.stringify(this.#identity)) return position;
    throw fileFailed(
      this.#file,
      'the import that stopped was of another entity, or the file has changed since',
      'import from the start, without resume: rows that are there already are written again as they are',
    );
  }

  /** Keeps a position; what it says is durable before. */
  save(position: ImportPosition): void {
    replaceFile(this.#file, `${JSON.stringify({ ...this.#identity, position })}\n`);
  }

  /** The import is done. */
  remove(): void {
    rmSync(this.#file, { force: true });
  }

  #read(): Identity & { readonly position: ImportPosition } {
    try {
      const said = JSON.parse(readFileSync(this.#file, 'utf8')) as Identity & {
        readonly position: ImportPosition;
      };
      if (
        Object.keys(startOfImport(0)).every((name) =>
          Number.isSafeInteger(said.position[name as keyof ImportPosition]),
        )
      )
        return said;
    } catch {
      // Told below, as any other damage.
    }
    throw fileFailed(
      this.#file,
      'it is not what an import keeps',
      'remove it, and import from the start',
    );
  }
}
