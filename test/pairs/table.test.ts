/**
 * The table of pairs in docs/features-together.md: each pair is declared, and what is refused
 * says why. UPDATE_GOLDEN=1 updates it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RowsmithError } from '../../src/index.js';
import { buildModels } from '../../src/entities/model/index.js';
import { declare } from './declare.js';
import { featureSet, pairs } from './features.js';
import { type Limit, limits } from './limits.js';

const document = join(__dirname, '../../docs/features-together.md');
const begin = '<!-- pairs: written by UPDATE_GOLDEN=1 npx jest test/pairs/table -->\n';
const end = '<!-- end of pairs -->';

function table(codes: readonly string[]): string {
  return [
    '| Features | Refused | Error |',
    '|---|---|---|',
    ...limits.map(({ pair, what }, i) => `| ${pair.join(', ')} | ${what} | \`${codes[i]}\` |`),
    '',
  ].join('\n');
}

/** The error with which a limit refuses what is declared or called. */
async function codeOf({ what, run }: Limit): Promise<string> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof RowsmithError)) throw error;
    return error.code;
  }
  throw new Error(`${what} is not refused`);
}

test('each pair can be declared', () => {
  for (const pair of pairs)
    expect(() => buildModels(declare(featureSet(pair), 'pair').entities)).not.toThrow();
});

test('the table of the guide is what is refused', async () => {
  const codes: string[] = [];
  for (const limit of limits) codes.push(await codeOf(limit));
  const text = readFileSync(document, 'utf8');
  const [from, to] = [text.indexOf(begin) + begin.length, text.indexOf(end)];
  const expected = table(codes);
  if (process.env.UPDATE_GOLDEN === '1')
    writeFileSync(document, text.slice(0, from) + expected + text.slice(to));
  expect(readFileSync(document, 'utf8').slice(from)).toContain(`${expected}${end}\n`);
});
