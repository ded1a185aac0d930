/**
 * The table in docs/live.md has the guarantees of the conformance kit that Google's emulator does not keep.
 * UPDATE_GOLDEN=1 updates it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conformanceCases } from '../engines/conformance.js';
import { emulatorDeviations } from '../engines/bigtable/emulator-deviations.js';

const document = join(__dirname, '../../docs/live.md');
const begin = '<!-- kit: written by UPDATE_GOLDEN=1 npx jest test/docs/live -->\n';
const end = '<!-- end of kit -->';

const guarantees = conformanceCases.map(({ title }) => title);

function table(): string {
  const rows = guarantees.flatMap((title) => {
    const [ids] = title.split(':');
    const deviation = emulatorDeviations[title] ?? emulatorDeviations[ids];
    if (deviation === undefined) return [];
    return [`| ${title} | ${typeof deviation === 'string' ? deviation : deviation.byChance} |`];
  });
  return ["| Guarantee | Google's emulator |", '|---|---|', ...rows, ''].join('\n');
}

test('the table of live.md matches the kit', () => {
  const text = readFileSync(document, 'utf8');
  const [from, to] = [text.indexOf(begin) + begin.length, text.indexOf(end)];
  if (process.env.UPDATE_GOLDEN === '1')
    writeFileSync(document, text.slice(0, from) + table() + text.slice(to));
  expect(guarantees.length).toBeGreaterThan(20);
  expect(readFileSync(document, 'utf8').slice(from)).toBe(`${table()}${end}\n`);
});
