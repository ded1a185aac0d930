/**
 * The process that live.test.ts kills: an import or a migration over the network, slow enough to be
 * killed anywhere. `live-process.mjs WHAT FILE`
 */
import { writeSync } from 'node:fs';
import {
  column,
  counter,
  defineEntity,
  literal,
  maxVersions,
  open,
  rowKey,
  aggregate,
} from '../../../src/index.js';
import { buildModel } from '../../../src/entities/model/index.js';
import { importRows, migrate } from '../../../src/tools/transfer/index.js';

class Shape {
  id = 0;
  text?: string;
  plain?: bigint;
  added?: bigint;
  versions?: string;
}
const shape = {
  families: { m: {}, v: { gc: maxVersions(9) }, s: aggregate('sum') },
  segments: { id: 'uint' },
  columns: {
    text: column('m', 'string'),
    plain: counter('m'),
    added: counter('s'),
    versions: column('v', 'string'),
  },
} as const;
/** The old class. */
export const Row = defineEntity(class Row extends Shape {}, {
  ...shape,
  table: 'rows',
  key: rowKey('id'),
});
/** The new class, with shards and a literal. */
export const New = defineEntity(class New extends Shape {}, {
  ...shape,
  table: 'rows',
  key: rowKey(literal('n'), 'id'),
  shards: { count: 3, by: ['id'] },
});

async function main([what, file]: readonly string[]): Promise<void> {
  const db = await open('bigtable://p/instance-1', { entities: [what === 'import' ? Row : New] });
  const onProgress = (): void => {
    writeSync(1, '.\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  };
  if (what === 'import')
    await importRows(db.engine, buildModel(Row), file, {
      format: 'jsonl',
      resume: true,
      onProgress,
    });
  else
    await migrate(
      db.engine,
      { from: Row, to: New },
      { state: `${file}.state.json`, deleteOld: true, onProgress },
    );
  await db.close();
}

if (process.argv[1].endsWith('live-process.mjs')) void main(process.argv.slice(2));
