/** Rows of the tests. */
import type { Database } from '../../../src/index.js';
import { Account, Blob, Device, Order, Parcel, Point, Reading } from './entities.js';

/** The time of an order. */
export const at = (hour: number): Date => new Date(Date.UTC(2026, 10, 20, hour));

/** Writes them. */
export async function seedStudio(db: Database): Promise<void> {
  const orders = db.repository(Order);
  const point = Object.assign(new Point(), { x: 1.5, exact: 9007199254740993n });
  const parcel = Object.assign(new Parcel(), {
    note: 'fragile',
    label: Uint8Array.of(0, 255),
    at: point,
    stops: ['a', 'b'],
    sums: new Map([['x', 2n ** 60n]]),
  });
  await orders.save(
    orders.create({
      shop: 'oslo',
      at: at(10),
      n: 1,
      status: 'open',
      total: 9007199254740993n,
      extra: { list: [1, 'two'] },
      photo: Uint8Array.of(1, 2, 254),
      parcel,
      tags: new Map([
        ['size', 'large'],
        ['colour', 'red'],
      ]),
      price: [
        { at: at(1), value: 10.5 },
        { at: at(2), value: 11 },
      ],
    }),
  );
  for (const hour of [11, 12, 13])
    await orders.save(
      orders.create({ shop: 'oslo', at: at(hour), n: 1, status: hour === 12 ? 'open' : 'paid' }),
    );
  await orders.save(orders.create({ shop: 'rome', at: at(9), n: 7, status: 'open' }));
  await orders.patch({ shop: 'rome', at: at(9), n: 7 }, {}, { add: { views: 3n } });
  const blobs = db.repository(Blob);
  await blobs.save(
    blobs.create({ hash: Uint8Array.of(0, 0xff, 1), part: 10n ** 20n, content: Uint8Array.of(7) }),
  );
  const accounts = db.repository(Account);
  await accounts.save(accounts.create({ id: 'ann', balance: 5 }));
  const devices = db.repository(Device);
  await devices.save(devices.create({ tenant: 'acme', device: 'd1', place: 'roof' }));
  const readings = db.repository(Reading);
  for (const hour of [8, 9])
    await readings.save(
      readings.create({ tenant: 'acme', device: 'd1', at: at(hour), temperature: hour + 0.5 }),
    );
}
