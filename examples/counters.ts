/**
 * Counters: in a plain family an increment returns the new value. In an aggregate family storage
 * aggregates the values, and an increment returns nothing.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import {
  Column,
  Counter,
  Entity,
  LintIgnore,
  aggregate,
  maxVersions,
  open,
  rowKey,
  Segment,
} from 'rowsmith';

@Entity({
  table: 'airports',
  families: {
    d: { gc: maxVersions(1) },
    total: aggregate('sum'),
    least: aggregate('min'),
    most: aggregate('max'),
  },
})
class Airport {
  static readonly key = rowKey('iata');
  @Segment('string', { maxLength: 32 }) iata!: string;
  @Column('d', 'string') note?: string;
  /** Plain: one atomic read-modify-write. */
  @LintIgnore('F08', 'shows the difference to the aggregates below')
  @Counter('d')
  visits?: bigint;
  /** Aggregates: fast also with many concurrent writers. */
  @Counter('total') flights?: bigint;
  @Counter('least') earliest?: bigint;
  @Counter('most') latest?: bigint;
}

const file = join(
  createRequire(import.meta.url).resolve('vega-datasets'),
  '../../data/flights-2k.json',
);
const flights = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly origin: string;
  readonly delay: number;
}[];

await using db = await open('memory:', { entities: [Airport] });
const airports = db.repository(Airport);

await Promise.all(
  flights.map(async ({ origin, delay }) => {
    await airports.increment({ iata: origin }, 'flights');
    await airports.increment({ iata: origin }, 'earliest', BigInt(delay));
    await airports.increment({ iata: origin }, 'latest', BigInt(delay));
  }),
);
const delays = flights.filter(({ origin }) => origin === 'SEA').map(({ delay }) => delay);
const seattle = await airports.get({ iata: 'SEA' });
console.log(
  `SEA: ${seattle?.flights} flights, delays from ${seattle?.earliest} to ${seattle?.latest} minutes`,
);
assert.deepEqual(
  [seattle?.flights, seattle?.earliest, seattle?.latest],
  [delays.length, Math.min(...delays), Math.max(...delays)].map(BigInt),
);

assert.equal(
  await airports.increment({ iata: 'SEA' }, 'flights', 0n),
  undefined,
  'an aggregate does not return its new value',
);
assert.equal(await airports.increment({ iata: 'SEA' }, 'visits'), 1n);
assert.equal(await airports.increment({ iata: 'SEA' }, 'visits', 41n), 42n);

// save() does not write counters, so concurrent increments are not lost.
const stale = await airports.get({ iata: 'SEA' });
await airports.increment({ iata: 'SEA' }, 'visits');
stale!.note = 'rain';
await airports.save(stale!);
assert.equal((await airports.get({ iata: 'SEA' }))?.visits, 43n);
