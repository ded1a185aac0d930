// Entities without decorators: plain JavaScript classes with defineEntity. Without a compiler all
// checks are made at run time.
import assert from 'node:assert/strict';
import {
  column,
  columnMap,
  defineEntity,
  defineMessage,
  field,
  maxVersions,
  open,
  packed,
  repeatedField,
  rowKey,
  RowsmithError,
} from 'rowsmith';

class Dimensions {}
defineMessage(Dimensions, {
  name: 'parts.Dimensions',
  fields: { millimetres: repeatedField(1, 'uint32'), note: field(2, 'string') },
});

class Part {}
defineEntity(Part, {
  table: 'parts',
  families: { d: { gc: maxVersions(1) }, price: { gc: maxVersions(1) } },
  key: rowKey('maker', 'number'),
  segments: { maker: { kind: 'string', maxLength: 32 }, number: { kind: 'uint', max: 99_999 } },
  columns: {
    name: column('d', 'string'),
    dimensions: packed('d', Dimensions),
    prices: columnMap('price', 'double'), // one column for each key: a qualifier is a currency
  },
  lint: { expect: { prices: { maxEntries: 200 } } },
});

const db = await open('memory:', { entities: [Part] });
const parts = db.repository(Part);
await parts.saveMany([
  parts.create({
    maker: 'acme',
    number: 7,
    name: 'anvil',
    dimensions: { millimetres: [500, 200, 300] },
    prices: new Map([
      ['EUR', 99.5],
      ['USD', 110],
    ]),
  }),
  parts.create({ maker: 'acme', number: 42, name: 'rocket' }),
  parts.create({ maker: 'bolt', number: 1, name: 'M8' }),
]);

const found = await parts.prefix({ maker: 'acme' }).all();
for (const { number, name, prices } of found) console.log(number, name, prices?.get('EUR') ?? '');
assert.deepEqual(
  found.map((part) => part.number),
  [7, 42],
  'numbers are sorted as numbers',
);
assert.ok(found[0] instanceof Part && found[0].dimensions instanceof Dimensions);
assert.deepEqual(found[0].dimensions.millimetres, [500, 200, 300]);

// TypeScript would reject these calls:
assert.throws(
  () => parts.prefix({ number: 7 }),
  (error) => {
    console.log(error.explain());
    return error instanceof RowsmithError && error.code === 'INVALID_QUERY';
  },
);
assert.throws(() => parts.prefix({ makr: 'acme' }), { code: 'INVALID_QUERY' });
await assert.rejects(parts.get({ maker: 'acme' }), { code: 'INVALID_KEY' });
await db.close();
