/** The largest requests that are decoded, and the first that are refused. */
import { decodeGcRule, encodeGcRule } from '../../../src/engines/protocol/admin/gc-rule.js';
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

test('rules of garbage collection have up to 500 bytes', () => {
  // A rule of one version takes four bytes, one of 200 five.
  const rules = (short: number, long: number): Uint8Array => {
    const versions = [...Array<number>(short).fill(1), ...Array<number>(long).fill(200)];
    return encodeGcRule({
      kind: 'union',
      rules: versions.map((each) => ({ kind: 'maxVersions', versions: each })),
    });
  };
  const [largest, larger] = [rules(123, 1), rules(122, 2)];
  expect([largest.length, larger.length]).toEqual([500, 501]);
  expect(decodeGcRule(largest)).toMatchObject({ kind: 'union' });
  expect(() => decodeGcRule(larger)).toThrow(problem('the limit is 500'));
});
