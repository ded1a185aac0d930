/** CHANGELOG.md has an entry for the version of the package, and it is the first one. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');

test('the first entry is the version of the package', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    version: string;
  };
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const entries = [...changelog.matchAll(/^## \[(.+)\] - (unreleased|\d{4}-\d\d-\d\d)$/gm)];
  expect(entries[0]?.[1]).toBe(version);
  expect(entries).toHaveLength(changelog.match(/^## /gm)!.length);
});
