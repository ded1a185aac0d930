/** MutateRowsResponse, encoded by our messages and the published ones -> the status of each row. */
import {
  MutateRowsResponse,
  decodeMutateRowsResponse,
  type StatusReport,
} from '../../../src/engines/protocol/index.js';
import { encodePublished } from './published.js';
import fc from '../../support/fast-check.js';

function statuses(message: Uint8Array): (readonly [number, StatusReport | undefined])[] {
  const reported: (readonly [number, StatusReport | undefined])[] = [];
  decodeMutateRowsResponse(message, (index, failure) => reported.push([index, failure]));
  return reported;
}

const entry = fc.record({
  index: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
  code: fc.constantFrom(0, 0, 5, 14),
  message: fc.string(),
});

test('every row is reported, with its error', () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 20 }), (entries) => {
      const expected = entries.map(({ index, code, message }) => [
        index,
        code === 0 ? undefined : { code, message },
      ]);
      const ours = MutateRowsResponse.encode({
        entries: entries.map(({ index, code, message }) => ({
          index: BigInt(index),
          status: code === 0 ? {} : { code, message },
        })),
      });
      const published = encodePublished('google.bigtable.v2.MutateRowsResponse', {
        entries: entries.map(({ index, code, message }) => ({
          index: String(index),
          status: { code, message, details: [{ type_url: 't', value: Buffer.of(1) }] },
        })),
      });
      expect([statuses(ours), statuses(published)]).toEqual([expected, expected]);
    }),
  );
});

test('a missing index is 0, and a missing status is OK', () => {
  expect(statuses(MutateRowsResponse.encode({ entries: [{ status: {} }, { index: 1n }] }))).toEqual(
    [
      [0, undefined],
      [1, undefined],
    ],
  );
});

test('unknown fields are skipped; malformed bytes are a typed error', () => {
  expect(statuses(Buffer.from('1a0201020a06080312001a00', 'hex'))).toEqual([[3, undefined]]);
  for (const bytes of ['0a', '0a05', '0a0308', '0a020801ff', '0a04120208', 'ffffffffffffffffffff'])
    expect(() => statuses(Buffer.from(bytes, 'hex'))).toThrow(
      expect.objectContaining({ code: 'STORAGE_FAILED' }),
    );
});
