/** The size of the built page, compressed as a package or a server would. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root } from '../../../layer-rules.js';

const folder = mkdtempSync(join(tmpdir(), 'rowsmith-page-size-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('the page is under 250 KB, and what it loads at first under 60 KB', () => {
  execFileSync(process.execPath, [join(root, 'scripts/build-studio-page.mjs'), folder]);
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.\w+$/.test(name),
  );
  const sizeOf = (name: string): number => gzipSync(readFileSync(join(folder, name))).length;
  const sum = (some: readonly string[]): number =>
    some.reduce((size, name) => size + sizeOf(name), 0);
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  const first = names.filter((name) => name === 'index.html' || html.includes(name));
  expect(sum(names)).toBeLessThan(250_000);
  expect(first.length).toBeGreaterThan(4);
  expect(first.join()).not.toMatch(/code-editor|heat-parts/);
  expect(sum(first)).toBeLessThan(60_000);
});
