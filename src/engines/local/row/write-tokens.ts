/**
 * The tokens of idempotent writes. They are rows of a table of the engine, which are written in the
 * commit of the row itself, so that a write and its token survive a crash together or not at all.
 */
import { createHash } from 'node:crypto';
import { idempotencyMs, isRowsmithError, noBytes, tokenTable } from '../../../base/index.js';
import type { RowMutation, TableSchema } from '../../../data/store/index.js';
import { writeUint32BE } from '../kv/bytes.js';

/** The only family of the table of tokens. */
export const tokenFamily = 't';

/** Tokens keep their time as the timestamp of a cell, and expire by the rule of the family. */
const schema: TableSchema = {
  name: tokenTable,
  families: new Map([[tokenFamily, { gc: { kind: 'maxAge', micros: idempotencyMs * 1000 } }]]),
};

/** Tokens that are stored, at least, before expired ones are removed. */
const minTokensPerSweep = 1000;

/** What keeping tokens needs of the engine. */
export interface TokenParts {
  readonly hasTable: () => boolean;
  readonly createTable: (schema: TableSchema) => Promise<void>;
  /** Removes expired tokens, and returns how many it visited and removed. */
  readonly collect: () => Promise<{ readonly visited: number; readonly rows: number }>;
}

export class WriteTokens {
  readonly #parts: TokenParts;
  /** Tokens stored since the last sweep began. */
  #stored = 0;
  /**
   * Tokens to store before the next sweep: as many as the last one left, so that a sweep visits two
   * for each one that was stored, however many there are.
   */
  #untilSweep = minTokensPerSweep;
  #isSweeping = false;

  constructor(parts: TokenParts) {
    this.#parts = parts;
  }

  /** Creates the table before rows with tokens are queued; undefined if there is nothing to do. */
  prepare(rows: readonly RowMutation[]): Promise<void> | undefined {
    const tokens = rows.reduce((sum, row) => sum + (row?.token === undefined ? 0 : 1), 0);
    if (tokens === 0) return undefined;
    this.#stored += tokens;
    if (this.#stored >= this.#untilSweep && !this.#isSweeping) void this.#sweep();
    if (this.#parts.hasTable()) return undefined;
    return this.#createTable();
  }

  async #sweep(): Promise<void> {
    this.#isSweeping = true;
    this.#stored = 0;
    try {
      const { visited, rows } = await this.#parts.collect();
      this.#untilSweep = Math.max(minTokensPerSweep, visited - rows);
    } catch {
      // For instance because the engine is closed: a later sweep removes them.
    } finally {
      this.#isSweeping = false;
    }
  }

  async #createTable(): Promise<void> {
    try {
      await this.#parts.createTable(schema);
    } catch (error) {
      if (!isRowsmithError(error) || error.code !== 'TABLE_EXISTS') throw error;
    }
  }
}

/** The key of a token of a row, of a fixed length. */
export function tokenKey(table: number, key: Uint8Array, token: Uint8Array): Uint8Array {
  const numbers = new Uint8Array(8);
  writeUint32BE(numbers, 0, table);
  writeUint32BE(numbers, 4, key.length);
  const hash = createHash('sha256').update(numbers).update(key).update(token);
  return Buffer.concat([numbers.subarray(0, 4), hash.digest()]);
}

/** The cell that remembers a token used at a time in microseconds. */
export function tokenCell(micros: number) {
  return {
    qualifier: noBytes,
    timestamp: BigInt(micros),
    value: noBytes,
    length: 0,
    overflowId: 0,
  };
}

/** Whether a token that was used at a time is still valid. */
export function isRemembered(usedMicros: bigint, nowMicros: number): boolean {
  return nowMicros - Number(usedMicros) <= idempotencyMs * 1000;
}
