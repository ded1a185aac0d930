/** Timestamps of cells follow storage that is ahead, for a day at most. */
import { CellClock } from '../../../src/data/store/index.js';

const now = Date.UTC(2026, 0, 1);
const day = 24 * 3600 * 1000;

test('cells of storage that is up to a day ahead are followed', () => {
  const clock = new CellClock(() => now);
  clock.advance(BigInt(now + day) * 1000n);
  expect(clock.next()).toBe((now + day) * 1000);
  expect(clock.time()).toBe(now);
});

test('a cell further ahead is ignored', () => {
  const clock = new CellClock(() => now);
  clock.advance(BigInt(now + day) * 1000n + 1n);
  expect(clock.next()).toBe(now * 1000);
});

test('a timestamp of a part of a millisecond is rounded up', () => {
  const clock = new CellClock(() => now);
  clock.advance(BigInt(now) * 1000n + 1n);
  expect(clock.next()).toBe((now + 1) * 1000);
});
