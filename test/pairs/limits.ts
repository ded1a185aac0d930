/** Declarations and calls in which two features meet in one column or call, and are refused. */
import {
  column,
  columnMap,
  copies,
  copyOf,
  counter,
  defineEntity,
  type EntityClass,
  indexOn,
  indexes,
  literal,
  maxAge,
  maxVersions,
  open,
  revision,
  rollups,
  rowKey,
  aggregate,
} from '../../src/index.js';
import { buildModels } from '../../src/entities/model/index.js';
import { declare, Item, Owner } from './declare.js';
import { type Feature, featureSet } from './features.js';

/** Two features that meet, and what refuses it. */
export interface Limit {
  readonly pair: readonly [Feature, Feature];
  /** What is declared or called, in words. */
  readonly what: string;
  readonly run: () => unknown;
}

const one = { gc: maxVersions(1) };
const byTime = ['tenant', { time: 'at', every: '1h' }] as const;

/** Builds an item with the given parts of its declaration. */
function item(parts: object, columns: object, owner?: EntityClass): unknown {
  const base = {
    name: 'Item',
    table: 'items',
    families: { m: one, k: one, t: one, c: aggregate('sum') },
    key: rowKey('tenant', 'at', 'id'),
    segments: { tenant: 'string', at: 'timestamp', id: 'uint' },
  };
  const entity = defineEntity(class extends Item {}, { ...base, ...parts, columns } as never);
  return buildModels([entity, ...(owner === undefined ? [] : [owner])]);
}

function owner(options = {}): EntityClass {
  return defineEntity(class extends Owner {}, {
    name: 'Owner',
    table: 'owners',
    families: { o: one },
    key: rowKey('tenant', 'owner'),
    segments: { tenant: 'string', owner: 'string' },
    columns: { name: column('o', 'string', options) },
  } as never);
}

/** Declares that a property is the name of the owner. */
function copied(property: string, from: EntityClass): object {
  return {
    indexes: indexes({ byOwner: indexOn('tenant', 'owner') }),
    copies: copies({
      [property]: copyOf(() => from as never, 'name' as never, {
        tenant: 'tenant',
        owner: 'owner',
      }),
    } as never),
  };
}

const text = column('m', 'string');
const sumOf = (property: string): object => ({
  rollups: rollups({ daily: { by: byTime, values: { total: { sum: property } } } }),
});

export const limits: readonly Limit[] = [
  {
    pair: ['index', 'counters'],
    what: 'an index of a counter',
    run: () => item({ indexes: indexes({ byHits: indexOn('hits') }) }, { hits: counter('k') }),
  },
  {
    pair: ['covered', 'counters'],
    what: 'an index that includes a counter',
    run: () =>
      item(
        { indexes: indexes({ byNote: indexOn('note').including('hits') }) },
        { note: text, hits: counter('k') },
      ),
  },
  {
    pair: ['index', 'columnMap'],
    what: 'an index of a column map',
    run: () =>
      item({ indexes: indexes({ byTags: indexOn('tags') }) }, { tags: columnMap('t', 'int64') }),
  },
  {
    pair: ['index', 'defaults'],
    what: 'an index of a column with a default that changes',
    run: () =>
      item(
        { indexes: indexes({ byNote: indexOn('note') }) },
        { note: column('m', 'string', { default: () => `${Math.random()}` }) },
      ),
  },
  {
    pair: ['defaults', 'maxAge'],
    what: 'an index of a column with a default that expires',
    run: () =>
      item(
        { indexes: indexes({ byNote: indexOn('note') }), families: { m: { gc: maxAge('1h') } } },
        { note: column('m', 'string', { default: 'none' }) },
      ),
  },
  {
    pair: ['rollup', 'counters'],
    what: 'a rollup of a counter',
    run: () => item(sumOf('hits'), { hits: counter('k') }),
  },
  {
    pair: ['rollup', 'columnMap'],
    what: 'a rollup of a column map',
    run: () => item(sumOf('tags'), { tags: columnMap('t', 'int64') }),
  },
  {
    pair: ['rollup', 'defaults'],
    what: 'a rollup of a column that has a default',
    run: () => item(sumOf('total'), { total: column('m', 'int64', { default: 0n }) }),
  },
  {
    pair: ['copies', 'rollup'],
    what: 'a rollup of a copy',
    run: () => {
      const from = owner();
      const daily = { by: byTime, values: { newest: { last: 'ownerName' } } };
      return item(
        { ...copied('ownerName', from), rollups: rollups({ daily }) },
        { owner: text, ownerName: text },
        from,
      );
    },
  },
  {
    pair: ['copies', 'defaults'],
    what: 'a copy of a column that has a default',
    run: () => {
      const from = owner({ default: 'none' });
      return item(copied('ownerName', from), { owner: text, ownerName: text }, from);
    },
  },
  {
    pair: ['copies', 'revision'],
    what: 'a copy in the column of the revision',
    run: () => {
      const from = owner();
      return item(copied('revision', from), { owner: text, revision: revision('m') }, from);
    },
  },
  {
    pair: ['maxAge', 'counters'],
    what: 'an age of a family that adds up',
    run: () =>
      item({ families: { c: { ...aggregate('sum'), gc: maxAge('1h') } } }, { views: counter('c') }),
  },
  {
    pair: ['revision', 'maxAge'],
    what: 'a revision that expires before other columns',
    run: () =>
      item(
        { families: { m: { gc: maxAge('1h') }, k: one } },
        { note: column('k', 'string'), revision: revision('m') },
      ),
  },
  {
    pair: ['shards', 'collections'],
    what: 'a collection of entities in different shards',
    run: async () => {
      const key = rowKey('tenant', literal('note'), 'id');
      const options = { table: 'items', families: { m: one, o: one } };
      const segments = { tenant: 'string', id: 'uint' };
      const notes = defineEntity(class Notes extends Item {}, {
        ...{ ...options, key, segments, columns: { note: text } },
        shards: { count: 3, by: ['id'] },
      } as never);
      const owners = defineEntity(class Owners extends Owner {}, {
        ...options,
        key: rowKey('tenant', literal('owner'), 'owner'),
        segments: { tenant: 'string', owner: 'string' },
        columns: { name: column('o', 'string') },
      } as never);
      await using db = await open('memory:', { entities: [notes, owners] as never });
      return db.collection({ notes, owners } as never);
    },
  },
  {
    pair: ['unique', 'scopes'],
    what: 'in a scope, a query of an index that does not begin with its segments',
    run: async () => {
      const entity = defineEntity(class Item2 extends Item {}, {
        name: 'Item',
        table: 'items',
        families: { m: one },
        key: rowKey('tenant', 'id'),
        segments: { tenant: 'string', id: 'uint' },
        columns: { code: text },
        indexes: indexes({ byCode: indexOn('code') }),
      } as never);
      await using db = await open('memory:', { entities: [entity] as never });
      const scope = db.scope({ tenant: 'a' }).repository(entity as never);
      return (scope as unknown as { index: (name: string) => unknown }).index('byCode');
    },
  },
  {
    pair: ['cellTimestamp', 'maxAge'],
    what: '`insert` of a row that has expired already',
    run: async () => {
      const declared = declare(featureSet(['cellTimestamp', 'maxAge']), 'items');
      await using db = await open('memory:', { entities: declared.entities });
      const items = db.repository(declared.Item);
      await items.insert(items.create({ tenant: 'a', at: new Date(0), id: 1, note: 'n' }));
    },
  },
];
