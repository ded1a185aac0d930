/** `node --watch` ends the process and starts it again on the same directory. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, test } from 'node:test';

async function watching(env, work) {
  const child = spawn(process.execPath, ['--watch', 'app.mjs'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const prints = async (text) => {
    const end = Date.now() + 30_000;
    while (!output.includes(text)) {
      if (Date.now() > end) throw new Error(`not printed: ${text}\n${output}`);
      await new Promise((done) => setTimeout(done, 50));
    }
  };
  try {
    await work(prints);
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
}

const source = readFileSync('note.mjs', 'utf8');
// The other test starts with the entity as it is in the repository.
afterEach(() => writeFileSync('note.mjs', source));

test('file: a restart and an edited entity', async () => {
  await watching({ DATABASE: 'file:./data' }, async (prints) => {
    await prints('saved {"id":"n0","title":"start 0"}');
    const edited = source
      .replace("column('n', 'string')", "column('n', 'string'), stars: column('n', 'int32')")
      .replace('extra = {}', 'extra = { stars: 5 }');
    writeFileSync('note.mjs', edited);
    await prints('saved {"id":"n1","stars":5,"title":"start 1"}');
  });
});

test('memory: each start begins empty', async () => {
  await watching({ DATABASE: 'memory:' }, async (prints) => {
    await prints('saved {"id":"n0","title":"start 0"}');
  });
});
