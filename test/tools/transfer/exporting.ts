/**
 * The process that export-resume.test.ts runs: an export, slow enough to be killed anywhere.
 * `exporting.mjs URL FILE FORMAT GZIP [PAGES MS]` kills itself that many milliseconds after that
 * many pages, because on a busy machine it might end before another process kills it.
 */
import { writeSync } from 'node:fs';
import { column, columnMap, defineEntity, open, rowKey } from '../../../src/index.js';
import { buildModel } from '../../../src/entities/model/index.js';
import { exportRows, type RowFormat } from '../../../src/tools/transfer/index.js';

/** A row of about 1 kB. */
export const Row = defineEntity(
  class Row {
    id = 0;
    text?: string;
    tags?: Map<string, string>;
  },
  {
    table: 'rows',
    families: { m: {}, t: {} },
    key: rowKey('id'),
    segments: { id: 'uint' },
    columns: { text: column('m', 'string'), tags: columnMap('t', 'string') },
  },
);

const kill = (): boolean => process.kill(process.pid, 'SIGKILL');

async function main([url, file, format, gzip, pages, ms]: readonly string[]): Promise<void> {
  const db = await open(url, { entities: [Row] });
  let pagesRead = 0;
  const result = await exportRows(db.engine, buildModel(Row), file, {
    format: format as RowFormat,
    gzip: gzip === 'true',
    resume: true,
    onProgress: ({ rows }) => {
      writeSync(1, `${rows}\n`);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60);
      if (++pagesRead !== Number(pages)) return;
      if (ms === '0') kill();
      setTimeout(kill, Number(ms));
    },
  });
  writeSync(1, `${JSON.stringify(result)}\n`);
  await db.close();
}

if (process.argv[1].endsWith('exporting.mjs')) void main(process.argv.slice(2));
