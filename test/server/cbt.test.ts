/**
 * Google's command line client, unchanged, against our server. Skipped with a warning if it is not
 * installed, and failed if CI_REQUIRE_EMULATOR is set.
 */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openMemoryEngine } from '../../src/engines/local/index.js';
import { startServer, type BigtableServer } from '../../src/server/index.js';
import type { Engine } from '../../src/data/store/index.js';

const found = spawnSync('cbt', ['version'], { encoding: 'utf8' }).error === undefined;

if (!found) {
  if (process.env.CI_REQUIRE_EMULATOR === '1')
    test('cbt is installed', () => expect(found).toBe(true));
  else {
    console.warn('SKIPPED: cbt is not on the PATH');
    test.skip('cbt', () => undefined);
  }
} else {
  describe('cbt', () => {
    let engine: Engine;
    let server: BigtableServer;
    let folder = '';
    beforeAll(async () => {
      // Without a credentials file cbt asks gcloud for credentials at every start, which takes half
      // a second.
      folder = mkdtempSync(join(tmpdir(), 'rowsmith-cbt-'));
      writeFileSync(join(folder, 'credentials.json'), '{}');
      engine = await openMemoryEngine();
      server = await startServer(engine);
    });
    afterAll(async () => {
      await server.close({ graceMs: 500 });
      await engine.close();
      rmSync(folder, { recursive: true, force: true });
    });

    /** Runs a command and returns its output; rejects with its error output. */
    const run = (project: string, instance: string, args: readonly string[]): Promise<string> =>
      new Promise((resolve, reject) => {
        const options = {
          env: { ...process.env, BIGTABLE_EMULATOR_HOST: server.address },
          timeout: 500_000,
        };
        const flags = [
          '-creds',
          join(folder, 'credentials.json'),
          '-project',
          project,
          '-instance',
          instance,
        ];
        execFile('cbt', [...flags, ...args], options, (error, stdout, stderr) =>
          error === null ? resolve(stdout) : reject(new Error(stderr)),
        );
      });
    const cbt = (...args: readonly string[]) => run('p', 'instance-1', args);
    /** The output lines of a read that contain a row, a column or a value. */
    const rows = (output: string): string[] =>
      output
        .split('\n')
        .map((line) => line.trim().replace(/ +@ .*/, ''))
        .filter((line) => line !== '' && !line.startsWith('---'));

    test('tables, families and rules', async () => {
      await cbt('createtable', 't');
      await cbt('createtable', 'split', 'families=x:maxversions=2,y', 'splits=g,m');
      await cbt('createfamily', 't', 'f');
      await cbt('setgcpolicy', 't', 'f', '(maxversions=5 || maxage=30d)');
      expect((await cbt('ls')).trim().split('\n')).toEqual(['split', 't']);
      expect(await cbt('ls', 't')).toMatch(/f\s+\(versions\(\) > 5 \|\| age\(\) > 30d\)/);
      expect(await cbt('ls', 'split')).toMatch(/x\s+versions\(\) > 2[^]*y/);
      await expect(cbt('createtable', 't')).rejects.toThrow('AlreadyExists');
      await cbt('deletetable', 'split');
      expect((await cbt('ls')).trim()).toBe('t');
    });

    test('rows', async () => {
      await cbt('set', 't', 'row1', 'f:q=hello', 'f:r=there');
      await cbt('set', 't', 'row2', 'f:q=again');
      await cbt('set', 't', 'other', 'f:q=x');
      expect(rows(await cbt('read', 't', 'prefix=row'))).toEqual([
        'row1',
        'f:q',
        '"hello"',
        'f:r',
        '"there"',
        'row2',
        'f:q',
        '"again"',
      ]);
      expect(rows(await cbt('lookup', 't', 'row1', 'columns=f:r'))).toEqual([
        'row1',
        'f:r',
        '"there"',
      ]);
      expect(
        rows(
          await cbt('read', 't', 'start=other', 'end=row2', 'columns=f:q', 'cells-per-column=1'),
        ),
      ).toEqual(['other', 'f:q', '"x"', 'row1', 'f:q', '"hello"']);
      expect(rows(await cbt('read', 't', 'regex=r.*', 'count=1'))).toEqual([
        'row1',
        'f:q',
        '"hello"',
        'f:r',
        '"there"',
      ]);
      const stats = await cbt('read', 't', 'columns=f:r', 'include-stats=full');
      expect(stats).toMatch(/rows_seen_count:\s*3\s+rows_returned_count:\s*1\b/);
      expect(stats).toMatch(/cells_seen_count:\s*4\s+cells_returned_count:\s*1\b/);
      expect((await cbt('count', 't')).trim()).toBe('3');
      await cbt('deletecolumn', 't', 'row1', 'f', 'q');
      await cbt('deleterow', 't', 'row2');
      expect(rows(await cbt('read', 't'))).toEqual([
        'other',
        'f:q',
        '"x"',
        'row1',
        'f:r',
        '"there"',
      ]);
      await cbt('deleteallrows', 't');
      expect((await cbt('count', 't')).trim()).toBe('0');
    });

    test('errors have their status names', async () => {
      await expect(cbt('read', 'nosuch')).rejects.toThrow('NotFound');
      await expect(cbt('set', 't', 'r', 'nosuch:q=v')).rejects.toThrow('NotFound');
    });

    test('another project has its own tables, also of the same name', async () => {
      await run('other', 'instance-1', ['createtable', 't', 'families=f']);
      await run('other', 'instance-1', ['set', 't', 'theirs', 'f:q=v']);
      expect((await cbt('count', 't')).trim()).toBe('0');
      expect(rows(await run('other', 'instance-1', ['read', 't']))).toEqual([
        'theirs',
        'f:q',
        '"v"',
      ]);
    });
  });
}
