/** The position from which an import resumes, while its batches are written. */
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { importRows } from '../../../src/tools/transfer/index.js';
import { importSuite, model } from './import-rows.js';
import { batchLines, engineThat, lineOf } from './import-batches.js';

const { database, file } = importSuite();

test('the stored position is behind no line that is still being written', async () => {
  const lines = Array.from({ length: 8 * batchLines }, (_, i) => lineOf(`${i}`, 1));
  const path = file('position.jsonl', lines.join('\n'));
  const state = `${path}.rowsmith-import.json`;
  const storedLine = (): number => {
    if (!existsSync(state)) return 0;
    return (JSON.parse(readFileSync(state, 'utf8')) as { position: { line: number } }).position
      .line;
  };
  const positions: number[] = [];
  let written = 0;
  // A position is stored once a second.
  const engine = engineThat(database(), async (rows) => {
    await pause(450);
    positions.push(storedLine());
    expect(storedLine()).toBeLessThanOrEqual(written);
    written += rows.length;
  });
  expect(await importRows(engine, model, path, { format: 'jsonl' })).toMatchObject({
    written: lines.length,
  });
  expect(Math.max(...positions)).toBeGreaterThan(0);
});
