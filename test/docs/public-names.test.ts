/** docs/public-names.md says of every public name what it is for, and there are no more than planned. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const read = (name: string): string => readFileSync(join(root, name), 'utf8');

/** The sections of a text by the entry point in their headings, and the names in each, sorted. */
function namesIn(text: string, heading: RegExp, name: RegExp): Record<string, string[]> {
  const parts = text.split(heading).slice(1);
  const sections: Record<string, string[]> = {};
  for (let i = 0; i < parts.length; i += 2)
    sections[parts[i]] = [...parts[i + 1].matchAll(name)].map(([, each]) => each).sort();
  return sections;
}

/** The golden list, which test/entry-points.slow.test.ts holds equal to the built package. */
const exported = namesIn(
  read('test/golden/entry-points.txt'),
  /^# (.+)$/m,
  /^(?:type|value) +(\S+)$/gm,
);

test('the page lists every exported name once, by entry point, with a reason', () => {
  const page = read('docs/public-names.md');
  const firstCells = page.replace(/^\| (.*?) \| \S.* \|$/gm, '| $1 |');
  expect(namesIn(firstCells, /^## (.+)$/m, /(?<=^\|.*)`(\w+)`/gm)).toEqual(exported);
});

test('the root and all entry points have room for few names', () => {
  expect(exported['rowsmith'].length).toBeLessThanOrEqual(220);
  expect(Object.values(exported).flat().length).toBeLessThanOrEqual(360);
});
