/** Bulk writes of new rows with indexes and rollups, beside plain ones. */
import type { Database } from '../../../src/index.js';
import { interleave, type Variant } from '../../interleave.js';
import type { Results } from '../../results.js';
import { EmailEntry, Indexed, Plain, Rolled, StatusEntry, Unique, valuesOf } from './entities.js';

const rows = 2_000;
const devices = 20;
const rounds = 15;
const warmUp = 5;

/** Each round writes an hour of every device: a bucket has `rows / devices` rows. */
export async function measureBulk(results: Results, name: string, db: Database): Promise<void> {
  const timings = await interleave(variantsOf(db), rounds, warmUp);
  const baselines = {
    index: 'index by hand',
    'unique index': 'unique by hand',
    rollup: 'plain',
  };
  results.addTiming(`${name}.bulk.plain`, timings.get('plain')!, 'us/row');
  for (const by of ['index by hand', 'unique by hand'])
    results.addTiming(`${name}.bulk.${by}`, timings.get(by)!, 'us/row', {
      with: timings.get('plain')!,
      of: 'plain',
    });
  for (const [variant, baseline] of Object.entries(baselines))
    results.addTiming(`${name}.bulk.${variant}`, timings.get(variant)!, 'us/row', {
      with: timings.get(baseline)!,
      of: baseline,
    });
}

function variantsOf(db: Database): Variant[] {
  const classes: Readonly<Record<string, typeof Plain>> = {
    plain: Plain,
    index: Indexed,
    'unique index': Unique,
    rollup: Rolled,
  };
  const kept = Object.entries(classes).map(([name, entity]): Variant => ({
    name,
    async run(round) {
      const repository = db.repository(entity);
      await saved(repository.saveMany(readingsOf(round).map((each) => repository.create(each))));
      return rows;
    },
  }));
  const plain = db.repository(Plain);
  const statuses = db.repository(StatusEntry);
  const emails = db.repository(EmailEntry);
  // Devices of their own: rows are new for each variant.
  const byStatus: Variant = {
    name: 'index by hand',
    async run(round) {
      const readings = readingsOf(round, 'status');
      await saved(plain.saveMany(readings.map((each) => plain.create(each))));
      const entries = readings.map(({ status, at, device }) =>
        statuses.create({ status, at, device, exists: true }),
      );
      await saved(statuses.saveMany(entries));
      return rows;
    },
  };
  const byEmail: Variant = {
    name: 'unique by hand',
    async run(round) {
      const readings = readingsOf(round, 'email');
      await saved(plain.saveMany(readings.map((each) => plain.create(each))));
      const entries = readings.map(({ email, at, device }) => emails.create({ email, at, device }));
      await saved(emails.saveMany(entries));
      return rows;
    },
  };
  return [...kept, byStatus, byEmail];
}

function readingsOf(round: number, name = 'bulk') {
  return Array.from({ length: rows }, (_, n) =>
    valuesOf(`${name}-${n % devices}`, round, Math.floor(n / devices)),
  );
}

async function saved(call: Promise<{ readonly failures: readonly { readonly error: Error }[] }>) {
  const { failures } = await call;
  if (failures.length > 0) throw failures[0].error;
}
