/** Pages that skip rows, compared with the same loop over all rows. */
import {
  compareBytes,
  copyBytes,
  type KeyRange,
  rangeContains,
  unionRanges,
} from '../../../src/base/index.js';
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import fc from '../../support/fast-check.js';

/** Keys of more than 4,000 bytes are stored together. */
const long = 'x'.repeat(4020);
const key = fc
  .tuple(
    fc.constantFrom('', 'a', 'b', long),
    fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 3 }),
  )
  .map(([start, end]) => new Uint8Array(Buffer.from(start + end)))
  .filter((bytes) => bytes.length > 0);
const range = fc
  .tuple(key, fc.option(key, { nil: undefined }))
  .map(([start, end]): KeyRange => (end === undefined ? { start } : { start, end }));

/** Reads keys; after some of them the rows before another key are skipped. */
const skips = fc.array(fc.option(fc.option(key, { nil: undefined }), { nil: null }), {
  maxLength: 12,
});

test('returns what is left of the rows', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(key, { maxLength: 25 }),
      fc.array(range, { minLength: 1, maxLength: 3 }),
      fc.boolean(),
      skips,
      fc.integer({ min: 1, max: 5 }),
      async (keys, given, reversed, after, pageRows) => {
        const ranges = unionRanges(given);
        const engine = await openMemoryEngine({});
        await engine.createTable({ name: 't', families: new Map([['f', {}]]) });
        const cell = {
          family: 'f',
          qualifier: new Uint8Array(),
          timestamp: 0n,
          value: new Uint8Array(),
        };
        for (const each of keys)
          await engine.mutateRow('t', { key: each, mutations: [{ kind: 'setCell', ...cell }] });

        const found: string[] = [];
        const stream = engine.readRows({ table: 't', ranges, reversed }, { pageRows });
        for (let page = await stream.next(); page !== undefined; page = await stream.next())
          while (page.nextRow()) {
            const skip = after[found.length];
            found.push(text(copyBytes(page.keyBytes, page.keyStart, page.keyEnd)));
            if (skip !== null && found.length <= after.length) page.skipTo!(skip);
          }
        await engine.close();

        let left = [...keys]
          .sort(compareBytes)
          .filter((each) => ranges.some((r) => rangeContains(r, each)));
        left = left.filter((each, i) => i === 0 || compareBytes(left[i - 1], each) !== 0);
        if (reversed) left.reverse();
        const expected: string[] = [];
        while (left.length > 0) {
          const skip = after[expected.length];
          expected.push(text(left.shift()!));
          if (skip === null || expected.length > after.length) continue;
          left = left.filter((each) => {
            if (skip === undefined) return false;
            return reversed ? compareBytes(each, skip) < 0 : compareBytes(each, skip) >= 0;
          });
        }
        expect(found).toEqual(expected);
      },
    ),
    { numRuns: 150 },
  );
});

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString().replace(long, 'X');
