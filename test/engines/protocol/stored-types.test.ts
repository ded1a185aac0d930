/** Families of unsupported types are listed with their type, and cannot be created. */
import { encodeCreateTable, decodeTable, Table } from '../../../src/engines/protocol/index.js';
import { encodePublished } from './published.js';

const int64 = { int64Type: { encoding: { bigEndianBytes: {} } } };

test('a stored family has its type', () => {
  const message = encodePublished('google.bigtable.admin.v2.Table', {
    columnFamilies: {
      plain: {},
      bytes: { valueType: { bytesType: {} } },
      sum: { valueType: { aggregateType: { inputType: int64, sum: {} } } },
      visitors: {
        valueType: { aggregateType: { inputType: { bytesType: {} }, hllppUniqueCount: {} } },
      },
      text: { valueType: { stringType: {} } },
      latest: { valueType: { aggregateType: { inputType: { stringType: {} }, max: {} } } },
    },
  });
  const { families } = decodeTable(Table.decode(message), 't');
  expect(Object.fromEntries(families)).toEqual({
    plain: {},
    bytes: {},
    sum: { aggregate: 'sum' },
    visitors: { otherType: 'aggregate hyperloglog++' },
    text: { otherType: 'cells of a type' },
    latest: { otherType: 'aggregate max of another input than int64' },
  });
  expect(() => encodeCreateTable({ name: 't', families }, 'projects/p/instances/i')).toThrow(
    expect.objectContaining({ code: 'UNSUPPORTED' }),
  );
});
