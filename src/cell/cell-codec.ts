/** The contract of cell values: one value of one column <-> bytes. */

/**
 * Turns the values of one column into bytes and back. `decode` reads `[start, end)` of a buffer
 * that it must not keep or change; what it returns owns its memory.
 */
export interface CellCodec<T = unknown> {
  /** What it is, for people and for generated schemas: `double`, `message telemetry.Status`. */
  readonly kind: string;
  /** The bytes of a value. Throws CellFault when the value cannot be stored exactly. */
  encode(value: T): Uint8Array;
  /** The value of the bytes. Throws CellFault when they are not what encode writes. */
  decode(bytes: Uint8Array, start: number, end: number): T;
}

/**
 * Why a value or bytes do not fit a codec; mapping turns it into INVALID_VALUE or DAMAGED_CELL with
 * entity and property.
 */
export class CellFault extends Error {
  constructor(
    /** What is wrong, in a sentence. */
    readonly problem: string,
    /** What to write instead. */
    readonly fix: string,
    /** Path inside the value, such as `position.lat` or `alarms[2]`; empty for the value itself. */
    readonly path: string = '',
  ) {
    super(problem);
    this.name = 'CellFault';
  }
}
