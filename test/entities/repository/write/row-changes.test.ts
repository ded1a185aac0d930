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

  beforeAll(async () => {
    // Google's emulator has sums only.
    counted = await openCounted(await open(), isGoogles ? [Profile] : [Profile, Extreme]);
  });
  beforeEach(() => {
    counted.calls.length = 0;
  });
  afterAll(() => counted.close());

  test('set, remove and add are one MutateRow', async () => {
    const key = { id: 'set' };
    const entity = { ...key, name: 'a', level: 1, tags: new Map([['x', '1']]) };
    await profiles().save(profiles().create(entity));
    await profiles().increment(key, 'seen');
    counted.calls.length = 0;
    const result = await profiles().mutate(key, {
      set: {
        name: 'b',
        tags: new Map<string, string | null>([
          ['x', null],
          ['y', '2'],
        ]),
      },
      remove: ['level', 'seen'],
      add: { views: 5n, likes: -1n },
    });
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
    const result = await profiles().mutate(key, {
      increment: {
        seen: 2n,
        clicked: -1n,
        scores: new Map([
          ['a', 1n],
          ['b', 7n],
        ]),
      },
      append: { name: 'bc', log: Uint8Array.of(1), tags: new Map([['x', 'new']]) },
    });
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
    await profiles().mutate(key, { set: { name: 'a' }, add: { views: 1n } });
    counted.calls.length = 0;
    const change = { set: { name: 'b' }, add: { views: 1n } } as const;
    await profiles().mutate(key, change, { if: { equals: { name: 'a' } } });
    await expect(
      profiles().mutate(key, change, { if: { equals: { name: 'a' } } }),
    ).rejects.toMatchObject({ code: 'CONDITION_FAILED' });
    expect(counted.calls).toEqual(['checkAndMutateRow', 'checkAndMutateRow']);
    expect(await profiles().get(key)).toEqual(profiles().create({ ...key, name: 'b', views: 2n }));
    counted.calls.length = 0;
    await profiles().mutate(key, {}, { if: { exists: true } });
    expect(counted.calls).toEqual(['readRows']);
  });

  test('removing a counter and adding to it sets it', async () => {
    const key = { id: 'reset' };
    await profiles().mutate(key, { add: { views: 5n } });
    await profiles().mutate(key, { remove: ['views'], add: { views: 7n } });
    expect((await profiles().get(key))?.views).toBe(7n);
  });

  test('a removed counter is gone, though the clock of the writer is an hour behind', async () => {
    const key = { id: 'behind' };
    const slow = await openCounted(
      { engine: counted.db.engine, close: () => Promise.resolve() },
      [Profile],
      () => Date.now() - 3_600_000,
    );
    await profiles().mutate(key, { set: { name: 'a' } });
    await profiles().increment(key, 'seen');
    await slow.db.repository(Profile).mutate(key, { remove: ['seen'] });
    expect(await profiles().get(key)).toEqual(profiles().create({ ...key, name: 'a' }));
    // Without a condition the newest time wins, with one the write does.
    const late = { set: { name: 'late' } };
    await slow.db.repository(Profile).mutate(key, late);
    expect((await profiles().get(key))?.name).toBe('a');
    await slow.db.repository(Profile).mutate(key, late, { if: { exists: true } });
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
    await late.mutate(key, { append: { name: 'a' }, increment: { seen: 1n } });
    await late.mutate(key, { set: { name: 'b' } });
    expect((await late.get(key))?.name).toBe('b');
  });

  test('no changes make no request', async () => {
    const key = { id: 'none' };
    expect(await profiles().mutate(key, {})).toBeUndefined();
    await profiles().mutate(key, {
      set: { name: undefined, tags: new Map() },
      remove: [],
      add: {},
    });
    expect(await profiles().mutate(key, { increment: { seen: undefined }, append: {} })).toEqual(
      {},
    );
    expect(await profiles().increment(key, {})).toEqual({});
    expect(counted.calls).toEqual([]);
  });

  if (!isGoogles)
    test('minima and maxima compare', async () => {
      const extremes = counted.db.repository(Extreme);
      for (const n of [5n, -7n, 3n])
        await extremes.mutate(
          { id: 'a' },
          { set: { name: `${n}` }, add: { lowest: n, highest: n } },
        );
      const { name, lowest, highest } = (await extremes.get({ id: 'a' }))!;
      expect([name, lowest, highest]).toEqual(['3', -7n, 5n]);
    });

  test('changes that cannot be made are refused, and nothing is sent', async () => {
    const key = { id: 'refused' };
    // As from JavaScript.
    const raw = profiles() as unknown as Record<string, (...values: unknown[]) => unknown>;
    const refused = (
      call: string,
      values: unknown[],
      expected: { code?: string; property: string; fix?: RegExp },
    ): Promise<void> => expectRefused(counted, () => raw[call](...values), expected);
    const set = { name: 'x' };
    const increment = { seen: 1n };
    await refused('mutate', [key, { set, increment }], { property: 'increment', fix: /two calls/ });
    await refused('mutate', [key, { add: { views: 1n }, append: set }], { property: 'append' });
    await refused('mutate', [key, { increment }, { if: { exists: true } }], { property: 'if' });
    await refused('mutate', [key, { sett: set }], { property: 'sett', fix: /'set'/ });
    await refused('mutate', [key], { property: 'changes' });
    await refused('mutate', ['id', { set }], { code: 'INVALID_KEY', property: 'key' });
    await refused('mutate', [{ id: 5 }, { set }], { code: 'INVALID_KEY', property: 'id' });
    await refused('mutate', [key, { set: 5 }], { property: 'set' });
    await refused('mutate', [key, { set: { nam: 'x' } }], { property: 'nam', fix: /'name'/ });
    await refused('mutate', [key, { set: { id: 'x' } }], { property: 'id' });
    await refused('mutate', [key, { set: { seen: 1n } }], { property: 'seen', fix: /increment/ });
    await refused('mutate', [key, { set: { views: 1n } }], { property: 'views', fix: /add/ });
    await refused('mutate', [key, { set: { level: 'x' } }], {
      code: 'INVALID_VALUE',
      property: 'level',
    });
    await refused('mutate', [key, { set, remove: ['name'] }], { property: 'name' });
    await refused('mutate', [key, { remove: 'name' }], { property: 'remove', fix: /\['column'\]/ });
    await refused('mutate', [key, { remove: [5] }], { property: 'remove' });
    await refused('mutate', [key, { remove: ['id'] }], { property: 'id' });
    await refused('mutate', [key, { remove: ['nam'] }], { property: 'nam', fix: /'name'/ });
    await refused('mutate', [key, { add: { seen: 1n } }], { property: 'seen', fix: /increment/ });
    await refused('mutate', [key, { add: { level: 1n } }], { property: 'level' });
    await refused('mutate', [key, { add: { views: 1 } }], { property: 'views', fix: /1n/ });
    await refused('mutate', [key, { add: { views: 2n ** 63n } }], { property: 'views' });
    await refused('mutate', [key, { set, add: { views: null } }], { property: 'views' });
    await refused('mutate', [key, { increment: { views: 1n } }], { property: 'views', fix: /add/ });
    await refused('mutate', [key, { increment: { seen: 1n, level: 1n } }], { property: 'level' });
    await refused('mutate', [key, { increment: { tags: new Map([['a', 1n]]) } }], {
      property: 'tags',
    });
    await refused('mutate', [key, { increment: { scores: { a: 1n } } }], {
      property: 'scores',
      fix: /new Map/,
    });
    await refused('mutate', [key, { increment: { scores: new Map([['a', 1]]) } }], {
      property: 'scores["a"]',
    });
    await refused('mutate', [key, { append: { level: 1 } }], { property: 'level' });
    await refused('mutate', [key, { append: { name: 5 } }], {
      code: 'INVALID_VALUE',
      property: 'name',
    });
    await refused('mutate', [key, { append: { tags: new Map([['a', 5]]) } }], {
      code: 'INVALID_VALUE',
      property: 'tags["a"]',
    });
    await refused('mutate', [key, { append: { tags: new Map([[5, 'a']]) } }], {
      code: 'INVALID_VALUE',
      property: 'tags',
    });
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
          const returned = await profiles().mutate(key, each as object);
          if ('increment' in each || 'append' in each)
            expect(returned).toEqual(applyReadModify(model, each));
          else applyCells(model, each);
          expect(asModel(await profiles().get(key))).toEqual(asModel(model));
        }
      }),
      { numRuns: isGoogles ? 30 : 60 },
    );
  });
});
