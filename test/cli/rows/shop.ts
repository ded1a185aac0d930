/** A project with the entities of these tests, over a database that holds some rows. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, open } from '../../../src/index.js';
import { openOverEmulator, openOverOurServer } from '../../engines/bigtable/live-backends.js';
import { command, type CommandOptions, type CommandResult } from '../../support/command.js';
import { chosenLive, shareOf } from '../../support/back-end-share.js';
import { findEmulator } from '../../support/emulator.js';
import { Device, Order, Reading } from './entities.js';

export const entities = [Order, Device, Reading];
const seedTime = Date.UTC(2026, 10, 20, 12);

/** Writes the rows that all back ends hold; each write has its own timestamp. */
export async function seed(db: Database, advance: () => void): Promise<void> {
  const orders = db.repository(Order);
  const order = (shop: string, n: number, init: Partial<Order>) =>
    orders.create({ shop, n, ...init });
  await orders.save(order('oslo', 1, { status: 'open', code: 'a1', total: 10n }));
  advance();
  await orders.save(
    order('oslo', 1, {
      status: 'failed',
      code: 'a1',
      total: 10n,
      at: new Date('2026-11-20T10:00:00Z'),
    }),
  );
  await orders.save(order('oslo', 2, { status: 'ok', total: 9007199254740993n }));
  await orders.save(
    order('oslo', 3, {
      status: 'open',
      code: 'a3',
      total: -5n,
      extra: { big: [1, 'two'] },
      tags: new Map([
        ['size', 'large'],
        ['colour', 'red, green'],
      ]),
    }),
  );
  await orders.save(order('rome', 1, { status: 'failed', total: 1n }));
  await orders.increment({ shop: 'oslo', n: 2 }, 'hits', 5n);
  await orders.patch({ shop: 'oslo', n: 2 }, {}, { add: { views: 7n } });
  const devices = db.repository(Device);
  await devices.save(devices.create({ tenant: 'acme', device: 'd1', place: 'roof' }));
  const readings = db.repository(Reading);
  for (const device of ['d1', 'd2'])
    for (const hour of [8, 9])
      await readings.save(
        readings.create({
          tenant: 'acme',
          device,
          at: new Date(Date.UTC(2026, 10, 20, hour)),
          temperature: 20.5 + hour,
          pressure: [
            { at: new Date(Date.UTC(2026, 10, 20, 1)), value: 1 },
            { at: new Date(Date.UTC(2026, 10, 20, 2)), value: 2 },
          ],
        }),
      );
}

/** A project over a database. */
export interface Shop {
  readonly folder: string;
  readonly url: string;
  readonly run: (args: readonly string[], options?: CommandOptions) => Promise<CommandResult>;
  /** The same on a terminal. */
  readonly onTerminal: (
    args: readonly string[],
    options?: CommandOptions,
  ) => Promise<CommandResult>;
  readonly close: () => Promise<void>;
}

/** The project; `url` is relative to its folder. */
export function project(url: string, close: () => Promise<void> = async () => {}): Shop {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-rows-'));
  mkdirSync(join(folder, 'empty'));
  writeFileSync(
    join(folder, 'rowsmith.config.cjs'),
    `const { Order, Device, Reading } = require(${JSON.stringify(join(__dirname, 'entities.ts'))});
module.exports = { entities: [Order, Device, Reading], url: ${JSON.stringify(url)} };\n`,
  );
  const run: Shop['run'] = (args, options) => command(folder, args, options);
  return {
    folder,
    url: url.replace('./', `${folder}/`),
    run,
    onTerminal: (args, options) =>
      run(args, { isTTY: true, columns: 80, env: { NO_COLOR: '1' }, ...options }),
    close: async () => {
      await close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A clock with timestamps that do not depend on the day. */
function fixedClock(): { readonly clock: () => number; readonly advance: () => void } {
  let now = seedTime;
  return { clock: () => now, advance: () => void (now += 60_000) };
}

export interface ShopBackEnd {
  readonly name: string;
  readonly open: () => Promise<Shop>;
}

const emulator = findEmulator();

const disk: ShopBackEnd = {
  name: 'disk',
  open: async () => {
    const shop = project('file:./data');
    const { clock, advance } = fixedClock();
    const db = await open(shop.url, { entities, clock });
    await seed(db, advance);
    await db.close();
    return shop;
  },
};
const ourServer: ShopBackEnd = {
  name: 'our server',
  open: () => openLive(() => openOverOurServer()),
};
const googles: ShopBackEnd | undefined =
  emulator === undefined
    ? undefined
    : { name: "Google's emulator", open: () => openLive(() => openOverEmulator(emulator)) };

/** On disk, and live. */
export const shops: readonly ShopBackEnd[] = [disk, ...chosenLive(ourServer, googles)];

/** The shops that this run of a suite is for. */
export const backEnds = shareOf({ usual: shops.slice(0, 1), rest: shops.slice(1) });

async function openLive(
  start: () => Promise<{ address: string; close: () => Promise<void> }>,
): Promise<Shop> {
  const server = await start();
  const url = 'bigtable://p/instance-1';
  process.env.BIGTABLE_EMULATOR_HOST = server.address;
  const { clock, advance } = fixedClock();
  const db = await open(url, { entities, clock });
  await db.admin.apply();
  await seed(db, advance);
  await db.close();
  return project(url, async () => {
    delete process.env.BIGTABLE_EMULATOR_HOST;
    await server.close();
  });
}
