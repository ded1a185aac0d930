/** Vite's development server evaluates edited modules again within one process. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { createServer } from 'vite';

const server = await createServer({ server: { middlewareMode: true }, appType: 'custom' });
after(() => server.close());
const source = readFileSync('src/note.ts', 'utf8');
after(() => writeFileSync('src/note.ts', source));

const column = "@Column('n', 'string') title?: string;";

async function renderEdited(url, edited, id) {
  writeFileSync('src/note.ts', edited);
  server.moduleGraph.invalidateAll();
  const { render } = await server.ssrLoadModule('/src/entry.ts');
  return render(url, id, `title ${id}`);
}

for (const [url, kept] of [
  ['file:./dev-data', '<li>a: title a</li>'],
  ['memory:', ''],
]) {
  test(url, async () => {
    rmSync('./dev-data', { recursive: true, force: true });
    const warnings = [];
    const listen = (warning) => warnings.push(warning);
    process.on('warning', listen);
    await renderEdited(url, source, 'a');
    // Evaluated again with the same declaration: the database stays open, also in memory.
    const html = await renderEdited(url, `${source}\n// edited`, 'a');
    assert.equal(html, '<ul><li>a: title a</li></ul>');
    assert.deepEqual(warnings, []);
    const edited = source.replace(column, `${column} @Column('n', 'int32') stars?: number;`);
    assert.notEqual(edited, source);
    const after = await renderEdited(url, edited, 'b');
    assert.equal(after, `<ul>${kept}<li>b: title b</li></ul>`);
    await new Promise((done) => setImmediate(done));
    assert.equal(warnings.length, 1);
    assert.equal(warnings[0].code, 'ROWSMITH_SHARED');
    process.off('warning', listen);
    const { close } = await server.ssrLoadModule('/src/entry.ts');
    await close(url);
  });
}
