/** Conditions on fields of messages and JSON values, on later segments, and text that begins so. */
import type { QueryCondition, StudioQuery } from '../../../src/tools/studio/protocol/query.js';
import { at, seedStudio } from './seed-studio.js';
import { ofType, StudioClient } from './studio-client.js';

let client: StudioClient;
beforeAll(async () => {
  client = await StudioClient.open('memory:');
  await seedStudio(client.studio.db);
});
afterAll(() => client.close());

const source = { kind: 'entity', entity: 'Order' } as const;
const fixed = [{ segment: 'shop', values: ['oslo'] }];

/** The hours of the orders that a query finds. */
async function hoursOf(query: StudioQuery): Promise<readonly number[]> {
  const lines = await client.lines('rows', { query });
  expect(lines.at(-1)).toMatchObject({ type: 'end' });
  const [{ columns }] = ofType(lines, 'columns');
  const place = columns.findIndex(({ name }) => name === 'at');
  const rows = ofType(lines, 'rows').flatMap((line) => line.rows);
  return rows.map(({ values }) => new Date(String(values[place])).getUTCHours());
}

test.each<[string, readonly QueryCondition[], number[]]>([
  [
    'a field of a packed message',
    [{ property: 'parcel', fields: ['note'], test: 'startsWith', value: 'fra' }],
    [10],
  ],
  [
    'fields of messages in messages, exactly',
    [
      { property: 'parcel', fields: ['at', 'exact'], test: 'equals', value: '9007199254740993' },
      { property: 'parcel', fields: ['at', 'x'], test: 'above', value: 1 },
      { property: 'parcel', fields: ['at', 'x'], test: 'atMost', value: 1.5 },
      { property: 'parcel', fields: ['label'], test: 'oneOf', value: ['AP8=', 'AA=='] },
    ],
    [10],
  ],
  [
    'a field with another value',
    [{ property: 'parcel', fields: ['at', 'exact'], test: 'equals', value: '9007199254740992' }],
    [],
  ],
  ['a message that is absent', [{ property: 'parcel', test: 'isNull' }], [13, 12, 11]],
  ['a field that has a value', [{ property: 'parcel', fields: ['at'], test: 'notNull' }], [10]],
  [
    'a field of a JSON value',
    [{ property: 'extra', fields: ['list', '1'], test: 'equals', value: 'two' }],
    [10],
  ],
  ['a later segment', [{ property: 'at', test: 'atLeast', value: at(12).toISOString() }], [13, 12]],
])('%s', async (_, where, expected) => {
  expect(await hoursOf({ source, fixed, where })).toEqual(expected);
});

test('the beginning of a text segment', async () => {
  const startsWith = (value: string): StudioQuery => ({
    source,
    bound: { kind: 'startsWith', segment: 'shop', value },
  });
  expect(await hoursOf(startsWith('o'))).toEqual([13, 12, 11, 10]);
  expect(await hoursOf(startsWith('ro'))).toEqual([9]);
  expect(await hoursOf(startsWith('x'))).toEqual([]);
  const plan = await client.call('explain', { query: startsWith('ro') });
  expect(plan.fullScan).toBe(false);
  expect(plan.conditions).toEqual(["shop starts with 'ro'"]);
});

test('the schema names the fields that conditions can test', async () => {
  const { entities } = await client.call('schema', {});
  const order = entities.find(({ name }) => name === 'Order')!;
  const { fields, tests } = order.columns.find(({ name }) => name === 'parcel')!;
  expect(tests).toEqual(['isNull', 'notNull']);
  expect(fields!.map(({ path, kind }) => `${path.join('.')} ${kind}`)).toEqual([
    'note string',
    'label bytes',
    'at message',
    'at.x double',
    'at.exact int64',
  ]);
  expect(order.columns.find(({ name }) => name === 'status')!.fields).toBeUndefined();
  expect(order.key.segments[0]).toMatchObject({
    name: 'shop',
    bounds: ['between', 'since', 'until', 'startsWith'],
    tests: expect.arrayContaining(['startsWith']) as string[],
  });
});

test.each<[string, readonly object[], string]>([
  [
    'an unknown field',
    [{ property: 'parcel', fields: ['at', 'y'], test: 'equals', value: 1 }],
    'query.where.0.value',
  ],
  [
    'a field of what has none',
    [{ property: 'status', fields: ['x'], test: 'equals', value: 1 }],
    'query.where.0.fields',
  ],
  [
    'a wrong value of a field',
    [{ property: 'parcel', fields: ['at', 'exact'], test: 'equals', value: 1 }],
    'query.where.0.value',
  ],
  [
    'a test of what has no value',
    [
      { property: 'parcel', test: 'isNull' },
      { property: 'parcel', fields: ['note'], test: 'equals', value: 'x' },
    ],
    'query.where.1.test',
  ],
])('%s is refused', async (_, where, property) => {
  const failure = await client.failure('rows', { query: { source, where } });
  expect(failure).toMatchObject({ status: 400, code: 'BAD_REQUEST', property });
});
