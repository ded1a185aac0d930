/** Records where the tables of a database are accessed, in constant memory. */
/// <reference lib="esnext.disposable" preserve="true" />
import {
  checkOptions,
  invalidArgument,
  isRowsmithError,
  type RowsmithError,
  valueText,
  type FaultTexts,
} from '../../../base/index.js';
import { buildModels, type EntityClass, storedModels } from '../../../entities/model/index.js';
import type { Clock, Stage } from '../../../data/store/index.js';
import type { AccessLog, AccessWindow } from '../access-log.js';
import { AccessCollector } from '../collect/access-collector.js';
import { readRecordingBytes } from '../file/recording-bytes.js';
import { encodeWindow } from '../file/window-codec.js';
import type { HeatFinding } from '../findings/finding.js';
import { heatFindings } from '../findings/heat-findings.js';
import { secondsOfRow } from '../findings/rates.js';
import { nodeProfiles, type StorageKind } from '../node-profiles.js';
import { RecordingStage } from './recording-stage.js';
import { FileSink, MemorySink, type RecordingSink } from './recording-sink.js';

/** Options of `recordAccess`. */
export interface RecordOptions {
  /**
   * File to record to; it is created, or continued if it is a recording. Default: the recording
   * is kept in memory.
   */
  readonly file?: string;
  /**
   * Share of the operations that are looked at, above 0 and at most 1; default 1. Whatever it is,
   * at most some thousand operations on a table are looked at each minute.
   */
  readonly sample?: number;
  /**
   * Greatest size of the recording in bytes, at least 65,536. In memory (default 16 MiB) the oldest
   * windows are dropped; a file (default 256 MiB) is renamed to FILE.1, which replaces an earlier
   * one, and a new one is begun.
   */
  readonly maxBytes?: number;
  /** Length of a window in milliseconds, 1 to 3,600,000; default 60,000. */
  readonly windowMs?: number;
  /** Default: Date.now. */
  readonly clock?: Clock;
}

/** What the findings of a recording are judged by. */
export interface FindingQuery {
  /** Entities with keys to decode. */
  readonly entities: readonly EntityClass[];
  /** Nodes of the cluster, to which the places of sequential writes are compared; default 3. */
  readonly nodes?: number;
  /** Storage of the nodes, by which the load is judged; default SSD. */
  readonly storage?: StorageKind;
}

const maxWindowMs = 3_600_000;
/** Windows that have ended are written within this time, also if nothing else happens. */
const checkMs = 5000;

/**
 * Creates a recorder, which is passed to `open` or `startServer` as `record`, also to several.
 * Close it after the databases. Throws INVALID_ARGUMENT, FILE_FAILED or FORMAT_TOO_NEW.
 */
export function recordAccess(options: RecordOptions = {}): AccessRecorder {
  checkRecordOptions(options);
  return new AccessRecorder(options);
}

/** A recorder of accesses. */
export class AccessRecorder implements AsyncDisposable {
  readonly #sink: RecordingSink;
  readonly #collector: AccessCollector;
  readonly #clock: Clock;
  readonly #timer: NodeJS.Timeout;
  #failure: RowsmithError | undefined;

  /** @internal Use recordAccess(). */
  constructor({ file, sample, maxBytes, windowMs = 60_000, clock = Date.now }: RecordOptions) {
    this.#clock = steadyClock(clock);
    this.#sink =
      file === undefined
        ? new MemorySink(windowMs, maxBytes ?? 16 * 2 ** 20)
        : new FileSink(file, windowMs, maxBytes ?? 256 * 2 ** 20);
    this.#collector = new AccessCollector({ sample, windowMs }, (table, window) =>
      this.#write(table, window),
    );
    const endWindows = (): void => this.#collector.endWindows(this.#clock());
    this.#timer = setInterval(endWindows, Math.min(windowMs, checkMs)).unref();
  }

  /** @internal Records the requests of an engine. */
  stage(): Stage {
    return new RecordingStage(this.#collector, this.#clock);
  }

  /**
   * What was recorded so far, the current windows included: they are ended. Throws FILE_FAILED if
   * the recording could not be written.
   */
  log(): AccessLog {
    this.flush();
    return readRecordingBytes(this.#sink.read(), this.#sink.name).log;
  }

  /**
   * Patterns in what was recorded, errors first, that make a part of the load reach few nodes.
   * Throws INVALID_DECLARATION or INVALID_ARGUMENT, or FILE_FAILED if the recording could not be
   * written.
   */
  findings({ entities, nodes, storage = 'ssd' }: FindingQuery): readonly HeatFinding[] {
    if (!Object.hasOwn(nodeProfiles, storage))
      throw invalidArgument('storage', faults.wrongStorage(storage));
    const secondsOf = secondsOfRow(nodeProfiles[storage]);
    const models = storedModels(buildModels(entities));
    return heatFindings(this.log(), { models, nodes, secondsOf });
  }

  /**
   * Ends the current windows and writes them. Throws FILE_FAILED if the recording could not be
   * written; then it records no further operations.
   */
  flush(): void {
    this.#collector.end();
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Ends the recording. Rejects with FILE_FAILED if it could not be written. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.flush();
  }

  /** As `close`, at the end of a block: `await using recorder = recordAccess()`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** A recording that cannot be written must not fail the operations of the database. */
  #write(table: string, window: AccessWindow): void {
    if (this.#failure !== undefined) return;
    try {
      this.#sink.append(encodeWindow({ table, window }, this.#collector.windowMs));
    } catch (error) {
      if (!isRowsmithError(error)) throw error;
      this.#failure = error;
      const problem = error.details.problem ?? error.message;
      process.emitWarning(`accesses are not recorded any more: ${problem}`, {
        type: 'RowsmithWarning',
        code: 'ROWSMITH_RECORDING_ENDED',
      });
    }
  }
}

function checkRecordOptions(options: RecordOptions): void {
  checkOptions('recordAccess()', options, ['file', 'sample', 'maxBytes', 'windowMs', 'clock']);
  const { file, sample = 1, maxBytes = 65_536, windowMs = 1, clock = Date.now } = options;
  if (file !== undefined && (typeof file !== 'string' || file === ''))
    throw optionError('file', file, 'give the name of a file');
  if (!(sample > 0 && sample <= 1))
    throw optionError('sample', sample, 'give a number above 0 and at most 1');
  if (!(Number.isSafeInteger(maxBytes) && maxBytes >= 65_536))
    throw optionError('maxBytes', maxBytes, 'give a whole number of bytes, at least 65,536');
  if (!(Number.isSafeInteger(windowMs) && windowMs >= 1 && windowMs <= maxWindowMs))
    throw optionError('windowMs', windowMs, 'give a whole number from 1 to 3,600,000');
  if (typeof clock !== 'function')
    throw optionError('clock', clock, 'give a function like Date.now');
}

/** The last time that a Date can be, in milliseconds since 1970. */
const maxTime = 8.64e15;

/** The clock; what is no time repeats the last one, because operations must not fail. */
function steadyClock(clock: Clock): Clock {
  const isTime = (value: unknown): value is number =>
    typeof value === 'number' && value >= 0 && value <= maxTime;
  let last = clock();
  if (!isTime(last))
    throw optionError('clock', last, 'return milliseconds since 1970, like Date.now');
  return () => {
    const now = clock();
    if (isTime(now)) last = now;
    return last;
  };
}

function optionError(name: string, value: unknown, fix: string): Error {
  return invalidArgument(`record.${name}`, faults.wrongOption(name, value, fix));
}

const faults = {
  wrongStorage: (storage: unknown) => ({
    problem: `storage is ${valueText(storage)}`,
    fix: "give 'ssd' or 'hdd'",
  }),
  wrongOption: (name: string, value: unknown, fix: string) => ({
    problem: `${name} is ${valueText(value)}`,
    fix,
  }),
} satisfies FaultTexts;
