/** docs/advice.md: each published recommendation has its feature, rule or reason. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { heldRules, lintRules } from '../../src/tools/lint/index.js';

const page = resolve(__dirname, '../../docs/advice.md');
const rows = readFileSync(page, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|') && !/^\|(---| Recommendation )/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, recommendation, answer]) => ({ recommendation, answer }));

const links = rows.flatMap(({ recommendation, answer }) =>
  [...answer.matchAll(/\[([^\]]*)\]\(([^)#]*)(?:#([^)]*))?\)/g)].map(
    ([, text, target, anchor]) => ({ recommendation, text, target, anchor }),
  ),
);

/** GitHub's name of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .replace(/^#+ /, '')
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

/** The lines below a heading, up to the next one of its level or above; without an anchor, all. */
function section(target: string, anchor: string | undefined): string | undefined {
  const path = join(dirname(page), target);
  if (!existsSync(path)) return undefined;
  const lines = readFileSync(path, 'utf8').split('\n');
  if (anchor === undefined) return lines.join('\n');
  const start = lines.findIndex((line) => /^##+ /.test(line) && anchorOf(line) === anchor);
  if (start < 0) return undefined;
  const level = lines[start].indexOf(' ');
  const isEnd = (line: string): boolean => /^#+ /.test(line) && line.indexOf(' ') <= level;
  const length = lines.slice(start + 1).findIndex(isEnd);
  return lines.slice(start, length < 0 ? undefined : start + 1 + length).join('\n');
}

test('it has the 102 recommendations, each once and with an answer that leads somewhere', () => {
  expect(rows).toHaveLength(102);
  expect(new Set(rows.map(({ recommendation }) => recommendation)).size).toBe(102);
  const answered = new Set(links.map(({ recommendation }) => recommendation));
  const open = rows.filter(({ recommendation }) => !answered.has(recommendation));
  expect(open).toEqual([]);
});

// The samples of guides are run, and the bad and the good example of each rule are linted: a feature
// that a guide shows and a rule that has a page are there.
test.each(links)('$recommendation: $text', ({ text, target, anchor }) => {
  const found = section(target, anchor);
  expect(found).toBeDefined();
  const missing = [...text.matchAll(/`([^`]+)`/g)].filter(([, name]) => !found!.includes(name));
  expect(missing).toEqual([]);
  const rule = /^[FK]\d\d$/.exec(text)?.[0];
  if (rule === undefined) return;
  expect(target).toBe(`lint/${rule}.md`);
  expect([...lintRules, ...heldRules].map(({ id }) => id)).toContain(rule);
});
