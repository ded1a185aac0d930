/**
 * Several changes of one row in one request, on every back end: examples, the number of requests,
 * and random changes against a model.
 */
import {
  Column,
  ColumnMap,
  Counter,
  Entity,
  aggregate,
  maxVersions,
  rowKey,
  RowsmithError,
  Segment,
  type Version,
  Versions,
} from '../../../../src/index.js';
import fc from '../../../support/fast-check.js';
import { backEnds, type Counted, openCounted } from './counted-back-ends.js';
import { type Model, change, applyCells, applyReadModify, asModel } from './change-model.js';

@Entity({
  table: 'profiles',
  families: {
    m: { gc: maxVersions(1) },
    c: { gc: maxVersions(1) },
    s: { gc: maxVersions(1) },
    t: { gc: maxVersions(1) },
    h: {},
    a: aggregate('sum'),
  },
})
class Profile {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('m', 'string') name?: string;
  @Column('m', 'double') level?: number;
  @Column('m', 'bytes') log?: Uint8Array;
  @Counter('c') seen?: bigint;
  @Counter('c') clicked?: bigint;
  @ColumnMap('s', 'int64') scores?: Map<string, bigint>;
  @ColumnMap('t', 'string') tags?: Map<string, string>;
  @Versions('h', 'double') history?: Version<number>[];
  @Counter('a') views?: bigint;
  @Counter('a') likes?: bigint;
}

@Entity({ table: 'extremes', families: { l: aggregate('min'), h: aggregate('max'), m: {} } })
class Extreme {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('m', 'string') name?: string;
  @Counter('l') lowest?: bigint;
  @Counter('h') highest?: bigint;
}

/** Rejects with this code and property, after no request. */
async function expectRefused(
  counted: Counted,
  run: () => unknown,
  expected: { readonly code?: string; readonly property: string; readonly fix?: RegExp },
): Promise<void> {
  counted.calls.length = 0;
  const error: unknown = await Promise.resolve()
    .then(run)
    .then(
      () => undefined,
      (reason: unknown) => reason,
    );
  expect(error).toBeInstanceOf(RowsmithError);
  const { code, details } = error as RowsmithError;
  expect({ code, entity: details.entity, property: details.property }).toEqual({
    code: expected.code ?? 'INVALID_ARGUMENT',
    entity: 'Profile',
    property: expected.property,
  });
  expect(details.fix).toMatch(expected.fix ?? /./);
  expect(counted.calls).toEqual([]);
}

describe.each(backEnds)('$name', ({ open, isGoogles }) => {
  if (open === undefined) {
    test.skip('is not installed', () => undefined);
    return;
  }
  let counted: Counted;
  const profiles = () => counted.db.repository(Profile);
  // As from JavaScript.
  const calls = () =>
    profiles() as unknown as Record<string, (...values: unknown[]) => Promise<unknown>>;

  beforeAll(async () => {
    // Google's emulator has sums only.
    counted = await openCounted(await open(), isGoogles ? [Profile] : [Profile, Extreme]);
  });
  beforeEach(() => {
    counted.calls.length = 0;
  });
  afterAll(() => counted.close());

  test('changes, removals and additions are one MutateRow', async () => {
    const key = { id: 'set' };
    const entity = { ...key, name: 'a', level: 1, tags: new Map([['x', '1']]) };
    await profiles().save(profiles().create(entity));
    await profiles().increment(key, 'seen');
    counted.calls.length = 0;
    const result = await profiles().patch(
      key,
      {
        name: 'b',
        tags: new Map<string, string | null>([
          ['x', null],
          ['y', '2'],
        ]),
      },
      { remove: ['level', 'seen'], add: { views: 5n, likes: -1n } },
    );
    expect(result).toBeUndefined();
    expect(counted.calls).toEqual(['mutateRow']);
    const stored = await profiles().get(key);
    expect(stored).toEqual(
      profiles().create({
        ...key,
        name: 'b',
        tags: new Map([['y', '2']]),
        views: 5n,
        likes: -1n,
      }),
    );
  });

  test('increments and appends are one ReadModifyWriteRow, which returns the values', async () => {
    const key = { id: 'rmw' };
    const scores = new Map([['a', 2n]]);
    await profiles().save(profiles().create({ ...key, name: 'a', scores }));
    counted.calls.length = 0;
    const result = await profiles().increment(
      key,
      {
        seen: 2n,
        clicked: -1n,
        scores: new Map([
          ['a', 1n],
          ['b', 7n],
        ]),
      },
      { append: { name: 'bc', log: Uint8Array.of(1), tags: new Map([['x', 'new']]) } },
    );
    expect(counted.calls).toEqual(['readModifyWriteRow']);
    const expected = {
      seen: 2n,
      clicked: -1n,
      scores: new Map([
        ['a', 3n],
        ['b', 7n],
      ]),
      name: 'abc',
      log: Uint8Array.of(1),
      tags: new Map([['x', 'new']]),
    };
    expect(result).toEqual(expected);
    expect(await profiles().get(key)).toEqual(profiles().create({ ...key, ...expected }));
  });

  test('append is one ReadModifyWriteRow, which returns the values', async () => {
    const key = { id: 'append' };
    const first = await profiles().append(key, { name: 'a', tags: new Map([['x', '1']]) });
    expect(first).toEqual({ name: 'a', tags: new Map([['x', '1']]) });
    const { name }: { readonly name: string } = await profiles().append(key, { name: 'b' });
    expect(name).toBe('ab');
    expect(counted.calls).toEqual(['readModifyWriteRow', 'readModifyWriteRow']);
  });

  test('increment of several counters is one request', async () => {
    const key = { id: 'several' };
    const first = await profiles().increment(key, { seen: 1n, clicked: 2n });
    const values: { readonly seen: bigint; readonly clicked: bigint } = first;
    expect(values).toEqual({ seen: 1n, clicked: 2n });
    expect(counted.calls).toEqual(['readModifyWriteRow']);
    expect(await profiles().increment(key, { seen: 2n ** 63n - 1n })).toEqual({
      seen: -(2n ** 63n),
    });
    expect(await profiles().increment(key, 'clicked')).toBe(3n);
    expect(await profiles().increment(key, 'views', 4n)).toBeUndefined();
    expect((await profiles().get(key))?.views).toBe(4n);
  });

  test('a condition makes it one CheckAndMutateRow', async () => {
    const key = { id: 'condition' };
    await profiles().patch(key, { name: 'a', level: 1 }, { add: { views: 1n } });
    counted.calls.length = 0;
    const options = {
      remove: ['level'],
      add: { views: 1n },
      if: { equals: { name: 'a' } },
    } as const;
    await profiles().patch(key, { name: 'b' }, options);
    await expect(profiles().patch(key, { name: 'b' }, options)).rejects.toMatchObject({
      code: 'CONDITION_FAILED',
    });
    expect(counted.calls).toEqual(['checkAndMutateRow', 'checkAndMutateRow']);
    expect(await profiles().get(key)).toEqual(profiles().create({ ...key, name: 'b', views: 2n }));
    counted.calls.length = 0;
    await profiles().patch(key, {}, { if: { exists: true } });
    expect(counted.calls).toEqual(['readRows']);
  });

  test('removing a counter and adding to it sets it', async () => {
    const key = { id: 'reset' };
    await profiles().patch(key, {}, { add: { views: 5n } });
    await profiles().patch(key, {}, { remove: ['views'], add: { views: 7n } });
    expect((await profiles().get(key))?.views).toBe(7n);
  });

  test('a removed counter is gone, though the clock of the writer is an hour behind', async () => {
    const key = { id: 'behind' };
    const slow = await openCounted(
      { engine: counted.db.engine, close: () => Promise.resolve() },
      [Profile],
      () => Date.now() - 3_600_000,
    );
    await profiles().patch(key, { name: 'a' });
    await profiles().increment(key, 'seen');
    await slow.db.repository(Profile).patch(key, {}, { remove: ['seen'] });
    expect(await profiles().get(key)).toEqual(profiles().create({ ...key, name: 'a' }));
    // Without a condition the newest time wins, with one the write does.
    const late = { name: 'late' };
    await slow.db.repository(Profile).patch(key, late);
    expect((await profiles().get(key))?.name).toBe('a');
    await slow.db.repository(Profile).patch(key, late, { if: { exists: true } });
    expect((await profiles().get(key))?.name).toBe('late');
  });

  test('a write after an increment is not older than its result', async () => {
    const key = { id: 'after' };
    const slow = await openCounted(
      { engine: counted.db.engine, close: () => Promise.resolve() },
      [Profile],
      () => Date.now() - 3_600_000,
    );
    const late = slow.db.repository(Profile);
    await late.increment(key, { seen: 1n }, { append: { name: 'a' } });
    await late.patch(key, { name: 'b' });
    expect((await late.get(key))?.name).toBe('b');
  });

  test('no changes make no request', async () => {
    const key = { id: 'none' };
    expect(await profiles().patch(key, {})).toBeUndefined();
    await profiles().patch(key, { name: undefined, tags: new Map() }, { remove: [], add: {} });
    expect(await profiles().increment(key, { seen: undefined }, { append: {} })).toEqual({});
    await calls().patch(key, {}, null);
    expect(await calls().increment(key, {}, null)).toEqual({});
    expect(await calls().append(key, {}, null)).toEqual({});
    expect(await profiles().increment(key, {})).toEqual({});
    expect(await profiles().append(key, { name: undefined, tags: new Map() })).toEqual({});
    expect(counted.calls).toEqual([]);
  });

  if (!isGoogles)
    test('minima and maxima compare', async () => {
      const extremes = counted.db.repository(Extreme);
      for (const n of [5n, -7n, 3n])
        await extremes.patch({ id: 'a' }, { name: `${n}` }, { add: { lowest: n, highest: n } });
      const { name, lowest, highest } = (await extremes.get({ id: 'a' }))!;
      expect([name, lowest, highest]).toEqual(['3', -7n, 5n]);
    });

  test('changes that cannot be made are refused, and nothing is sent', async () => {
    const key = { id: 'refused' };
    const refused = (
      call: string,
      values: unknown[],
      expected: { code?: string; property: string; fix?: RegExp },
    ): Promise<void> => expectRefused(counted, () => calls()[call](...values), expected);
    const amounts = { seen: 1n };
    const unknown = { appnd: { name: 'x' } };
    const condition = { if: { exists: true } };
    await refused('patch', [key, {}, { increment: amounts }], { property: 'increment' });
    await refused('patch', [key, {}, { ad: { views: 1n } }], { property: 'ad', fix: /'add'/ });
    await refused('increment', [key, amounts, condition], { property: 'if' });
    await refused('increment', [key, amounts, unknown], { property: 'appnd', fix: /'append'/ });
    await refused('increment', [key, amounts, { add: { views: 1n } }], { property: 'add' });
    await refused('increment', [key, 'seen', 1n, { append: { name: 'x' } }], {
      property: 'append',
    });
    await refused('append', [key, { name: 'x' }, condition], { property: 'if' });
    await refused('patch', [key], { property: 'changes' });
    await refused('append', [key], { property: 'values' });
    await refused('append', ['id', { name: 'x' }], { code: 'INVALID_KEY', property: 'key' });
    await refused('patch', ['id', { name: 'x' }], { code: 'INVALID_KEY', property: 'key' });
    await refused('patch', [{ id: 5 }, { name: 'x' }], { code: 'INVALID_KEY', property: 'id' });
    await refused('patch', [key, 5], { property: 'changes' });
    await refused('patch', [key, { nam: 'x' }], { property: 'nam', fix: /'name'/ });
    await refused('patch', [key, { id: 'x' }], { property: 'id' });
    await refused('patch', [key, { seen: 1n }], { property: 'seen', fix: /increment/ });
    await refused('patch', [key, { views: 1n }], { property: 'views', fix: /add/ });
    await refused('patch', [key, { level: 'x' }], { code: 'INVALID_VALUE', property: 'level' });
    const removing = (remove: unknown): unknown[] => [key, {}, { remove }];
    await refused('patch', [key, { name: 'x' }, { remove: ['name'] }], { property: 'name' });
    await refused('patch', removing('name'), { property: 'remove', fix: /\['column'\]/ });
    await refused('patch', removing([5]), { property: 'remove' });
    await refused('patch', removing(['id']), { property: 'id' });
    await refused('patch', removing(['nam']), { property: 'nam', fix: /'name'/ });
    const adding = (add: unknown): unknown[] => [key, { name: 'x' }, { add }];
    await refused('patch', adding({ seen: 1n }), { property: 'seen', fix: /increment/ });
    await refused('patch', adding({ level: 1n }), { property: 'level' });
    await refused('patch', adding({ views: 1 }), { property: 'views', fix: /1n/ });
    await refused('patch', adding({ views: 2n ** 63n }), { property: 'views' });
    await refused('patch', adding({ views: null }), { property: 'views' });
    await refused('patch', adding(5), { property: 'add', fix: /1n/ });
    await refused('increment', [key, { views: 1n }], {
      property: 'views',
      fix: /patch\(key, \{\}, \{ add/,
    });
    await refused('increment', [key, { seen: 1n, level: 1n }], { property: 'level' });
    await refused('increment', [key, { tags: new Map([['a', 1n]]) }], { property: 'tags' });
    await refused('increment', [key, { scores: { a: 1n } }], {
      property: 'scores',
      fix: /new Map/,
    });
    await refused('increment', [key, { scores: new Map([['a', 1]]) }], {
      property: 'scores["a"]',
    });
    for (const [values, property, code] of [
      [{ level: 1 }, 'level', undefined],
      [{ seen: 1n }, 'seen', undefined],
      [{ name: 5 }, 'name', 'INVALID_VALUE'],
      [{ tags: new Map([['a', 5]]) }, 'tags["a"]', 'INVALID_VALUE'],
      [{ tags: new Map([[5, 'a']]) }, 'tags', 'INVALID_VALUE'],
    ] as const) {
      await refused('append', [key, values], { code, property });
      await refused('increment', [key, amounts, { append: values }], { code, property });
    }
    await refused('increment', [key, { views: 1n, seen: 1n }], { property: 'views', fix: /add/ });
    await refused('increment', [key, { sen: 1n }], { property: 'sen', fix: /'seen'/ });
    await refused('increment', [key, null], { property: 'property' });
    await refused('increment', [key, 'seen', null], { property: 'seen' });
    await refused('increment', [key, { seen: 1n }, { sinal: 1 }], { property: 'sinal' });
    expect(await profiles().exists(key)).toBe(false);
  });

  test('random changes give what a model gives', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
        const key = { id: `random ${run++}` };
        const model: Model = { scores: new Map(), tags: new Map() };
        for (const each of changes) {
          const { set = {}, remove, add, increment, append } = each;
          if (increment !== undefined)
            expect(await calls().increment(key, increment, { append })).toEqual(
              applyReadModify(model, each),
            );
          else {
            await calls().patch(key, set, { remove, add });
            applyCells(model, each);
          }
          expect(asModel(await profiles().get(key))).toEqual(asModel(model));
        }
      }),
      { numRuns: isGoogles ? 30 : 60 },
    );
  });
});
