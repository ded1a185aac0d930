/** What an entity declares of its values is held wherever values come in. */
import { Readable } from 'node:stream';
import { RowsmithError } from '../../../../src/index.js';
import type { Database, ValidationIssue } from '../../../../src/index.js';
import { importRows } from '../../../../src/tools/index.js';
import { backEnds } from '../support/back-ends.js';
import { Issue, Task } from './held-entities.js';

const id = '0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b';
const key = { tenant: 'acme', id };
const whole = { ...key, title: 'Lamp', status: 'open' as const };

/** The code of the error, with the rule of each issue by path. */
async function failure(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    if (!(error instanceof RowsmithError)) throw error;
    const issues = (error.details.issues ?? []) as readonly ValidationIssue[];
    return [error.code, ...issues.map(({ path, rule }) => `${path} ${rule}`)];
  }
  return 'nothing failed';
}

/** Values that break one rule, with the rule. */
const broken: readonly (readonly [rule: string, values: object])[] = [
  ['title required', { title: undefined }],
  ['title required', { title: null }],
  ['title minLength', { title: 'ab' }],
  ['title maxLength', { title: 'x'.repeat(11) }],
  ['status oneOf', { status: 'OPEN' }],
  ['status oneOf', { status: '__proto__' }],
  ['status oneOf', { status: 'constructor' }],
  ['status oneOf', { status: '' }],
  ['votes min', { votes: -1 }],
  ['votes max', { votes: 6 }],
  ['size min', { size: -1n }],
  ['raw maxLength', { raw: new Uint8Array(3) }],
  ['tenant pattern', { tenant: 'Acme' }],
  ['tenant minLength', { tenant: '' }],
];

describe.each(backEnds)('on $name', ({ open: opening }) => {
  let db: Database;
  let close: () => Promise<void>;
  beforeEach(async () => {
    ({ db, close } = await opening([Issue, Task]));
  });
  afterEach(() => close());
  const issues = () => db.repository(Issue);
  const stored = () => issues().scanAll().count();
  const entity = (values: object): Issue => Object.assign(new Issue(), whole, values);
  const text = (values: object): unknown =>
    JSON.parse(
      JSON.stringify({ ...whole, ...values }, (_name, value: unknown) => {
        if (typeof value === 'bigint') return String(value);
        return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
      }),
    );

  test.each(broken)('%s: every way in refuses %o', async (issue, values) => {
    const expected = expect.arrayContaining(['VALIDATION_FAILED', issue]) as unknown;
    expect(await failure(() => issues().create({ ...whole, ...values }))).toEqual(expected);
    expect(await failure(() => issues().save(entity(values)))).toEqual(expected);
    expect(await failure(() => issues().insert(entity(values)))).toEqual(expected);
    expect(await failure(() => issues().fromJSON(text(values)))).toEqual(expected);
    for (const result of [
      await issues().saveMany([entity(values)]),
      await issues().insertMany([entity(values)]),
    ])
      expect(result.failures.map(({ error }) => error.code)).toEqual(['VALIDATION_FAILED']);
    const { tenant = key.tenant, ...changes } = values as { tenant?: string };
    if (Object.values(changes).some((value) => value !== undefined) || tenant !== key.tenant) {
      const patched = { label: 'x', ...changes };
      expect(await failure(() => issues().patch({ ...key, tenant }, patched as never))).toEqual(
        expected,
      );
    }
    const line = Buffer.from(JSON.stringify(text(values)));
    const imported = await importRows(db.engine, issues().model, Readable.from([line]), {
      format: 'jsonl',
    });
    expect(imported).toMatchObject({ written: 0, rejected: 1 });
    expect(await stored()).toBe(0);
  });

  test('one error lists all faults, and the text the first ones', async () => {
    const wrong = entity({ title: 'ab', status: 'x', votes: 9, tenant: '' });
    const error = await issues()
      .save(wrong)
      .catch((thrown: unknown) => thrown as RowsmithError);
    expect((error as RowsmithError).explain()).toContain(
      'tenant: it is empty; tenant: the string "" does not match /^[a-z]+$/; ' +
        "status: the string \"x\" is not one of 'open', 'closed'; title: its length is 2, less than 3; " +
        'votes: the number 9 is not at most 5',
    );
  });

  test('10,000 faulty lines of an import are counted by reason, and nothing is written', async () => {
    const lines = Array.from({ length: 10_000 }, () => `${JSON.stringify({ ...key })}\n`);
    const result = await importRows(
      db.engine,
      issues().model,
      Readable.from([Buffer.from(lines.join(''))]),
      {
        format: 'jsonl',
      },
    );
    expect(result).toMatchObject({ written: 0, rejected: 10_000 });
    expect(result.reasons).toHaveLength(1);
    expect(await stored()).toBe(0);
  });

  test('a getter is read once, and one that throws writes nothing', async () => {
    let reads = 0;
    const changing = Object.defineProperty(entity({}), 'status', {
      enumerable: true,
      get: () => (reads++ === 0 ? 'closed' : 'never'),
    });
    await issues().save(changing);
    expect((await issues().get(key))?.status).toBe('closed');
    const throwing = Object.defineProperty(entity({ id: id.replace('0', '1') }), 'title', {
      get: () => {
        throw new Error('no title');
      },
    });
    await expect(issues().save(throwing)).rejects.toThrow('no title');
    expect(await stored()).toBe(1);
  });

  test('a scope of empty text is refused', async () => {
    expect(await failure(() => db.scope({ tenant: '' }))).toEqual(['INVALID_ARGUMENT']);
    const scoped = db.scope({ tenant: 'acme' }).repository(Issue);
    expect(await failure(() => scoped.create({ title: 'ab' }))).toEqual([
      'VALIDATION_FAILED',
      'title minLength',
    ]);
  });

  test('empty text is allowed in bounds, prefixes, deletions and reads', async () => {
    expect(await issues().prefix({ tenant: '' }).count()).toBe(0);
    expect(await issues().between('tenant', '', 'z').count()).toBe(0);
    expect(await issues().get({ tenant: '', id })).toBeUndefined();
    await issues().delete({ tenant: '', id });
  });

  test('create gives ids, initial values and defaults; a default is not stored', async () => {
    const made = issues().create({ tenant: 'acme', title: 'Lamp' });
    expect(made.id).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(made).toMatchObject({ status: 'open', pinned: false });
    await issues().insert(made);
    expect((await issues().history(made, 'pinned')).length).toBe(0);
    expect((await issues().history(made, 'status')).length).toBe(1);
    expect(await issues().get(made)).toMatchObject({ status: 'open', pinned: false });
    const index = issues().index('byStatus');
    expect(await index.prefix({ tenant: 'acme', status: 'open' }).count()).toBe(1);
  });

  test('insert gives ids and initial values, and keeps the id when it fails', async () => {
    const made = Object.assign(new Issue(), { tenant: 'acme', title: 'Lamp' });
    await issues().insert(made);
    expect(made.status).toBe('open');
    expect(await failure(() => issues().insert(made))).toEqual(['ROW_EXISTS']);
    expect(await stored()).toBe(1);
    const parsed = issues().fromJSON({ tenant: 'acme', title: 'Lamp' });
    expect(parsed).toMatchObject({ pinned: false });
    expect(parsed.id).toHaveLength(36);
  });

  test('an id that cannot be set in the entity is refused: its row could not be found', async () => {
    const frozen = Object.freeze(Object.assign(new Issue(), { tenant: 'acme', title: 'Lamp' }));
    const readOnly = Object.assign(new Issue(), { tenant: 'acme', title: 'Lamp' });
    Object.defineProperty(readOnly, 'id', { get: () => undefined, set: () => undefined });
    for (const each of [frozen, readOnly]) {
      expect(await failure(() => issues().insert(each))).toEqual(['INVALID_ARGUMENT']);
      expect(
        await issues()
          .insertMany([each])
          .catch(() => 'all failed'),
      ).toMatchObject({ failed: 1 });
    }
    expect(await stored()).toBe(0);
    await issues().insert(Object.freeze(issues().create({ tenant: 'acme', title: 'Lamp' })));
    expect(await stored()).toBe(1);
  });

  test('the JSON of a row that was read is an entity again, with its counter', async () => {
    await issues().insert(issues().create(whole));
    await issues().increment(key, 'views', 5n);
    const read = (await issues().get(key))!;
    const back = issues().fromJSON(JSON.parse(JSON.stringify(read)));
    expect(back).toEqual(read);
    expect(back.views).toBe(5n);
    await issues().save(Object.assign(back, { views: 9n }));
    expect((await issues().get(key))!.views).toBe(5n);
    expect(await failure(() => issues().fromJSON({ ...whole, views: 'many' }))).toEqual([
      'INVALID_VALUE',
    ]);
    expect(issues().fromJSON({ ...whole, views: null }).views).toBeUndefined();
  });

  test('a value that is not in oneOf is refused in appends, and damaged when it is stored', async () => {
    await issues().insert(issues().create(whole));
    expect(await failure(() => issues().append(key, { status: 'x' as never }))).toEqual([
      'INVALID_ARGUMENT',
    ]);
    const rowKey = issues().model.key.encode(key);
    await db.engine.mutateRow('issues', {
      key: rowKey,
      mutations: [
        {
          kind: 'setCell',
          family: 'm',
          qualifier: Buffer.from('status'),
          timestamp: Date.now() * 1000 + 60_000_000,
          value: Buffer.from('gone'),
        },
      ],
    });
    expect(await failure(() => issues().get(key))).toEqual(['DAMAGED_CELL']);
    expect(await issues().get(key, { select: ['title'] })).toMatchObject({ title: 'Lamp' });
  });

  test('rows without required columns: blind changes make them, reads report them', async () => {
    await issues().increment(key, 'views', 1n);
    expect(await failure(() => issues().get(key))).toEqual(['INCOMPLETE_ROW']);
    expect(await failure(() => issues().scanAll().all())).toEqual(['INCOMPLETE_ROW']);
    expect(await issues().get(key, { select: ['views'] })).toMatchObject({ views: 1n });
    expect(await failure(() => issues().patch(key, { label: 'x' }, { mustExist: true }))).toBe(
      'nothing failed',
    );
    await issues().patch(key, { title: 'Lamp' });
    expect(await issues().get(key)).toMatchObject({ title: 'Lamp', views: 1n });
  });

  test('the policy for incomplete rows', async () => {
    const seen: unknown[] = [];
    const other = await opening([Issue], {
      onIncompleteRow: (error) => void seen.push(error.details.property),
    });
    const rows = other.db.repository(Issue);
    await rows.increment(key, 'views', 1n);
    await rows.insert(rows.create({ tenant: 'acme', title: 'Lamp' }));
    expect(await rows.scanAll().all()).toHaveLength(1);
    expect(await rows.get(key)).toBeUndefined();
    expect(seen).toEqual(['title', 'title']);
    await other.close();
  });

  test('mustExist of a call and of an entity', async () => {
    const tasks = db.repository(Task);
    const absent = { tenant: 'a', id: '01ARZ3NDEKTSV4RRFFQ69G5FAV' };
    expect(await failure(() => tasks.patch(absent, { title: 'x' }))).toEqual(['CONDITION_FAILED']);
    expect(await failure(() => tasks.increment(absent, 'views'))).toEqual(['CONDITION_FAILED']);
    expect(
      (await tasks.patchMany([{ key: absent, changes: { title: 'x' } }])).failures.map(
        ({ error }) => error.code,
      ),
    ).toEqual(['CONDITION_FAILED']);
    expect(
      await failure(() => issues().patch(key, { title: 'Lamp' }, { mustExist: true })),
    ).toEqual(['CONDITION_FAILED']);
    expect(await failure(() => issues().increment(key, 'views', 1n, { mustExist: true }))).toEqual([
      'INVALID_ARGUMENT',
    ]);
    expect(
      await failure(() => issues().patch(key, { title: 'Lamp' }, { mustExist: 'yes' as never })),
    ).toEqual(['INVALID_ARGUMENT']);
    expect(await stored()).toBe(0);
    await tasks.patch(absent, { title: 'x', status: 'open' }, { mustExist: false });
    await tasks.increment(absent, 'views', 2n);
    expect(await tasks.get(absent)).toMatchObject({ title: 'x', views: 2n });
  });
});
