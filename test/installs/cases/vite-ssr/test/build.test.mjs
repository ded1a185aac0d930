/** The build, as production runs it. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { close, render } from '../dist/entry.js';

for (const url of ['memory:', 'file:./build-data']) {
  test(url, async () => {
    rmSync('./build-data', { recursive: true, force: true });
    await render(url, 'a', 'milk');
    const html = await render(url, 'b', 'bread');
    assert.equal(html, '<ul><li>a: milk</li><li>b: bread</li></ul>');
    await close(url);
  });
}
