/** What follows from the rows of tickets, computed from plain objects. */
import type { Database } from '../../../../src/index.js';
import { Ticket } from './tickets.js';

/** A ticket as the tests know it. */
export interface PlainTicket {
  readonly shop: string;
  readonly at: Date;
  readonly id: number;
  readonly status?: string;
  readonly code?: string;
  readonly total?: bigint;
}

export const day = 86_400_000;
const shops = ['north', 'south'];
export const statuses = ['open', 'paid', 'void'];

/** The tickets by key. */
export type Tickets = Map<string, PlainTicket>;

export const nameOf = ({ shop, at, id }: PlainTicket): string => `${shop}/${at.toJSON()}/${id}`;

const plain = ({ shop, at, id, status, code, total }: PlainTicket): PlainTicket => ({
  shop,
  at,
  id,
  status,
  code,
  total,
});

function sorted(tickets: Iterable<PlainTicket>): PlainTicket[] {
  return [...tickets].map(plain).sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

function dailyOf(tickets: Tickets): Map<string, { tickets: number; total: bigint }> {
  const buckets = new Map<string, { tickets: number; total: bigint }>();
  for (const { shop, at, total = 0n } of tickets.values()) {
    const name = `${shop}/${Math.floor(at.getTime() / day)}`;
    const bucket = buckets.get(name) ?? { tickets: 0, total: 0n };
    buckets.set(name, { tickets: bucket.tickets + 1, total: bucket.total + total });
  }
  return buckets;
}

/** Fails unless rows, indexes, unique values and rollups match the tickets. */
export async function expectTickets(db: Database, tickets: Tickets): Promise<void> {
  const repository = db.repository(Ticket);
  const rows = await repository.scanAll().all();
  expect(sorted(rows)).toEqual(sorted(tickets.values()));
  for (const { status, code, label, revision } of rows) {
    expect(label).toBe(`${status ?? 'none'}/${code ?? 'none'}`);
    expect(revision).toEqual(expect.any(String));
  }
  for (const shop of shops)
    for (const status of statuses) {
      const wanted = [...tickets.values()].filter(
        (each) => each.shop === shop && each.status === status,
      );
      const byStatus = repository.index('byStatus');
      const verified = await byStatus.prefix({ shop, status }).all();
      expect(sorted(verified)).toEqual(sorted(wanted));
      for (const each of verified) expect(each.label).toBeDefined();
      const covered = await byStatus.covered().prefix({ shop, status }).all();
      expect(covered.map(nameOf).sort()).toEqual(wanted.map(nameOf).sort());
      for (const each of covered) expect(each.total).toBe(tickets.get(nameOf(each))?.total);
    }
  await expectCodes(db, tickets);
  await expectRollups(db, tickets);
}

async function expectCodes(db: Database, tickets: Tickets): Promise<void> {
  const byCode = db.repository(Ticket).index('byCode');
  const holders = [...tickets.values()].filter(({ code }) => code !== undefined);
  expect((await byCode.scanAll().all()).map(nameOf).sort()).toEqual(holders.map(nameOf).sort());
  expect((await byCode.covered().scanAll().all()).map(nameOf).sort()).toEqual(
    holders.map(nameOf).sort(),
  );
  for (const holder of holders) {
    const { shop, code } = holder;
    const found = await byCode.get({ shop, code: code! });
    expect(found && nameOf(found)).toBe(nameOf(holder));
  }
}

async function expectRollups(db: Database, tickets: Tickets): Promise<void> {
  const daily = await db.repository(Ticket).rollup('daily').scanAll().all();
  const expected = dailyOf(tickets);
  expect(
    new Map(
      daily.map(({ shop, at, tickets: count, total }) => [
        `${shop}/${at.getTime() / day}`,
        { tickets: count, total: BigInt(total ?? 0) },
      ]),
    ),
  ).toEqual(expected);
  const indexes = await db.derived.verify(Ticket);
  expect(indexes.findings).toEqual([]);
  const { missing, orphan, wrong } = await db.derived.rollups.verify(Ticket);
  expect({ missing, orphan, wrong }).toEqual({ missing: 0, orphan: 0, wrong: 0 });
}
