/**
 * The process that migrate-process.slow.test.ts runs: moves 2,000 rows on disk to a new key, slow enough to be
 * killed in every phase. `migrate TIMES` kills itself soon after it has reported its progress that
 * many times, because on a busy machine it might end before another process kills it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  column,
  counter,
  defineEntity,
  literal,
  open,
  rowKey,
  aggregate,
} from '../../../src/index.js';
import { collectRows, everyKey } from '../../../src/storage.js';
import { migrate } from '../../../src/tools/transfer/index.js';

const [folder, what, times] = process.argv.slice(2);
const families = { m: {}, s: aggregate('sum') };
const columns = { text: column('m', 'string'), count: counter('s') } as const;
class Shape {
  id = 0;
  text?: string;
  count?: bigint;
}
const Old = defineEntity(class Old extends Shape {}, {
  table: 't',
  families,
  key: rowKey('id'),
  segments: { id: 'uint' },
  columns,
});
const New = defineEntity(class New extends Shape {}, {
  table: 't',
  families,
  key: rowKey(literal('n'), 'id'),
  segments: { id: { kind: 'uint', order: 'desc' } },
  shards: { count: 3, by: ['id'] },
  columns,
});
const rows = 2000;

async function main(): Promise<void> {
  const db = await open(`file:${join(folder, 'data')}`, {
    entities: [what === 'seed' ? Old : New],
    durability: 'relaxed',
  });
  if (what === 'seed') {
    const old = db.repository(Old);
    await old.saveMany(
      Array.from({ length: rows }, (_, id) => Object.assign(new Old(), { id, text: `row ${id}` })),
    );
    await Promise.all(
      Array.from({ length: rows / 10 }, (_, i) =>
        old.increment({ id: 10 * i }, 'count', BigInt(10 * i)),
      ),
    );
    const cells = (
      await collectRows(db.engine.readRows({ table: 't', ranges: [everyKey], reversed: false }))
    ).map((row) => row.cells.map(({ timestamp }) => String(timestamp)));
    writeFileSync(join(folder, 'times.json'), JSON.stringify(cells));
  }
  if (what === 'migrate') {
    let reports = 0;
    const onProgress = (): void => {
      if (++reports === Number(times)) setTimeout(() => process.kill(process.pid, 'SIGKILL'), 20);
    };
    await migrate(
      db.engine,
      { from: Old, to: New },
      { state: join(folder, 'state.json'), deleteOld: true, rowsPerSecond: 6_000, onProgress },
    );
  }
  if (what === 'check') {
    const moved = await db.repository(New).scanAll().all();
    const byId = new Map(moved.map((row) => [row.id, row]));
    for (let id = 0; id < rows; id++) {
      const row = byId.get(id);
      if (row?.text !== `row ${id}` || row.count !== (id % 10 === 0 ? BigInt(id) : undefined))
        throw new Error(
          `row ${id} is ${JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))}`,
        );
    }
    const stored = await collectRows(
      db.engine.readRows({ table: 't', ranges: [everyKey], reversed: false }),
    );
    const times = JSON.parse(readFileSync(join(folder, 'times.json'), 'utf8')) as string[][];
    const sorted = (lists: string[][]): string =>
      JSON.stringify(lists.map((list) => list.join()).sort());
    if (
      sorted(stored.map((row) => row.cells.map(({ timestamp }) => String(timestamp)))) !==
      sorted(times)
    )
      throw new Error('timestamps have changed');
    writeFileSync(
      join(folder, 'result.json'),
      JSON.stringify({ rows: moved.length, left: stored.length - moved.length }),
    );
  }
  await db.close();
}

void main();
