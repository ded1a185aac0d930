/** Values of more than 16 MiB, each of which fills a buffer and a table. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { everyKey } from '../../../src/base/index.js';
import { openDiskEngine } from '../../../src/engines/local/index.js';
import { collectRows } from '../../../src/data/store/index.js';
import { utf8 } from '../conformance.js';

const directory = mkdtempSync(join(tmpdir(), 'rowsmith-large-'));
afterAll(() => rmSync(directory, { recursive: true }));

const bytes = 20_000_000;

test('values of 20 MB are read after every open of a growing database', async () => {
  for (let round = 0; round < 10; round++) {
    const engine = await openDiskEngine(directory, { durability: 'relaxed', verify: false });
    if (round === 0) await engine.createTable({ name: 't', families: new Map([['a', {}]]) });
    const rows = await collectRows(
      engine.readRows({ table: 't', ranges: [everyKey], reversed: false }),
    );
    expect(rows.length).toBe(round);
    for (const [at, { cells }] of rows.entries())
      expect(Buffer.alloc(bytes, at).equals(cells[0].value)).toBe(true);
    await engine.mutateRow('t', {
      key: utf8(`k${round}`),
      mutations: [
        {
          kind: 'setCell',
          family: 'a',
          qualifier: utf8('q'),
          timestamp: 1000,
          value: Buffer.alloc(bytes, round),
        },
      ],
    });
    await engine.close();
  }
});
