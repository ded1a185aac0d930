/** Times of text keys as they are shown, typed and read back. */
import { valueText } from '../../../../src/tools/studio/page/format/value.js';
import {
  hintFor,
  textToType,
  typedValue,
} from '../../../../src/tools/studio/page/query/typed-value.js';

const day = '2026-11-20T00:00:00.000Z';
const time = '2026-11-20T10:30:00.250Z';

test.each([
  ['2026-11-20', day],
  ['2026-11-20 10:30:00.250', time],
  ['2026-11-20 10:30', '2026-11-20T10:30:00.000Z'],
  ['2026-11-20T10:30:00.250Z', time],
])('an isoDate typed as %s is in UTC, whatever the chosen zone', (text, value) => {
  expect(typedValue(text, 'isoDate', 'Asia/Tokyo')).toEqual({ value });
});

test.each([
  [day, '2026-11-20'],
  [time, '2026-11-20 10:30:00.250'],
])('the isoDate %s is shown and edited as %s', (value, text) => {
  expect(valueText(value, 'isoDate', 'Asia/Tokyo')).toBe(text);
  expect(textToType(value, 'isoDate', 'Asia/Tokyo')).toBe(text);
  expect(typedValue(text, 'isoDate', 'Asia/Tokyo')).toEqual({ value });
});

test('a date of a column is a day as text, in any zone', () => {
  expect(valueText('2026-11-20', 'date', 'America/New_York')).toBe('2026-11-20');
  expect(textToType('2026-11-20', 'date', 'America/New_York')).toBe('2026-11-20');
  expect(typedValue(' 2026-11-20', 'date', 'America/New_York')).toEqual({ value: '2026-11-20' });
  for (const text of ['2026-02-30', '2026-11-20 10:30', 'tomorrow'])
    expect(typedValue(text, 'date', 'UTC')).toEqual({ problem: 'Type a date: 2001-03-31' });
  expect(hintFor('date')).toBe('2001-03-31');
});

test('what is no date is told', () => {
  expect(typedValue('tomorrow', 'isoDate', 'UTC')).toEqual({
    problem: 'Type a date or a time in UTC: 2001-03-31',
  });
});

test('fractions are numbers, too', () => {
  expect(hintFor('float')).toBe('number');
});
