/** `where`, beside reading everything and filtering by hand. */
import { createServer, connect, type AddressInfo } from 'node:net';
import type { Database } from '../../src/entities/repository/index.js';
import type { Variant } from '../interleave.js';
import type { OfficialRow } from '../wire/official.js';
import { type Case, race } from './case.js';
import { Narrow, type Selectable, Wide } from './entities.js';
import { openAt, type Store } from './stores.js';

type Table = 'narrow' | 'wide';
type Property = 'state' | 'parity';

/** Conditions by the share of the rows that match. */
const conditions = {
  '1%': { property: 'state', value: 'failed' },
  '50%': { property: 'parity', value: 'even' },
} as const;

/** Targets against filtering by hand, by table, share and store. */
const targets: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'where.wide.1%.ours': { where: 2 },
};

export const whereCases: readonly Case[] = (['narrow', 'wide'] as const).flatMap((table) =>
  (['1%', '50%'] as const).map((share): Case => {
    const name = `where.${table}.${share}`;
    return {
      name,
      async run(store, results) {
        const { property, value } = conditions[share];
        const variants = variantsOf(store, table, property, value);
        const full = `${name}.${store.name}`;
        await race(results, full, variants, targets[full]);
        if (store.live === undefined) return;
        const { address } = store.live;
        const all = await bytesOf(address, (db) => byHand(db, table, property, value));
        const some = await bytesOf(address, (db) => byWhere(db, table, property, value));
        results.add({
          name: `${full}.bytes`,
          value: some / store.rows[table],
          unit: 'B/row',
          ratio: some / all,
          of: 'by hand',
          // A row that does not match is not sent.
          target: { kind: 'atMost', ratio: table === 'wide' && share === '1%' ? 0.03 : 0.7 },
        });
      },
    };
  }),
);

function variantsOf(
  { db, live, rows }: Store,
  table: Table,
  property: Property,
  value: string,
): Variant[] {
  const counted = async (found: Promise<number>): Promise<number> => {
    const share = (await found) / rows[table];
    if (Math.abs(share - (property === 'state' ? 0.01 : 0.5)) > 0.005)
      throw new Error(`${share} of the rows of ${table} were found by ${property}`);
    return rows[table];
  };
  const variants: Variant[] = [
    { name: 'by-hand', run: () => counted(byHand(db, table, property, value)) },
    { name: 'where', run: () => counted(byWhere(db, table, property, value)) },
    { name: 'where-count', run: () => counted(query(db, table, property, value).count()) },
  ];
  if (live === undefined) return variants;
  const bytes = Buffer.from(value);
  const holds = ({ data }: OfficialRow): boolean => data.a[property][0].value.equals(bytes);
  const test = [{ column: property }, { column: { cellLimit: 1 } }, { value }];
  const filter = [{ condition: { test, pass: [{ all: true }] } }];
  variants.push(
    {
      name: 'official-by-hand',
      run: () => counted(live.official.getRows(table).then((all) => all.filter(holds).length)),
    },
    {
      name: 'official-filter',
      run: () => counted(live.official.getRows(table, { filter }).then(({ length }) => length)),
    },
  );
  return variants;
}

function scan(db: Database, table: Table) {
  if (table === 'wide') return db.repository(Wide).scanAll();
  return narrowScan(db);
}

function narrowScan(db: Database) {
  return db.repository(Narrow).scanAll();
}

function query(db: Database, table: Table, property: Property, value: string) {
  const rows = scan(db, table) as ReturnType<typeof narrowScan>;
  return property === 'state' ? rows.where({ state: value }) : rows.where({ parity: value });
}

async function byHand(
  db: Database,
  table: Table,
  property: Property,
  value: string,
): Promise<number> {
  let found = 0;
  for await (const page of scan(db, table).pages())
    for (const row of page as readonly Selectable[]) if (row[property] === value) found++;
  return found;
}

async function byWhere(
  db: Database,
  table: Table,
  property: Property,
  value: string,
): Promise<number> {
  let found = 0;
  for await (const page of query(db, table, property, value).pages()) found += page.length;
  return found;
}

/** The bytes that a server sends for a read, with its connection. */
async function bytesOf(address: string, read: (db: Database) => Promise<unknown>): Promise<number> {
  let bytes = 0;
  const [host, port] = address.split(':');
  const proxy = createServer((socket) => {
    const upstream = connect(Number(port), host);
    upstream.on('data', (data) => void (bytes += data.length));
    socket.pipe(upstream).pipe(socket);
    socket.on('error', () => upstream.destroy());
    upstream.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
  const db = await openAt(`127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  try {
    await read(db);
  } finally {
    await db.close();
    proxy.close();
  }
  return bytes;
}
