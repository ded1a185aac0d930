/** The largest requests that are decoded, and the first that are refused. */
import { decodeFilter } from '../../../src/engines/protocol/filter/decode-filter.js';
import {
  RowFilter,
  type RowFilterContent,
} from '../../../src/engines/protocol/messages/data-messages.js';

const pass: RowFilterContent = { passAllFilter: true };
const problem = (text: string): Error =>
  expect.objectContaining({
    details: expect.objectContaining({
      problem: expect.stringContaining(text) as string,
    }) as object,
  }) as Error;

test('filters are nested up to 20 levels deep', () => {
  const nested = (level: number): RowFilterContent =>
    level === 1 ? pass : { chain: { filters: [pass, nested(level - 1)] } };
  expect(decodeFilter(RowFilter.encode(nested(20)))).toMatchObject({ kind: 'chain' });
  expect(() => decodeFilter(RowFilter.encode(nested(21)))).toThrow(
    problem('deeper than 20 levels'),
  );
});

test('filters have up to 20 KiB', () => {
  const withBytes = (count: number): Uint8Array => {
    const bytes = (length: number) =>
      RowFilter.encode({ valueRegexFilter: Buffer.alloc(length, 'a') });
    return bytes(count - (bytes(count).length - count));
  };
  expect(withBytes(20_480)).toHaveLength(20_480);
  expect(decodeFilter(withBytes(20_480))).toBeDefined();
  expect(() => decodeFilter(withBytes(20_481))).toThrow(problem('the limit is 20480'));
});
