/** The project in which the examples of commands run: entities, rows, and the files they name. */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from '../../src/index.js';
import { recordAccess } from '../../src/tools/heat/index.js';
import { command } from '../support/command.js';
import { writeFiles } from '../support/linked-package.js';
import { seed } from './rows/shop.js';
import { Customer, entities, Note, NumberedOrder, OldVisit, Visit } from './example-entities.js';

const files = (from: string): Readonly<Record<string, string>> => ({
  'package.json': '{}',
  'rowsmith.config.cjs': `const { entities } = require(${from});
    const workloads = [require('./workload.js')];
    module.exports = { entities, workloads, seed: './seed.js', url: 'file:./data' };`,
  'workload.js': `const { Sample } = require(${from});
    const { defineWorkload } = require(${JSON.stringify(join(__dirname, '../../src/cli/define-config.ts'))});
    module.exports = defineWorkload(Sample, { rows: 1e6, writesPerSecond: 200, segments: {
      device: { distribution: 'uniform', cardinality: 50 },
      n: { distribution: 'uniform', cardinality: 1e5 },
    } });`,
  'seed.js': `const { Customer } = require(${from});
    const { factory } = require(${JSON.stringify(join(__dirname, '../../src/tools/testing/index.ts'))});
    module.exports = (db, { seed }) => factory(Customer, {}, { seed }).saveMany(db, 3);`,
  'orders-by-number.js': `const { Order } = require(${JSON.stringify(join(__dirname, 'rows/entities.ts'))});
    const { NumberedOrder } = require(${from});
    module.exports = { from: Order, to: NumberedOrder, drop: ['code', 'total', 'at', 'extra', 'tags', 'hits', 'views'] };`,
  'orders.jsonl': '{"shop":"bergen","n":1,"status":"open"}\n{"shop":"bergen"}\n',
  'orders.csv': 'shop,order,status\nbergen,2,open\n',
  'src/index.ts': '',
});

/** Builds the project once; `copy` gives a fresh one, in which an example may change everything. */
export async function buildExampleProject() {
  const home = mkdtempSync(join(tmpdir(), 'rowsmith-examples-'));
  const original = join(home, 'original');
  mkdirSync(original);
  writeFiles(original, files(JSON.stringify(join(__dirname, 'example-entities.ts'))));
  const url = `file:${join(original, 'data')}`;
  let now = Date.UTC(2026, 10, 20, 12);
  const clock = () => now;
  const old = await open(url, { entities: [OldVisit], clock });
  await old.repository(OldVisit).save(old.repository(OldVisit).create({ id: 'v0', city: 'Rome' }));
  await old.close();
  const record = recordAccess({ file: join(original, 'access.heat') });
  const stored = entities.filter((each) => each !== Note);
  const db = await open(url, { entities: stored, clock, observe: { record } });
  await seed(db, () => void (now += 60_000));
  await db.derived.rebuild(Visit, 'byCustomer');
  const customers = db.repository(Customer);
  await customers.save(customers.create({ id: 'c1', city: 'Oslo' }));
  const visits = db.repository(Visit);
  await visits.save(visits.create({ id: 'v1', customer: 'c1' }));
  await customers.patch({ id: 'c1' }, { city: 'Bergen' });
  const undeclared = (await db.derived.list()).find(({ state }) => state === 'undeclared');
  await db.close();
  await record.close();
  const next = await open(url, { entities: [NumberedOrder], clock });
  await next.close();
  let made = 0;
  return {
    /** The id of the index that no entity declares. */
    undeclared: undeclared?.id,
    copy: (): string => {
      const folder = join(home, String(made++));
      cpSync(original, folder, { recursive: true });
      return folder;
    },
    run: command,
    close: () => rmSync(home, { recursive: true, force: true }),
  };
}
