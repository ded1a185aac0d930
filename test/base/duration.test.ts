/** Durations as text. */
import { durationText } from '../../src/base/index.js';

const [second, hour, day] = [1000, 3_600_000, 86_400_000];

test.each([
  [365 * day, '365d'],
  [36 * hour, '36h'],
  [90 * second, '90s'],
  [90 * 60 * second, '90m'],
  [1, '1ms'],
  [86_400_001, '86400001ms'],
  [1.5, '1500us'],
  [0.0005, '0.0005ms'],
  [0, '0s'],
  [-2 * hour, '-2h'],
])('%d ms is %s', (millis, text) => {
  expect(durationText(millis)).toBe(text);
});
