/** What completion offers at the begin of a line, and where it keeps the names of a project. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { complete } from '../../src/cli/completion/candidates.js';
import { readNames, writeNames } from '../../src/cli/completion/names.js';
import { commands } from '../../src/cli/commands.js';
import { buildModels } from '../../src/entities/model/index.js';
import { Device, Reading } from './rows/entities.js';

const root = mkdtempSync(join(tmpdir(), 'rowsmith-names-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A config in a folder, older than the names. */
function config(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'rowsmith.config.cjs');
  writeFileSync(file, '');
  utimesSync(file, new Date(0), new Date(0));
  return file;
}

function keep(file: string, ...entities: (typeof Device | typeof Reading)[]): void {
  const project = { file, sources: [file], models: buildModels(entities) };
  writeNames(project as never, Date.now());
}

const kept = (file: string) => readNames(file)?.entities.map(({ name }) => name);

test.each([
  [['']],
  [['exp']],
  [['--no-color', 'exp']],
  [['--config', 'a.ts', 'exp']],
  [['help', 'exp']],
])('the name of a command: %j', async (words) => {
  const found = (await complete(words, () => Promise.resolve([]))) as readonly { word: string }[];
  const all = [...commands.keys(), 'help'];
  expect(found.map(({ word }) => word)).toEqual(
    all.filter((name) => name.startsWith(words.at(-1)!)),
  );
});

test('a command has its options, and an unknown one none', async () => {
  const completed = (...words: string[]) => complete(words, () => Promise.resolve([]));
  expect(await completed('export', '--gz')).toMatchObject([{ word: '--gzip' }]);
  expect(await completed('exprot', '--gz')).toEqual([]);
});

// Without packages beside the config nothing was kept, so that nothing was ever completed there.
test('projects of a workspace, which has its packages at its root', () => {
  const [first, second] = ['a', 'b/deep'].map((name) => config(join(root, 'packages', name)));
  keep(first, Device);
  expect(kept(first)).toBeUndefined();
  mkdirSync(join(root, 'node_modules'));
  keep(first, Device);
  keep(second, Reading, Device);
  expect([kept(first), kept(second)]).toEqual([['Device'], ['Reading', 'Device']]);
  expect(readdirSync(join(root, 'node_modules/.cache/rowsmith'))).toHaveLength(2);
});
