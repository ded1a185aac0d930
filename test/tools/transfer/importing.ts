/** The programs that import-processes.slow.test.ts runs: an import with little memory, and one that is killed. */
import { closeSync, existsSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { column, type Database, defineEntity, open, rowKey } from '../../../src/index.js';
import { collectRows, everyKey } from '../../../src/storage.js';
import { buildModel } from '../../../src/entities/model/index.js';
import { importRows } from '../../../src/tools/transfer/index.js';

const [what, input, more] = process.argv.slice(2);
class Shape {
  id = 0;
  text?: string;
}
const Row = defineEntity(class Row extends Shape {}, {
  table: 'rows',
  families: { m: {} },
  key: rowKey('id'),
  segments: { id: 'uint' },
  columns: { text: column('m', 'string') },
});
const model = buildModel(Row);

/**
 * 40 MB: 40,000 valid lines with 100 keys, so that the database stays small, and 40 invalid ones.
 */
function writeBig(file: string, csv: boolean): void {
  const handle = openSync(file, 'w');
  if (csv) writeSync(handle, 'id,text\n');
  const text = 'x'.repeat(1000);
  for (let i = 0; i < 40; i++) {
    const lines = Array.from({ length: 1000 }, (_, j) =>
      csv ? `${j % 100},${text}` : `{"id":${j % 100},"text":"${text}","@at":1000}`,
    );
    writeSync(handle, `${lines.join('\n')}\n${csv ? 'bad,x' : '{"bad":1}'}\n`);
  }
  closeSync(handle);
}

async function big(): Promise<void> {
  writeBig(input, more === 'csv');
  const db = await open('memory:', { entities: [Row] });
  const { written, rejected } = await importRows(db.engine, model, input, {
    format: more === 'csv' ? 'csv' : 'jsonl',
    clock: () => 1,
  });
  console.log(JSON.stringify({ size: statSync(input).size > 40_000_000, written, rejected }));
  await db.close();
}

/** Number of cells and of distinct timestamps. */
async function timesOf(db: Database): Promise<{ readonly cells: number; readonly times: number }> {
  const cells = (
    await collectRows(db.engine.readRows({ table: 'rows', ranges: [everyKey], reversed: false }))
  ).flatMap((row) => row.cells);
  return { cells: cells.length, times: new Set(cells.map(({ timestamp }) => timestamp)).size };
}

async function resumed(): Promise<void> {
  const db = await open(`file:${more}`, { entities: [Row] });
  const result = await importRows(db.engine, model, input, {
    format: 'jsonl',
    resume: true,
    rejects: `${input}.rejects.jsonl`,
    onProgress: () => {
      const state = `${input}.rowsmith-import.json`;
      // Removed at the end.
      if (
        existsSync(state) &&
        (JSON.parse(readFileSync(state, 'utf8')) as { position: { line: number } }).position.line >
          0
      )
        writeSync(1, 'state\n');
      // Slows the import down: the test kills it once a state is stored, after a second.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60);
    },
  });
  console.log(
    JSON.stringify({
      ...result,
      stored: await db.repository(Row).scanAll().count(),
      times: await timesOf(db),
    }),
  );
  await db.close();
}

void (what === 'big' ? big() : resumed());
