/** Asynchronous schemas, schemas that change values, and schemas that misbehave. */
import { Readable } from 'node:stream';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import {
  column,
  columnMap,
  counter,
  defineEntity,
  type EntityClass,
  open,
  rowKey,
  type RowsmithError,
} from '../../../../src/index.js';
import { importRows } from '../../../../src/tools/index.js';
import { Account, taken, thrown } from './schema-entities.js';

async function failure(call: () => unknown): Promise<unknown[]> {
  const { code, details } = await thrown(call);
  return [code, details.entity, details.property, details.problem];
}

describe('an asynchronous schema', () => {
  const key = { tenant: 'acme', id: '0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b' };
  const account = (name: string): Account => Object.assign(new Account(), { ...key, name });
  const refused = ['VALIDATION_FAILED', 'Account', 'name', 'name: is taken'];
  beforeEach(() => {
    taken.clear();
    taken.add('root');
  });

  test('is awaited by each write', async () => {
    await using db = await open('memory:', { entities: [Account] });
    const accounts = db.repository(Account);
    expect(await failure(() => accounts.insert(account('root')))).toEqual(refused);
    expect(await failure(() => accounts.save(account('root')))).toEqual(refused);
    const ann = account('ann');
    await accounts.insert(ann);
    expect(ann.revision).toHaveLength(16);
    expect(await failure(() => accounts.patch(ann, { name: 'root' }))).toEqual(refused);
    const condition = { if: { equals: { name: 'ann' } } } as const;
    expect(await failure(() => accounts.patch(key, { name: 'root' }, condition))).toEqual(refused);
    const update = () => accounts.update(key, (each) => void (each.name = 'root'));
    expect(await failure(update)).toEqual(refused);
    await accounts.update(key, (each) => void (each.name = 'bob'));
    const { failures } = await accounts.patchMany([{ key, changes: { name: 'root' } }]);
    expect(failures.map(({ error }) => error.code)).toEqual(['VALIDATION_FAILED']);
    expect(await accounts.insertMany([account('root')])).toMatchObject({ failed: 1 });
    expect(await accounts.index('byName').prefix({ tenant: 'acme', name: 'bob' }).count()).toBe(1);
    const lines = Readable.from([Buffer.from(`${JSON.stringify({ ...key, name: 'root' })}\n`)]);
    expect(await importRows(db.engine, accounts.model, lines, { format: 'jsonl' })).toMatchObject({
      written: 0,
      rejected: 1,
    });
    expect((await accounts.get(key))!.name).toBe('bob');
  });

  test('is refused by calls that cannot await it', async () => {
    await using db = await open('memory:', { entities: [Account] });
    const accounts = db.repository(Account);
    const of = (call: string) => [
      'HOOK_FAILED',
      'Account',
      'name',
      `the schema is asynchronous, and ${call} cannot await it`,
    ];
    expect(await failure(() => accounts.create({ ...key, name: 'ann' }))).toEqual(of('create()'));
    expect(await failure(() => accounts.fromJSON({ ...key, name: 'ann' }))).toEqual(
      of('fromJSON()'),
    );
    expect(accounts.create({ ...key }).name).toBeUndefined();
  });

  test('that rejects fails the write, and no rejection is left over', async () => {
    const slow = v.pipeAsync(
      v.string(),
      v.checkAsync(() => Promise.reject(new Error('no network'))),
    );
    const broken = { '~standard': { version: 1, vendor: 'x', validate: () => 5 } } as never;
    const Two = declared({ a: slow, b: slow, c: broken });
    await using db = await open('memory:', { entities: [Two] });
    const rows = db.repository(Two);
    const row = (values: object) => Object.assign(new Two(), { id: '1', ...values });
    const error = await thrown(() => rows.save(row({ a: 'x', b: 'y' })));
    expect([error.code, error.details.property, error.details.problem]).toEqual([
      'HOOK_FAILED',
      'a',
      'the schema failed: no network',
    ]);
    expect(error.cause).toMatchObject({ message: 'no network' });
    expect((await thrown(() => rows.save(row({ a: 'x', c: 'z' })))).details.property).toBe('c');
    expect(await rows.exists({ id: '1' })).toBe(false);
  });
});

/** An entity with columns of text, one for each schema, declared by defineEntity. */
function declared(
  schemas: Record<'a', object> & Partial<Record<'b' | 'c', object>>,
  entity?: object,
) {
  const col = (schema: object | undefined) => column('m', 'string', { schema: schema as never });
  return defineEntity(
    class Row {
      id = '';
      a?: string;
      b?: string;
      c?: string;
    },
    {
      table: 'rows',
      families: { m: {} },
      schema: entity as never,
      key: rowKey('id'),
      segments: { id: 'string' },
      columns: { a: col(schemas.a), b: col(schemas.b), c: col(schemas.c) },
    },
  );
}

describe('a schema that would change a value', () => {
  const libraries = {
    zod: z.string().trim(),
    valibot: v.pipe(v.string(), v.trim()),
    arktype: type('string.trim'),
  };
  test.each(Object.entries(libraries))('refuses it: %s', async (_name, schema) => {
    const Row = declared({ a: schema });
    await using db = await open('memory:', { entities: [Row] });
    const rows = db.repository(Row);
    await rows.save(rows.create({ id: '1', a: 'x' }));
    expect(await failure(() => rows.create({ id: '1', a: ' x ' }))).toEqual([
      'VALIDATION_FAILED',
      'Row',
      'a',
      'a: the schema would change it to the string "x", and schemas only judge',
    ]);
    expect(await failure(() => rows.patch({ id: '1' }, { a: ' x' }))).toContain(
      'VALIDATION_FAILED',
    );
    expect((await rows.get({ id: '1' }))!.a).toBe('x');
  });

  test('refuses parts of values, and what it would add; what it leaves out is no change', async () => {
    const Row = declared(
      { a: z.string() },
      z.object({ id: z.string(), a: z.string().toUpperCase(), b: z.string().default('new') }),
    );
    await using db = await open('memory:', { entities: [Row] });
    const rows = db.repository(Row);
    const paths = async (values: object) =>
      (
        (await thrown(() => rows.create({ id: '1', ...values }))).details.issues as {
          path: string;
        }[]
      ).map(({ path }) => path);
    expect(await paths({ a: 'x', b: 'y' })).toEqual(['a']);
    expect(await paths({ a: 'X' })).toEqual(['b']);
    expect(rows.create({ id: '1', a: 'X', b: 'y', c: 'left out' }).c).toBe('left out');
  });
});

describe('a schema that misbehaves', () => {
  const standard = (validate: unknown, rest: object = {}) => ({
    '~standard': { version: 1, vendor: 'mine', validate, ...rest },
  });
  const thrower = (): never => {
    throw new Error('no');
  };
  const failed = 'the schema failed: no';
  const noResult = 'the schema (mine) returned neither a value nor a list of issues';
  test.each<[string, unknown, string]>([
    ['throws', thrower, failed],
    ['returns nothing', () => undefined, noResult],
    ['returns text', () => 'text', noResult],
    ['returns an empty object', () => ({}), noResult],
    ['returns issues that are no list', () => ({ issues: 5 }), noResult],
    [
      'has a getter of issues that throws',
      () => Object.defineProperty({}, 'issues', { get: thrower }),
      failed,
    ],
    [
      'has an issue whose message throws',
      () => ({ issues: [Object.defineProperty({}, 'message', { get: thrower })] }),
      failed,
    ],
    ['has a then that throws', () => Object.defineProperty({}, 'then', { get: thrower }), failed],
    ['rejects', () => Promise.reject(new Error('no')), failed],
    ['resolves to nothing', () => Promise.resolve(), noResult],
  ])('and %s: the error names entity and property', async (_what, validate, problem) => {
    const Row = declared({ a: standard(validate) });
    await using db = await open('memory:', { entities: [Row] });
    const rows = db.repository(Row);
    const row = Object.assign(new Row(), { id: '1', a: 'x' });
    expect(await failure(() => rows.save(row))).toEqual(['HOOK_FAILED', 'Row', 'a', problem]);
    expect(await failure(() => rows.patch({ id: '1' }, { a: 'x' }))).toEqual([
      'HOOK_FAILED',
      'Row',
      'a',
      problem,
    ]);
    expect(await rows.exists({ id: '1' })).toBe(false);
    expect(
      await rows.saveMany([row]).catch((error: unknown) => (error as RowsmithError).code),
    ).toMatchObject({
      failed: 1,
    });
  });

  test.each<[string, unknown]>([
    ['without a message', { issues: [{}] }],
    ['that is null', { issues: [null] }],
    ['that is missing', { issues: [] }],
  ])('and an issue %s refuses the value', async (_what, result) => {
    const Row = declared({ a: standard(() => result) });
    await using db = await open('memory:', { entities: [Row] });
    expect(await failure(() => db.repository(Row).create({ id: '1', a: 'x' }))).toEqual([
      'VALIDATION_FAILED',
      'Row',
      'a',
      'a: the schema refuses it without a message',
    ]);
  });

  test('paths of issues may be keys, symbols and objects with keys', async () => {
    const path = ['list', 2, { key: 'a-b' }, Symbol('s'), { key: 0 }];
    const Row = declared({ a: standard(() => ({ issues: [{ message: 'no', path }] })) });
    await using db = await open('memory:', { entities: [Row] });
    expect(
      (await thrown(() => db.repository(Row).create({ id: '1', a: 'x' }))).details.issues,
    ).toEqual([{ path: 'a.list[2]["a-b"][Symbol(s)][0]', rule: 'schema', message: 'no' }]);
  });

  test('an issue of the whole entity has no property', async () => {
    const Row = declared(
      { a: z.string() },
      z.looseObject({}).refine(() => false, 'never'),
    );
    await using db = await open('memory:', { entities: [Row] });
    expect(await failure(() => db.repository(Row).create({ id: '1', a: 'x' }))).toEqual([
      'VALIDATION_FAILED',
      'Row',
      undefined,
      'never',
    ]);
  });

  test.each<[string, unknown, string]>([
    [
      'text',
      'public',
      'schema is the string "public", which does not implement Standard Schema (\'~standard\')',
    ],
    [
      'a function',
      () => true,
      "schema is a function, which does not implement Standard Schema ('~standard')",
    ],
    ['null', null, "schema is null, which does not implement Standard Schema ('~standard')"],
    [
      'of version 2',
      standard(() => ({ value: 1 }), { version: 2 }),
      'the schema has version the number 2 of Standard Schema, and this library knows 1',
    ],
    [
      'without validate',
      standard(undefined),
      "'~standard'.validate of the schema is undefined, not a function",
    ],
    [
      'a getter that throws',
      Object.defineProperty({}, '~standard', { get: thrower }),
      "reading '~standard' of the schema fails: no",
    ],
  ])('and is %s is refused with the declaration', async (_what, schema, problem) => {
    const faultsOf = async (Row: EntityClass) =>
      (await thrown(() => open('memory:', { entities: [Row] }))).details.faults as object[];
    expect(await faultsOf(declared({ a: schema as object }))).toMatchObject([
      { entity: 'Row', property: 'a', problem },
    ]);
    if (schema === null) return;
    const Whole = declared({ a: z.string() }, schema);
    expect(await faultsOf(Whole)).toMatchObject([{ entity: 'Row', problem }]);
  });

  test('is refused in an aggregate family, on a counter and on a segment', async () => {
    const entity = (columns: object, segment: unknown = 'string'): EntityClass =>
      defineEntity(
        class Row {
          id = '';
          a?: string;
          n?: Map<string, bigint>;
        },
        {
          table: 'rows',
          families: { m: {}, c: { aggregate: 'sum' } },
          key: rowKey('id'),
          segments: { id: segment as never },
          columns: columns,
        },
      );
    const schema = z.any();
    const problems = async (Row: EntityClass) => {
      const { details } = await thrown(() => open('memory:', { entities: [Row] }));
      return details.faults!.map(({ problem }) => problem);
    };
    const a = column('m', 'string');
    expect(await problems(entity({ a }, { kind: 'string', schema }))).toEqual([
      expect.stringContaining("'schema'"),
    ]);
    expect(await problems(entity({ a, n: counter('c', { schema } as object) }))).toEqual([
      "@Counter has no option 'schema'",
    ]);
    expect(await problems(entity({ a, n: columnMap('c', 'int64', { schema }) }))).toEqual([
      'it has a schema, and increments of an aggregate family are not judged',
    ]);
  });
});
