/** Faults of index declarations: each names the entity, the index, and what to write instead. */
import {
  Column,
  ColumnMap,
  Counter,
  Entity,
  type EntityClass,
  indexOn,
  indexes,
  literal,
  Revision,
  rowKey,
  Segment,
  uniqueIndexOn,
} from '../../../src/index.js';
import { buildModels } from '../../../src/entities/model/index.js';
import type { Fault, RowsmithError } from '../../../src/base/index.js';

function faultsOf(...entities: EntityClass[]): readonly Fault[] {
  try {
    buildModels(entities);
    return [];
  } catch (error) {
    const { code, details } = error as RowsmithError;
    expect(code).toBe('INVALID_DECLARATION');
    return details.faults!;
  }
}

/** An order with these indexes. */
function orderWith(
  declared: unknown,
  table = 'orders',
  families: object = { m: {}, c: {}, t: {} },
) {
  @Entity({ table, families: families as { m: object; c: object; t: object } })
  class Order {
    static readonly key = rowKey('tenant', 'id');
    static readonly indexes = declared as undefined;
    @Segment('string') tenant!: string;
    @Segment('uint', { max: 999 }) id!: number;
    @Column('m', 'string') status?: string;
    @Column('m', 'json') extra?: { a: number };
    @Column('m', 'double') score?: number;
    @Counter('c') views?: bigint;
    @Revision('m') revision?: string;
    @ColumnMap('t', 'string') tags?: Map<string, string>;
  }
  return Order as unknown as EntityClass;
}

const one = (name: string, declared: unknown) => indexes({ [name]: declared } as never);

test('declarations without a fault', () => {
  expect(faultsOf(orderWith(undefined))).toEqual([]);
  expect(faultsOf(orderWith(indexes({})))).toEqual([]);
  expect(
    faultsOf(orderWith(one('byStatus', indexOn('status', 'score').including('extra')))),
  ).toEqual([]);
});

test.each([
  [
    'a value without an order as bytes',
    one('x', indexOn('extra')),
    /'extra', which holds json/,
    /scalar/,
  ],
  [
    'a column map',
    one('x', indexOn('tags')),
    /'tags', .* a column map has many values/,
    /plain column/,
  ],
  ['a counter', one('x', indexOn('views')), /'views', .* a counter is changed/, /plain column/],
  [
    'an unknown property',
    one('x', indexOn('stauts')),
    /'stauts', which is not a property/,
    /'status'\?/,
  ],
  [
    'an unknown covered property',
    one('x', indexOn('id').including('stauts')),
    /'stauts'/,
    /'status'\?/,
  ],
  ['a property twice', one('x', indexOn('status', 'status')), /'status' twice/, /once/],
  [
    'a covered property twice',
    one('x', indexOn('id').including('status', 'status')),
    /'status' twice/,
    /once/,
  ],
  [
    'a covered property of the key',
    one('x', indexOn('status').including('id')),
    /'id', which is in the key/,
    /leave it out/,
  ],
  ['no segment', one('x', indexOn()), /has no segment/, /at least one property/],
  ['a segment that is no name', one('x', indexOn(7 as never)), /the number 7/, /name a property/],
  ['no index', one('x', { on: 'status' }), /not created with indexOn\(\)/, /indexes\(\{/],
  ['null', one('x', null), /not created with indexOn\(\)/, /indexes\(\{/],
  ['a plain object', { x: indexOn('status') }, /not created with indexes\(\)/, /indexes\(\{/],
  ['a name', one('by-status', indexOn('status')), /'by-status' is not a name/, /letters/],
  [
    'a name of every object',
    one('__proto__', indexOn('status')),
    /'__proto__' has the name of a property of every object/,
    /another name/,
  ],
  ['a revision', one('x', indexOn('revision')), /'revision': .* with each write/, /by its key/],
  [
    'a kind of a key segment',
    one('x', indexOn({ segment: 'id', kind: 'int' })),
    /'id' another kind/,
    /its order/,
  ],
  [
    'an option of a key segment',
    one('x', indexOn({ segment: 'id', max: 5 })),
    /the option 'max'/,
    /its order/,
  ],
  [
    'a direction that text does not have',
    one('x', indexOn({ segment: 'status', order: 'desc' })),
    /'status'/,
    /./,
  ],
  [
    'an option that does not exist',
    one('x', indexOn({ segment: 'status', ordr: 'desc' } as never)),
    /'ordr'|'status'/,
    /./,
  ],
  [
    'a table name that is too long',
    one('x', indexOn('status').in('t'.repeat(51))),
    /the table 't{51}' with 51 characters/,
    /50/,
  ],
  [
    'a table name that is none',
    one('x', indexOn('status').in('a b')),
    /the table the string "a b"/,
    /letters/,
  ],
])('%s', (_name, declared, problem, fix) => {
  const faults = faultsOf(orderWith(declared));
  expect(faults).toHaveLength(1);
  expect(faults[0]).toMatchObject({ entity: 'Order', property: 'indexes' });
  expect(faults[0].problem).toMatch(problem);
  expect(faults[0].fix).toMatch(fix);
});

test('the default table of the entries can be too long', () => {
  expect(faultsOf(orderWith(one('x', indexOn('status')), 't'.repeat(44)))).toEqual([]);
  const [fault] = faultsOf(orderWith(one('x', indexOn('status')), 't'.repeat(45)));
  expect(fault).toMatchObject({
    problem: expect.stringContaining('51 characters') as string,
    fix: expect.stringContaining(".in('") as string,
  });
});

test('families of ours that the table declares', () => {
  for (const family of ['_t', '_v']) {
    const families = { m: {}, c: {}, t: {}, [family]: {} };
    const [fault] = faultsOf(orderWith(one('x', indexOn('status')), 'orders', families));
    expect(fault.problem).toContain(`declares family '${family}'`);
    expect(fault.fix).toBe('rename the family');
  }
});

describe('keys that can be equal in one table', () => {
  test('entries and rows, unless the row keys begin with a literal', () => {
    const [fault] = faultsOf(orderWith(one('x', indexOn('status').in('orders'))));
    expect(fault.problem).toMatch(/keys of .* in table 'orders' can be equal/);
    expect(fault.fix).toContain('literal');
    @Entity({ table: 'o', families: { m: {} } })
    class Own {
      static readonly key = rowKey(literal('order'), 'id');
      static readonly indexes = indexes({ byName: indexOn('name').in('o') });
      @Segment('string') id!: string;
      @Column('m', 'string') name?: string;
    }
    expect(faultsOf(Own)).toEqual([]);
  });

  test('the same index of two entities', () => {
    const common = { m: {} };
    @Entity({ table: 'a', families: common })
    class Alpha {
      static readonly key = rowKey('id');
      static readonly indexes = indexes({ byName: uniqueIndexOn('name').in('all') });
      @Segment('string') id!: string;
      @Column('m', 'string') name?: string;
    }
    @Entity({ table: 'b', families: common })
    class Beta {
      static readonly key = rowKey('id');
      static readonly indexes = indexes({ byName: uniqueIndexOn('name').in('all') });
      @Segment('string') id!: string;
      @Column('m', 'string') name?: string;
    }
    const [fault] = faultsOf(Alpha, Beta);
    expect(fault).toMatchObject({
      entity: 'Beta.byName',
      problem: expect.stringContaining("in table 'all' can be equal") as string,
      fix: expect.stringContaining('.in(') as string,
    });
  });
});
