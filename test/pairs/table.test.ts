/**
 * The table of pairs in docs/guide/features-together.md: each pair is declared, and what is refused
 * says why. UPDATE_GOLDEN=1 updates it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RowsmithError } from '../../src/index.js';
import { buildModels } from '../../src/entities/model/index.js';
import { declare } from './declare.js';
import { type Feature, features, featureSet, pairs } from './features.js';
import { type Limit, limits } from './limits.js';

const document = join(__dirname, '../../docs/guide/features-together.md');
const begin = '<!-- pairs: written by UPDATE_GOLDEN=1 npx jest test/pairs/table -->\n';
const end = '<!-- end of pairs -->';

const letterOf = (limit: Limit): string => String.fromCharCode(97 + limits.indexOf(limit));
const isOf =
  (a: Feature, b: Feature) =>
  ({ pair }: Limit): boolean =>
    pair.includes(a) && pair.includes(b);

function table(reasons: readonly string[]): string {
  const names = features.map((name, i) => `${i + 1} ${name}`);
  const rows = features.map((name, i) => {
    const cells = features.slice(0, i).map((other) => {
      const letters = limits.filter(isOf(name, other)).map(letterOf);
      return letters.length > 0 ? letters.join('') : '+';
    });
    const empty = features.slice(i).map(() => '');
    return `| ${[names[i], ...cells, ...empty].join(' | ')} |`;
  });
  return [
    `| | ${features.map((_, i) => i + 1).join(' | ')} |`,
    `|---${'|---'.repeat(features.length)}|`,
    ...rows,
    '',
    '| | Refused | Why |',
    '|---|---|---|',
    ...limits.map((limit, i) => `| ${letterOf(limit)} | ${limit.what} | ${reasons[i]} |`),
    '',
  ].join('\n');
}

/** Why a limit refuses what is declared or called. */
async function reasonOf({ what, run }: Limit): Promise<string> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof RowsmithError)) throw error;
    const { faults = [error.details], problem } = error.details;
    return `\`${error.code}\`: ${faults[0].problem ?? problem}`;
  }
  throw new Error(`${what} is not refused`);
}

test('each pair can be declared', () => {
  for (const pair of pairs)
    expect(() => buildModels(declare(featureSet(pair), 'pair').entities)).not.toThrow();
});

test('the table of the guide is what is refused', async () => {
  const reasons: string[] = [];
  for (const limit of limits) reasons.push(await reasonOf(limit));
  const text = readFileSync(document, 'utf8');
  const [from, to] = [text.indexOf(begin) + begin.length, text.indexOf(end)];
  const expected = table(reasons);
  if (process.env.UPDATE_GOLDEN === '1')
    writeFileSync(document, text.slice(0, from) + expected + text.slice(to));
  expect(readFileSync(document, 'utf8').slice(from)).toContain(`${expected}${end}\n`);
});
