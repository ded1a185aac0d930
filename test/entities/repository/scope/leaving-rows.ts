/** The rows of tenants, and what a tenant leaves behind. */
import type { Database } from '../../../../src/index.js';
import { everyKey } from '../../../../src/base/index.js';
import { collectRows } from '../../../../src/data/store/index.js';
import {
  Alarm,
  Author,
  Contract,
  Device,
  Partner,
  Post,
  Reading,
  Region,
  Sale,
  Tenant,
  Visit,
} from './leaving-entities.js';

export const at = (hour: number): Date => new Date(Date.UTC(2026, 10, 20, hour));
export const owners = ['acme', 'acme2', 'a'];

/** The same rows for each tenant: `count` of most entities. */
export async function fill(db: Database, count = 3): Promise<void> {
  const tenantsRows = db.repository(Tenant);
  const devices = db.repository(Device);
  const alarms = db.repository(Alarm);
  const readings = db.repository(Reading);
  const sales = db.repository(Sale);
  const visits = db.repository(Visit);
  const authors = db.repository(Author);
  const posts = db.repository(Post);
  const partners = db.repository(Partner);
  const contracts = db.repository(Contract);
  for (const tenant of owners) {
    await tenantsRows.save(tenantsRows.create({ tenant, note: 'x' }));
    await authors.save(authors.create({ tenant, device: 'd', name: `author ${tenant}` }));
    await partners.save(partners.create({ tenant, device: 'd', name: `partner ${tenant}` }));
    for (let n = 1; n <= count; n++) {
      const device = `d${n}`;
      const code = `${tenant} ${n}`;
      await devices.save(devices.create({ tenant, device, note: 'x' }));
      await alarms.save(alarms.create({ tenant, device, n, note: 'x', code, place: 'roof' }));
      await readings.save(
        readings.create({ tenant, device, at: at(n), place: 'roof', code, value: 2n }),
      );
      await sales.save(sales.create({ tenant, device, at: at(n), value: 5n }));
      await visits.save(visits.create({ tenant, place: 'roof', at: at(n), value: 5n }));
      await posts.save(posts.create({ tenant, n, device: 'd' }));
    }
    for (const [n, partner] of owners.entries())
      await contracts.save(contracts.create({ tenant, n, partner, device: 'd' }));
  }
  const region = db.repository(Region);
  await region.save(region.create({ a: 'd1', b: 'x', c: 'y', note: 'region' }));
}

/** Stored rows with the tenant in keys or values, apart from versions and tokens of rollups. */
export async function traces(db: Database, tenant: string): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of await db.engine.listTables()) {
    const plan = { table: name, ranges: [everyKey], reversed: false };
    for (const { key, cells } of await collectRows(db.engine.readRows(plan))) {
      const kept = cells.filter(({ family }) => family !== '_v' && family !== '_r');
      const text = [key, ...kept.map(({ value }) => value)].map((each) =>
        Buffer.from(each).toString('latin1'),
      );
      if (kept.length > 0 && text.some((each) => new RegExp(`\\b${tenant}\\b`).test(each)))
        found.push(`${name} ${text[0]}`);
    }
  }
  return found;
}
