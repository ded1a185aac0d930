/** The interface of codecs for the values of one column. */
import type { FaultText, ShellText } from '../../base/index.js';

/**
 * Converts the values of one column to bytes and back. `decode` reads `[start, end)` of a buffer,
 * which it must neither retain nor modify; the returned value must not share its memory.
 */
export interface CellCodec<T = unknown> {
  /** Human-readable type, also used in generated schemas: `double`, `message telemetry.Status`. */
  readonly kind: string;
  /** The bytes of a value. Throws CodecError if the value cannot be stored exactly. */
  encode(value: T): Uint8Array;
  /** The value of the bytes. Throws CodecError if `encode` cannot have written them. */
  decode(bytes: Uint8Array, start: number, end: number): T;
}

/**
 * Thrown by codecs for a value or bytes that they cannot convert. The mapping layer converts it
 * into INVALID_VALUE or DAMAGED_CELL with entity and property.
 */
export class CodecError extends Error {
  /** What is wrong, as a sentence. */
  readonly problem: string;
  /** What to write instead. */
  readonly fix: string;
  /** The sentences for the command line. */
  readonly shell: ShellText | undefined;

  constructor(
    { problem, fix, shell }: FaultText,
    /** Path within the value, such as `position.lat` or `alarms[2]`; empty for the value itself. */
    readonly path: string = '',
  ) {
    super(problem);
    this.name = 'CodecError';
    this.problem = problem;
    this.fix = fix;
    this.shell = shell;
  }
}
