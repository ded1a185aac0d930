/** Cells that are read and written: the new one is the newest, whatever the clock says. */
import { modifiedRow } from '../../../src/entities/derived/write/read-modify.js';

const column = { family: 'a', qualifier: Buffer.from('q') };
const written = (now: number, stored?: bigint): bigint | undefined => {
  const value = new Uint8Array(8);
  const cells = stored === undefined ? [] : [{ ...column, timestamp: stored, value }];
  const rules = [{ ...column, kind: 'increment', amount: 1n }];
  return modifiedRow(rules as never, cells, { next: () => now })?.cells[0].timestamp;
};

test('a new cell has the time of the clock', () => {
  expect(written(5000)).toBe(5000n);
  expect(written(5000, 3000n)).toBe(5000n);
});

test('a cell of a clock that is ahead is followed by the next millisecond', () => {
  expect(written(5000, 5000n)).toBe(6000n);
  expect(written(5000, 4000n)).toBe(5000n);
  expect(written(5000, 9000n)).toBe(10_000n);
});
