/** Where a recorder keeps windows that have ended. */
import {
  appendFileSync,
  existsSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import {
  invalidArgument,
  isRowsmithError,
  RowsmithError,
  type FaultTexts,
} from '../../../base/index.js';
import {
  headerBytes,
  headerOf,
  readRecordingBytes,
  recordOf,
  windowMsOf,
} from '../file/recording-bytes.js';

/** Takes windows as bytes. */
export interface RecordingSink {
  append(window: Uint8Array): void;
  /** The recording so far. */
  read(): Uint8Array;
  /** Name for messages. */
  readonly name: string;
}

/** Keeps the newest windows in memory. */
export class MemorySink implements RecordingSink {
  readonly name = 'the recording in memory';
  readonly #windowMs: number;
  readonly #maxBytes: number;
  readonly #records: Uint8Array[] = [];
  #bytes = headerBytes;

  constructor(windowMs: number, maxBytes: number) {
    this.#windowMs = windowMs;
    this.#maxBytes = maxBytes;
  }

  append(window: Uint8Array): void {
    const record = recordOf(window);
    this.#records.push(record);
    this.#bytes += record.length;
    while (this.#bytes > this.#maxBytes && this.#records.length > 1)
      this.#bytes -= this.#records.shift()!.length;
  }

  read(): Uint8Array {
    return Buffer.concat([headerOf(this.#windowMs), ...this.#records]);
  }
}

/** Appends windows to a file. */
export class FileSink implements RecordingSink {
  readonly name: string;
  readonly #windowMs: number;
  readonly #maxBytes: number;
  #bytes: number;

  /**
   * Creates the file, or continues a recording: a window that was cut off at its end is removed.
   * Throws FILE_FAILED if the file is no recording, FORMAT_TOO_NEW, or INVALID_ARGUMENT.
   */
  constructor(file: string, windowMs: number, maxBytes: number) {
    this.name = file;
    this.#windowMs = windowMs;
    this.#maxBytes = maxBytes;
    this.#bytes = withFile(file, () => (isNew(file) ? this.#create() : this.#continue()));
  }

  append(window: Uint8Array): void {
    withFile(this.name, () => {
      const record = recordOf(window);
      // Deleted or emptied meanwhile, for example by logrotate.
      if (isNew(this.name)) this.#bytes = this.#create();
      if (this.#bytes + record.length > this.#maxBytes && this.#bytes > headerBytes) {
        renameSync(this.name, `${this.name}.1`);
        this.#bytes = this.#create();
      }
      appendFileSync(this.name, record);
      this.#bytes += record.length;
    });
  }

  read(): Uint8Array {
    return readFileSync(this.name);
  }

  #create(): number {
    writeFileSync(this.name, headerOf(this.#windowMs));
    return headerBytes;
  }

  #continue(): number {
    const bytes = readFileSync(this.name);
    const windowMs = windowMsOf(bytes, this.name);
    if (windowMs !== this.#windowMs)
      throw invalidArgument(
        'record.windowMs',
        faults.windowMismatch(this.#windowMs, this.name, windowMs),
      );
    const { wholeBytes } = readRecordingBytes(bytes, this.name);
    truncateSync(this.name, wholeBytes);
    return wholeBytes;
  }
}

function isNew(file: string): boolean {
  return !existsSync(file) || statSync(file).size === 0;
}

/** Errors of the file system as FILE_FAILED. */
function withFile<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (isRowsmithError(cause)) throw cause;
    throw new RowsmithError(
      'FILE_FAILED',
      {
        file,
        ...faults.unwritableFile((cause as Error).message),
      },
      { cause },
    );
  }
}

const faults = {
  windowMismatch: (windowMs: number, name: string, windowMsText: number) => ({
    problem: `windowMs is ${windowMs}, and ${name} has windows of ${windowMsText} ms`,
    fix: 'record to another file, or with the same windowMs',
  }),
  unwritableFile: (message: string) => ({
    problem: `the recording cannot be written: ${message}`,
    fix: 'name a file in a folder that exists and may be written to',
  }),
} satisfies FaultTexts;
