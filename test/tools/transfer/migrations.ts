/** Entities of migrations: old and new declarations of the same rows. */
import {
  column,
  type Database,
  defineEntity,
  maxAge,
  maxVersions,
  open,
  rowKey,
  aggregate,
} from '../../../src/index.js';
import type { Engine } from '../../../src/storage.js';
import fc from '../../support/fast-check.js';

export const families = {
  m: {},
  n: {},
  v: {},
  t: {},
  u: {},
  s: aggregate('sum'),
  s2: aggregate('sum'),
};
export const rows = fc.uniqueArray(
  fc.record({
    device: fc.string({ maxLength: 5 }),
    at: fc.date({ min: new Date(0), max: new Date('2286-01-01'), noInvalidDate: true }),
    temperature: fc.option(fc.double({ noNaN: true }), { nil: undefined }),
    load: fc.integer(),
    tags: fc.array(fc.tuple(fc.string({ maxLength: 3 }), fc.string()), {
      minLength: 1,
      maxLength: 3,
    }),
    history: fc.uniqueArray(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 4 }),
    again: fc.boolean(),
    count: fc.bigInt({ min: -5n, max: 5n }),
  }),
  { maxLength: 12, selector: ({ device, at }) => `${device} ${at.getTime()}` },
);

export const simple = {
  table: 'old',
  families: { m: {}, x: { gc: maxVersions(1) }, z: { gc: maxAge('1h') } },
  key: rowKey('id'),
  segments: { id: 'string' },
} as const;

export const From = defineEntity(
  class From {
    id = '';
    a?: string;
    b?: number;
  },
  { ...simple, columns: { a: column('m', 'string'), b: column('m', 'int32') } },
);

export async function opened(ids: readonly string[]): Promise<Database> {
  const db = await open('memory:', { entities: [From] });
  await db.engine.createTable({ name: 'new', families: new Map(Object.entries(simple.families)) });
  await db
    .repository(From)
    .saveMany(ids.map((id) => Object.assign(new From(), { id, a: `a of ${id}`, b: 1 })));
  return db;
}

export function memberOf(engine: Engine, name: keyof Engine): unknown {
  const member = engine[name];
  return typeof member === 'function' ? (member as () => unknown).bind(engine) : member;
}
