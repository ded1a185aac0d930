/**
 * A profile store of an ad platform: columns by number instead of name, counters of several kinds,
 * and changes of many rows in batches.
 */
import assert from 'node:assert/strict';
import {
  Column,
  ColumnMap,
  Counter,
  entriesOf,
  entryCountOf,
  Entity,
  LintIgnore,
  aggregate,
  maxVersions,
  open,
  rowKey,
  Segment,
} from 'rowsmith';

const one = { gc: maxVersions(1) };

@Entity({
  table: 'profiles',
  families: {
    p: one,
    s: one,
    v: one,
    n: one,
    shows: one,
    c: aggregate('sum'),
    last: aggregate('max'),
  },
  lint: { expect: { visits: { maxEntries: 5_000 } } },
})
class Profile {
  static readonly key = rowKey('user');
  @Segment('string', { maxLength: 40 }) user!: string;
  @Column('p', 'string') country?: string;
  @Column('p', 'bool') consent?: boolean;
  /** Scores by segment number. Rows are sparse: a user has some of a million segments. */
  @ColumnMap('s', 'double', { qualifiers: 'uint', max: 999_999 }) scores?: Map<number, number>;
  /** Pages by time of the visit, newest first. */
  @ColumnMap('v', 'string', { qualifiers: 'timestamp', order: 'desc' }) visits?: Map<Date, string>;
  /** Plain counters: an increment returns the new values. */
  @LintIgnore('F08', 'a page reads the new value with the increment')
  @Counter('n')
  shown?: bigint;
  @LintIgnore('F08', 'a page reads the new value with the increment')
  @Counter('n')
  clicked?: bigint;
  /** Shown by campaign. */
  @ColumnMap('shows', 'int64', { qualifiers: 'uint', max: 9999 }) campaigns?: Map<number, bigint>;
  /** Counters that storage aggregates: changed in one request beside other columns. */
  @Counter('c') spentCents?: bigint;
  @Counter('last') lastSeenMs?: bigint;
}

await using db = await open('memory:', { entities: [Profile] });
const profiles = db.repository(Profile);
const minute = (m: number) => new Date(Date.UTC(2026, 10, 20, 9, m));

await profiles.saveMany(
  Array.from({ length: 1000 }, (_, i) =>
    profiles.create({
      user: `u${i}`,
      country: i % 100 === 0 ? 'NO' : 'SE',
      consent: i % 2 === 0,
      scores: new Map([[7, i / 1000]]),
    }),
  ),
);
const ann = { user: 'u500' };

// A banner is shown: three counters, one of them an entry of a map, in one atomic request.
const counts = await profiles.increment(ann, {
  shown: 1n,
  clicked: 0n,
  campaigns: new Map([[42, 1n]]),
});
assert.deepEqual(counts, { shown: 1n, clicked: 0n, campaigns: new Map([[42, 1n]]) });

// A visit: entries of two maps and two aggregates, in one request, too. No other change of the row
// is lost, because nothing is read and written back.
for (const [m, page] of [
  [1, '/shoes'],
  [2, '/hats'],
  [3, '/cart'],
] as const) {
  await profiles.patch(
    ann,
    { visits: new Map([[minute(m), page]]), scores: new Map([[7, 0.9]]) },
    { add: { spentCents: 5n, lastSeenMs: BigInt(minute(m).getTime()) } },
  );
}
const seen = await profiles.get(ann);
assert.deepEqual([...(seen?.visits?.values() ?? [])], ['/cart', '/hats', '/shoes']);
assert.deepEqual(seen?.scores, new Map([[7, 0.9]]));
assert.deepEqual([seen?.spentCents, seen?.lastSeenMs], [15n, BigInt(minute(3).getTime())]);

// A part of a map: the newest visits and the number of segments. The rest is not sent.
const part = await profiles.get(ann, {
  select: ['country', entriesOf('visits', { limit: 2 }), entryCountOf('scores')],
});
assert.deepEqual(
  [part?.country, [...(part?.visits?.values() ?? [])], part?.scores],
  ['NO', ['/cart', '/hats'], 1],
);

// An audience: users in Norway who consented. Storage tests the columns and sends what matches.
const audience = profiles.scanAll().where({ country: 'NO', consent: true });
console.log(String(audience.select('country').explain()));
assert.equal(await audience.count(), 10);

// A batch of changes; failures are reported by row, and the others are written.
const users = (await audience.keysOnly().all()).map(({ user }) => user);
const { written, failures } = await profiles.patchMany(
  [...users, ''].map((user) => ({
    key: { user },
    changes: {},
    remove: ['visits'],
    add: { spentCents: 1n },
  })),
);
assert.deepEqual(
  [written, failures.map(({ index, error }) => [index, error.code])],
  [10, [[10, 'VALIDATION_FAILED']]],
);
assert.equal((await profiles.get(ann))?.spentCents, 16n);

const { spent } = await profiles.scanAll().aggregate({ spent: { sum: 'spentCents' } });
assert.equal(spent, 25n);
