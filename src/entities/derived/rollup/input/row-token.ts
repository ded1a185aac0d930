/** The cell of a source row that says which write last changed what the row adds to a rollup. */
import { latin1Bytes, latin1Text } from '../../../../base/index.js';
import type { RollupToken } from '../../protocol/step.js';

/** Orders are milliseconds of a clock, or more where the clock of an earlier writer was ahead. */
const maxOrder = 2 ** 52;

/** Whether an order is one that a write takes. */
export function isOrder(order: unknown): order is number {
  return Number.isSafeInteger(order) && (order as number) > 0 && (order as number) < maxOrder;
}

/** The value of the cell. */
export function encodeToken({ order, token }: RollupToken): Uint8Array {
  return latin1Bytes(`${order} ${token}`);
}

/** Undefined for no cell, and for one that is damaged: as if the row had not been written. */
export function decodeToken(value: Uint8Array | undefined): RollupToken | undefined {
  const [, digits, token] = /^(\d+) (.+)$/.exec(value === undefined ? '' : latin1Text(value)) ?? [];
  const order = Number(digits);
  return isOrder(order) ? { order, token } : undefined;
}
