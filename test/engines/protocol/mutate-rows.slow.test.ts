/**
 * The direct decoder of MutateRowsRequest against the declared messages, for valid and malformed
 * bytes; and the encoder of MutateRowsResponse.
 */
import { RowsmithError } from '../../../src/base/index.js';
import {
  MutateRowsRequest,
  MutateRowsResponse,
  decodeMutateRowsRequest,
  statusOf,
  encodeMutateRowsResponse,
} from '../../../src/engines/protocol/index.js';
import { encodePublished } from './published.js';
import fc from '../../support/fast-check.js';
import {
  outcome,
  declared,
  read,
  request,
  family,
  qualifier,
  value,
  key,
  field,
} from './mutate-rows-requests.js';

test('requests encoded by our messages and by the published ones', () => {
  fc.assert(
    fc.property(request, (message) => {
      const ours = Buffer.from(MutateRowsRequest.encode(message));
      expect(read(ours)).toEqual(outcome(() => declared(ours)));
    }),
    { numRuns: Number(process.env.RUNS ?? 40) },
  );
  const cell = {
    family_name: 'a',
    column_qualifier: Buffer.from('q'),
    timestamp_micros: '1700000000000000',
    value: Buffer.from('v'),
  };
  const published = encodePublished('google.bigtable.v2.MutateRowsRequest', {
    table_name: 't',
    entries: [
      {
        row_key: Buffer.from('k'),
        mutations: [{ set_cell: cell }, { set_cell: { ...cell, timestamp_micros: '-1' } }],
      },
    ],
  });
  expect(read(published)).toEqual(outcome(() => declared(published)));
});

test('bytes that were changed, truncated or repeated: the same rows, or the same error', () => {
  const change = fc.record({
    at: fc.nat(),
    byte: fc.integer({ min: 0, max: 255 }),
    kind: fc.constantFrom('set', 'set', 'insert', 'remove', 'truncate', 'repeat'),
  });
  fc.assert(
    fc.property(request, fc.array(change, { maxLength: 4 }), (message, changes) => {
      let encoded = Buffer.from(MutateRowsRequest.encode(message));
      for (const { at, byte, kind } of changes) {
        const position = encoded.length === 0 ? 0 : at % encoded.length;
        const before = encoded.subarray(0, position);
        const after = encoded.subarray(position);
        switch (kind) {
          case 'set':
            encoded[position] = byte;
            break;
          case 'truncate':
            encoded = before;
            break;
          case 'repeat':
            encoded = Buffer.concat([encoded, after]);
            break;
          case 'insert':
            encoded = Buffer.concat([before, Buffer.of(byte), after]);
            break;
          case 'remove':
            encoded = Buffer.concat([before, after.subarray(1)]);
            break;
        }
      }
      expect(read(encoded)).toEqual(outcome(() => declared(encoded)));
    }),
    { numRuns: Number(process.env.RUNS ?? 100) },
  );
});

const mutation = field(0x12, field(0x0a, family, qualifier, value));

test.each<[string, Buffer, boolean]>([
  [
    'fields of a cell in another order, and repeated',
    field(
      0x12,
      key,
      field(
        0x12,
        field(
          0x0a,
          value,
          qualifier,
          Buffer.of(0x18, 5, 0x18, 7),
          field(0x0a, 'b'),
          family,
          field(0x22, 'w'),
        ),
      ),
    ),
    true,
  ],
  [
    'a mutation of two kinds',
    field(0x12, key, field(0x12, field(0x0a, family), field(0x1a, family))),
    true,
  ],
  [
    'SetCell twice in one mutation',
    field(0x12, key, field(0x12, field(0x0a, family, qualifier), field(0x0a, value))),
    true,
  ],
  ['an entry with its key after the mutations', field(0x12, mutation, key), true],
  ['a key twice', field(0x12, key, field(0x0a, 'other'), mutation), true],
  ['an empty key', field(0x12, field(0x0a), mutation), true],
  ['an empty entry', field(0x12), true],
  [
    'an unknown field in a cell',
    field(0x12, key, field(0x12, field(0x0a, family, Buffer.of(0x28, 5)))),
    true,
  ],
  [
    'an unknown field in the request, between entries',
    Buffer.concat([
      field(0x12, key, mutation),
      Buffer.of(0x78, 1),
      field(0x0a, 'table'),
      field(0x12, key, mutation),
    ]),
    true,
  ],
  ['a tag in two bytes', field(0x12, Buffer.of(0x8a, 0, 1, 0x6b), mutation), true],
  ['a length in two bytes', field(0x12, Buffer.of(0x0a, 0x81, 0, 0x6b), mutation), true],
  [
    'a timestamp of ten bytes',
    field(
      0x12,
      key,
      field(0x12, field(0x0a, family, Buffer.from('1880808080808080808001', 'hex'))),
    ),
    true,
  ],
  [
    'a family that is not UTF-8',
    field(0x12, key, field(0x12, field(0x0a, field(0x0a, Buffer.of(0xff))))),
    false,
  ],
  [
    'a family that is not UTF-8, before one that is',
    field(0x12, key, field(0x12, field(0x0a, field(0x0a, Buffer.of(0xff)), family))),
    false,
  ],
  [
    'a family that is not ASCII, before one that is',
    field(0x12, key, field(0x12, field(0x0a, field(0x0a, 'é'), family, field(0x0a, 'b')))),
    true,
  ],
  [
    'a truncated timestamp',
    field(0x12, key, field(0x12, field(0x0a, family, Buffer.of(0x18, 0xff)))),
    false,
  ],
  [
    'a timestamp of eleven bytes',
    field(
      0x12,
      key,
      field(0x12, field(0x0a, family, Buffer.from('18ffffffffffffffffffff01', 'hex'))),
    ),
    false,
  ],
  ['an unterminated group', field(0x12, key, Buffer.of(0x13)), false],
  [
    'a cell longer than its mutation',
    field(0x12, key, field(0x12, Buffer.of(0x0a, 9, 0x0a, 1, 0x61))),
    false,
  ],
  ['no bytes', Buffer.of(), true],
])('%s', (_what, encoded, isValid) => {
  const expected = outcome(() => declared(encoded));
  expect(expected).toEqual(
    isValid
      ? expect.objectContaining({ mutations: expect.anything() })
      : { thrown: expect.objectContaining({ code: 'INVALID_ARGUMENT' }) },
  );
  expect(read(encoded)).toEqual(expected);
});

const repeated = (count: number, part: Buffer): Buffer => Buffer.alloc(count * part.length, part);
const unknown = Buffer.of(0x78, 1);

test.each<[string, number, number]>([
  ['before', 999_990, 0],
  ['after', 0, 999_990],
  ['around', 500_000, 499_990],
])('unknown fields %s entries are counted with them', (_where, before, after) => {
  const around = (entries: number): Buffer =>
    Buffer.concat([
      repeated(before, unknown),
      repeated(entries, field(0x12, key, mutation)),
      repeated(after, unknown),
    ]);
  expect(decodeMutateRowsRequest(around(10)).entries).toHaveLength(10);
  expect(outcome(() => decodeMutateRowsRequest(around(11)))).toEqual({
    thrown: {
      code: 'LIMIT_EXCEEDED',
      details: {
        property: '',
        problem: 'The request has more than 1000000 fields.',
        fix: 'split the request',
      },
    },
  });
});

test.each([undefined, 2])('rows are views of the request, with origin %s', (timestampOrigin) => {
  const encoded = Buffer.from(
    MutateRowsRequest.encode({
      entries: [
        {
          rowKey: Buffer.from('key'),
          mutations: [
            {
              setCell: {
                familyName: 'a',
                columnQualifier: Buffer.from('q'),
                timestampMicros: 0n,
                value: Buffer.from('value'),
              },
              timestampOrigin,
            },
          ],
        },
      ],
    }),
  );
  const [row] = decodeMutateRowsRequest(encoded).entries;
  if (row instanceof RowsmithError || row.mutations[0].kind !== 'setCell')
    throw new Error('the row was rejected');
  expect([
    row.key.buffer,
    row.mutations[0].qualifier.buffer,
    row.mutations[0].value.buffer,
  ]).toEqual([encoded.buffer, encoded.buffer, encoded.buffer]);
});

test('responses as the declared message encodes them', () => {
  const rowError = fc.option(
    fc.constantFrom(
      new RowsmithError('FAMILY_NOT_FOUND', { family: 'x' }),
      new RowsmithError('TABLE_NOT_FOUND', { table: 't' }),
      new RowsmithError('LIMIT_EXCEEDED', { problem: 'é'.repeat(200) }),
    ),
    { nil: undefined },
  );
  fc.assert(
    fc.property(fc.array(rowError, { maxLength: 300 }), fc.nat(100_000), (errors, start) => {
      const entries = errors.map((one, i) => ({
        index: start + i === 0 ? undefined : BigInt(start + i),
        status: one === undefined ? {} : statusOf(one, 'table'),
      }));
      expect(
        Buffer.from(encodeMutateRowsResponse(errors, start, 'table')).equals(
          MutateRowsResponse.encode({ entries }),
        ),
      ).toBe(true);
    }),
    { numRuns: 50 },
  );
});
