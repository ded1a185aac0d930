/**
 * An audit log of several tenants: code that holds a scope reads, exports and deletes the events of
 * one tenant, and cannot reach those of another.
 */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Column, Entity, maxVersions, open, rowKey, Segment, type Repository } from 'rowsmith';
import { exportRows } from 'rowsmith/tools';

@Entity({ table: 'audit', families: { e: { gc: maxVersions(1) } } })
class AuditEvent {
  static readonly key = rowKey('tenant', 'at', 'id');
  @Segment('string', { maxLength: 40 }) tenant!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date; // newest first
  @Segment('uint', { max: 999_999 }) id!: number;
  @Column('e', 'string') actor!: string;
  @Column('e', 'string') action!: string;
  @Column('e', 'string') status!: string;
  @Column('e', 'int64') bytes?: bigint;
}

await using db = await open('memory:', { entities: [AuditEvent] });
const day = (d: number) => new Date(Date.UTC(2026, 10, d));

// A scope holds the first segments of the keys: `create` and `prefix` take the others.
const acme = db.scope({ tenant: 'acme' }).repository(AuditEvent);
const globex = db.scope({ tenant: 'globex' }).repository(AuditEvent);
const all = db.repository(AuditEvent);
for (const tenant of [acme, globex]) {
  await tenant.insertMany(
    Array.from({ length: 200 }, (_, id) =>
      tenant.create({
        at: day(1 + Math.floor(id / 10)), // ten a day
        id,
        actor: `user${id % 7}`,
        action: id % 3 === 0 ? 'login' : 'download',
        status: id % 25 === 0 ? 'failed' : 'ok',
        bytes: 2n ** 53n + BigInt(id), // more than a number holds
      }),
    ),
  );
}
assert.equal(await acme.scanAll().count(), 200, 'every row of the scope');
assert.equal(await all.scanAll().count(), 400, 'every row of the entity');

// Not even JavaScript gets out of a scope.
const theirs = await globex.scanAll().first();
await assert.rejects(acme.delete(theirs!), { code: 'OUTSIDE_SCOPE' });

// What failed in a week. Storage tests the status, in the range of the week.
const failed = acme.between('at', day(8), day(15)).where({ status: 'failed' });
console.log(String(failed.explain()));
assert.deepEqual(
  (await failed.all()).map(({ id }) => id),
  [125, 100, 75],
);
assert.deepEqual(await acme.scanAll().groupBy('status').aggregate({ n: 'count' }).all(), [
  { status: 'ok', n: 192 },
  { status: 'failed', n: 8 },
]);

// Export of one tenant as JSON Lines to a stream, such as a response. JSON writes an int64 as text, so
// nothing is lost, and fromJSON returns the entity.
const stream = new PassThrough();
const received = text(stream);
const { rows } = await exportRows(acme.scanAll(), stream, { format: 'jsonl', plain: true });
assert.equal(rows, 200);
const [line] = (await received).split('\n');
console.log(line);
assert.deepEqual(all.fromJSON(JSON.parse(line)), await acme.scanAll().first());

// Deletion of what is older than a date, of one tenant.
const { deleted } = await acme.until('at', day(11)).delete();
assert.deepEqual([deleted, await acme.scanAll().count()], [100, 100]);
assert.equal(await globex.scanAll().count(), 200);

// A parallel scan: parts of similar size that together are the query. A small table has one part.
async function countByActor(events: Repository<typeof AuditEvent>): Promise<Map<string, number>> {
  const totals = new Map<string, number>();
  const parts = await events.scanAll().split(8);
  await Promise.all(
    parts.map(async (part) => {
      for await (const { actor, n } of part.groupBy('actor').aggregate({ n: 'count' }))
        totals.set(actor, (totals.get(actor) ?? 0) + n);
    }),
  );
  return totals;
}
const byActor = await countByActor(all);
assert.equal(
  [...byActor.values()].reduce((sum, n) => sum + n),
  300,
);
assert.equal(byActor.size, 7);
