/** The columns that the library sets, and hooks: their faults, and their place in the model. */
import { transformSync as esbuild } from 'esbuild';
import { dataDictionary } from '../../../src/tools/codegen/documents/data-dictionary.js';
import { tablesOf } from '../../../src/tools/codegen/tables/tables.js';
import * as api from '../../../src/index.js';
import {
  authorizedView,
  AlsoReads,
  column,
  Column,
  createdAt,
  CreatedAt,
  defineEntity,
  Entity,
  maxAge,
  open,
  revision,
  Revision,
  rowKey,
  RowsmithError,
  Segment,
  aggregate,
  union,
  updatedAt,
  UpdatedAt,
} from '../../../src/index.js';
import { describeEntity } from '../../../src/tools/index.js';
import { buildModel } from '../../../src/entities/model/index.js';
import { lockOf, lockText } from '../../../src/tools/schema/index.js';

class Row {
  id = '';
  a?: string;
  b?: string;
  at?: Date;
}

/** The faults of an entity with these columns and options, as `property: problem | fix`. */
function faultsOf(
  columns: object,
  { families = { m: {} }, statics = {} }: { families?: object; statics?: object } = {},
): string[] {
  const Faulty = Object.assign(class Faulty extends Row {}, statics);
  const definition = {
    table: 't',
    families,
    key: rowKey('id'),
    segments: { id: 'string' },
    columns: { b: column('m', 'string'), ...columns },
  };
  defineEntity(Faulty, definition as never);
  return faultsOfClass(Faulty);
}

function faultsOfClass(entityClass: new () => object): string[] {
  try {
    buildModel(entityClass);
  } catch (error) {
    const { faults } = (error as RowsmithError).details;
    return faults!.map(({ property, problem, fix }) => `${property}: ${problem} | ${fix}`);
  }
  return [];
}

describe('faults', () => {
  test('two of a kind', () => {
    expect(faultsOf({ a: revision('m'), b: revision('m') })).toEqual([
      "a: the entity has @Revision on 'b', 'a' | keep it on one property",
    ]);
    expect(faultsOf({ a: createdAt('m'), at: createdAt('m') })).toEqual([
      "at: the entity has @CreatedAt on 'a', 'at' | keep it on one property",
    ]);
  });

  test('a segment', () => {
    expect(faultsOf({ id: revision('m') })).toEqual([
      'id: the property is a segment and a column | keep it in the key, or make it a column',
    ]);
  });

  test('an aggregate family, a family that is not declared, and options', () => {
    expect(faultsOf({ a: revision('s') }, { families: { m: {}, s: aggregate('sum') } })).toEqual([
      "a: @Revision is in the aggregate family 's', which only holds counters | " +
        'move it to a plain family',
    ]);
    expect(faultsOf({ at: updatedAt('x') })).toEqual([
      expect.stringMatching(/^at: family "x" is not declared \| /),
    ]);
    expect(faultsOf({ a: revision('m', { default: 'x' } as object) })).toEqual([
      expect.stringMatching(/^a: @Revision has no option 'default' \| use 'qualifier'$/),
    ]);
    expect(faultsOf({ a: revision('m', { qualifier: 'b' }) })).toEqual([
      expect.stringMatching(/^\w: it has the qualifier of '\w' in family 'm' \| /),
    ]);
  });

  test('a family that deletes the revision before other columns', () => {
    const families = { m: {}, day: { gc: maxAge('1d') }, week: { gc: maxAge('7d') } };
    expect(faultsOf({ a: revision('day') }, { families })).toEqual([
      "a: the rule maxage=1d of family 'day' deletes the revision before 'b' | " +
        "put it into family 'm', or into one without maxAge",
    ]);
    const short = { b: column('day', 'string'), at: updatedAt('day') };
    expect(faultsOf({ ...short, a: revision('week') }, { families })).toEqual([]);
    expect(faultsOf({ ...short, a: revision('day') }, { families })).toEqual([]);
    const either = { m: { gc: maxAge('2d') }, u: { gc: union(maxAge('3d'), maxAge('1d')) } };
    expect(faultsOf({ a: revision('u') }, { families: either })).toHaveLength(1);
  });

  test('the type of the property, from what compilers emit', () => {
    @Entity({ table: 't', families: { m: {} } })
    class Wrong {
      static readonly key = rowKey('id');
      @Segment('string') id!: string;
      // @ts-expect-error: the compiler rejects it, too
      @Revision('m') revision?: number;
      // @ts-expect-error: the compiler rejects it, too
      @CreatedAt('m') created?: string;
    }
    expect(faultsOfClass(Wrong)).toEqual([
      expect.stringMatching(/^revision: it is declared as @Revision, but its type is Number/),
      expect.stringMatching(/^created: it is declared as @CreatedAt, but its type is String/),
    ]);
  });

  test('hooks that are no functions, or asynchronous', () => {
    expect(faultsOf({}, { statics: { beforeWrite: 5 } })).toEqual([
      'beforeWrite: the static property beforeWrite is the number 5, not a function | ' +
        'write static beforeWrite(entity: Faulty): void { ... }, or rename it',
    ]);
    const afterRead = async (): Promise<void> => {};
    expect(faultsOf({}, { statics: { afterRead } })).toEqual([
      'afterRead: afterRead is an async function | ' +
        'make it synchronous: await before the write, or after the read',
    ]);
  });
});

const source = `
  import { Column, CreatedAt, Entity, Revision, Segment, UpdatedAt, rowKey } from 'rowsmith';
  @Entity({ table: 'a', families: { m: {} } })
  export class Alpha {
    static key = rowKey('id');
    @Segment('string') id;
    @Column('m', 'string') text;
    @Revision('m', { qualifier: 'r' }) revision;
    @CreatedAt('m') createdAt;
    @UpdatedAt('m') updatedAt;
    static beforeWrite(row) { row.text += '!'; }
  }`;

/** Compiles and runs TypeScript with legacy or standard decorators; returns its class Alpha. */
function evaluate(legacy: boolean): typeof Whole {
  const compilerOptions = legacy ? { experimentalDecorators: true } : {};
  const { code } = esbuild(source, {
    loader: 'ts',
    format: 'cjs',
    target: 'es2022',
    tsconfigRaw: { compilerOptions },
  });
  const module = { exports: {} as Record<string, unknown> };
  // The fixture must run in this realm, because its Dates are compared.
  // oxlint-disable-next-line typescript/no-implied-eval
  new Function('module', 'exports', 'require', code)(module, module.exports, () => api);
  return module.exports.Alpha as typeof Whole;
}

@Entity({ table: 'a', families: { m: {} } })
class Whole {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('m', 'string') text?: string;
  @Revision('m', { qualifier: 'r' }) revision?: string;
  @CreatedAt('m') createdAt?: Date;
  @UpdatedAt('m') updatedAt?: Date;
  static beforeWrite(row: Whole): void {
    row.text = `${row.text}!`;
  }
}

const Defined = defineEntity(
  class Defined {
    id!: string;
    text?: string;
    revision?: string;
    createdAt?: Date;
    updatedAt?: Date;
    static beforeWrite(row: { text?: string }): void {
      row.text = `${row.text}!`;
    }
  },
  {
    table: 'a',
    families: { m: {} },
    key: rowKey('id'),
    segments: { id: 'string' },
    columns: {
      text: column('m', 'string'),
      revision: revision('m', { qualifier: 'r' }),
      createdAt: createdAt('m'),
      updatedAt: updatedAt('m'),
    },
  },
);

test.each([
  ['legacy decorators', Whole],
  ['legacy decorators of esbuild', evaluate(true)],
  ['standard decorators', evaluate(false)],
  ['defineEntity', Defined as unknown as typeof Whole],
] as const)('%s declare the same', async (_name, entity) => {
  expect(buildModel(entity).managed).toEqual({
    revision: 'revision',
    createdAt: 'createdAt',
    updatedAt: 'updatedAt',
  });
  const db = await open('memory:', { entities: [entity], clock: () => 5000 });
  const rows = db.repository(entity);
  const row = rows.create({ id: 'a', text: 'x' });
  await rows.save(row);
  expect(row).toMatchObject({ text: 'x!', createdAt: new Date(5000), updatedAt: new Date(5000) });
  expect(row.revision).toMatch(/^[\w-]{16}$/);
  expect(await rows.get({ id: 'a' })).toEqual(row);
  await db.close();
});

describe('in the model they are ordinary columns', () => {
  test('describe() and the data dictionary name their roles', () => {
    const { columns } = describeEntity(Whole);
    expect(columns).toMatchObject([
      { property: 'createdAt', kind: 'column', type: 'timestamp', role: 'createdAt' },
      { property: 'revision', kind: 'column', type: 'string', qualifier: 'r', role: 'revision' },
      { property: 'text', role: undefined },
      { property: 'updatedAt', kind: 'column', type: 'timestamp', role: 'updatedAt' },
    ]);
    expect(`${describeEntity(Whole)}`).toMatch(/revision +m:r +string +revision/);
    const dictionary = dataDictionary(tablesOf([buildModel(Whole)]));
    expect(dictionary).toContain('| `revision` | `m:r` | string, the revision of the row | any |');
    expect(dictionary).toContain('timestamp, when the row was last written');
  });

  test('the lock file records them as any other column: a role is not stored', () => {
    class Plain extends Row {}
    const Ordinary = defineEntity(Plain, {
      table: 'a',
      families: { m: {} },
      key: rowKey('id'),
      segments: { id: 'string' },
      columns: { a: column('m', 'string', { qualifier: 'r' }), at: column('m', 'timestamp') },
    });
    class Managed extends Row {}
    const Same = defineEntity(Managed, {
      table: 'a',
      families: { m: {} },
      key: rowKey('id'),
      segments: { id: 'string' },
      columns: { a: revision('m', { qualifier: 'r' }), at: updatedAt('m') },
    });
    const text = (entity: new () => object): string =>
      lockText(lockOf([buildModel(entity)])).replaceAll(entity.name, 'X');
    expect(text(Same)).toBe(text(Ordinary));
  });

  test('@AlsoReads finds a revision under its earlier qualifier', async () => {
    @Entity({ table: 'moved', families: { m: {} } })
    class Before {
      static readonly key = rowKey('id');
      @Segment('string') id!: string;
      @Column('m', 'string') text?: string;
      @Revision('m', { qualifier: 'old' }) revision?: string;
    }
    @Entity({ table: 'moved', families: { m: {} } })
    class After {
      static readonly key = rowKey('id');
      @Segment('string') id!: string;
      @Column('m', 'string') text?: string;
      @AlsoReads('old') @Revision('m', { qualifier: 'new' }) revision?: string;
    }
    const db = await open('memory:', { entities: [Before] });
    const before = db.repository(Before);
    const row = before.create({ id: 'a', text: 'x' });
    await before.save(row);
    const renamed = new (db.constructor as new (parts: object) => typeof db)({
      url: 'memory:',
      engine: db.engine,
      models: [buildModel(After)],
      cellClock: new (await import('../../../src/data/store/index.js')).CellClock(Date.now),
      validate: true,
      onForeignRow: 'skip',
      onDamagedCell: 'throw',
    });
    const after = renamed.repository(After);
    const [first, second] = [(await after.get({ id: 'a' }))!, (await after.get({ id: 'a' }))!];
    expect(first.revision).toBe(row.revision);
    await after.save(first);
    await expect(after.save(second)).rejects.toMatchObject({
      code: 'REVISION_CONFLICT',
      details: { expected: row.revision, found: first.revision },
    });
    await db.close();
  });
});

test('a view has the managed properties that it shows', async () => {
  const shownBy = (columns: readonly string[]) =>
    buildModel(authorizedView(Whole, 'part', { columns: columns as never })).managed;
  expect(shownBy(['text'])).toBeUndefined();
  expect(shownBy(['text', 'updatedAt'])).toEqual({ updatedAt: 'updatedAt' });
  const all = authorizedView(Whole, 'all', {
    columns: ['text', 'revision', 'createdAt', 'updatedAt'],
  });
  const db = await open('memory:', { entities: [Whole, all], clock: () => 5000 });
  await db.repository(all).save(db.repository(all).create({ id: 'a', text: 'x' }));
  expect(await db.repository(Whole).get({ id: 'a' })).toMatchObject({
    revision: expect.stringMatching(/^[\w-]{16}$/) as string,
    updatedAt: new Date(5000),
  });
  await db.close();
});
