/** Where the command writes to. */

/** A stream that is written to. */
export interface Output {
  readonly isTTY?: boolean;
  /** Width in characters, if it is a terminal. */
  readonly columns?: number;
  write(text: string | Uint8Array): boolean;
}
