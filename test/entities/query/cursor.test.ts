/** Page cursors: encoding, damage, and that a cursor belongs to one query. */
import type { RowsmithError } from '../../../src/index.js';
import { type Database, open } from '../../../src/index.js';
import { buildModel } from '../../../src/entities/model/index.js';
import {
  decodeCursor,
  encodeCursor,
  fullScan,
  planOf,
  rangesOf,
  type QueryPlan,
} from '../../../src/entities/query/index.js';
import { Reading, Visit } from './entities.js';
import fc from '../../support/fast-check.js';

const model = buildModel(Reading);
const plan: QueryPlan = planOf(model, fullScan, rangesOf(model, fullScan));
const day = new Date(Date.UTC(2026, 10, 20));
let db: Database;

beforeAll(async () => {
  db = await open('memory:', { entities: [Reading, Visit] });
  const readings = db.repository(Reading);
  await readings.saveMany(
    Array.from({ length: 5 }, (_, i) =>
      readings.create({ tenant: 'acme', device: `d${i}`, at: day, temperature: i, status: i }),
    ),
  );
});
afterAll(() => db.close());

const errorCodeOf = (call: () => unknown): unknown => {
  try {
    return call();
  } catch (error) {
    return (error as RowsmithError).code;
  }
};

test('a decoded cursor is the encoded position', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 4096 }),
      fc.option(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), { nil: undefined }),
      (last, remaining) => {
        const position = remaining === undefined ? { last } : { last, remaining };
        const text = encodeCursor(model, plan, position);
        expect(text).toMatch(/^[\w-]+$/);
        expect(decodeCursor(model, plan, text)).toEqual(position);
      },
    ),
  );
});

test('changed, inserted and missing characters are rejected', () => {
  const text = encodeCursor(model, plan, {
    last: Buffer.from('reading#acme#d1#8204867199999'),
    remaining: 12,
  });
  const alphabet = Array.from('ABCwxyz019-_=+/. \n!\u00e9');
  for (let i = 0; i < text.length; i++) {
    expect(errorCodeOf(() => decodeCursor(model, plan, text.slice(0, i)))).toBe('INVALID_CURSOR');
    for (const other of alphabet) {
      expect(
        errorCodeOf(() => decodeCursor(model, plan, `${text.slice(0, i)}${other}${text.slice(i)}`)),
      ).toBe('INVALID_CURSOR');
      if (text[i] !== other)
        expect(
          errorCodeOf(() =>
            decodeCursor(model, plan, text.slice(0, i) + other + text.slice(i + 1)),
          ),
        ).toBe('INVALID_CURSOR');
    }
  }
  expect(errorCodeOf(() => decodeCursor(model, plan, `${text}A`))).toBe('INVALID_CURSOR');
});

test('anything else is rejected', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String(), fc.anything()), (text) => {
      expect(errorCodeOf(() => decodeCursor(model, plan, text))).toBe('INVALID_CURSOR');
    }),
  );
});

describe('a cursor belongs to one query', () => {
  const base = () => db.repository(Reading).prefix({ tenant: 'acme' });

  test.each([
    ['another prefix', () => db.repository(Reading).prefix({ tenant: 'acme2' })],
    ['an additional bound', () => base().since('device', 'd0')],
    ['another direction', () => base().reverse()],
    ['other families', () => base().select('status')],
    ['a limit', () => base().limit(3)],
    ['another timestamp', () => base().asOf(day)],
    ['keys only', () => base().keysOnly()],
    ['another entity', () => db.repository(Visit).scanAll()],
  ])('and not to a query with %s', async (_name, other) => {
    const { next } = await base().page({ size: 2 });
    await expect(other().page({ size: 2, after: next })).rejects.toMatchObject({
      code: 'INVALID_CURSOR',
      details: { problem: expect.stringMatching(/another query/) as string },
    });
    await expect(base().page({ size: 2, after: next })).resolves.toMatchObject({
      rows: [{ device: 'd2' }, { device: 'd3' }],
    });
  });

  test('and contains the rest of its limit', async () => {
    const query = base().limit(3);
    const first = await query.page({ size: 2 });
    const second = await query.page({ size: 2, after: first.next });
    expect([first.rows.length, second.rows.length, second.next]).toEqual([2, 1, undefined]);
  });

  test('with a timestamp beyond the safe integers in microseconds', async () => {
    const query = base().asOf(new Date(Date.UTC(9999, 0, 1)));
    const { next } = await query.page({ size: 4 });
    expect((await query.page({ size: 4, after: next })).rows).toHaveLength(1);
  });

  test('null and empty text are not the first page', async () => {
    for (const after of [null, '', 0, {}])
      await expect(base().page({ size: 2, after: after as string })).rejects.toMatchObject({
        code: 'INVALID_CURSOR',
      });
  });
});
