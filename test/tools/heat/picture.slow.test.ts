/** Pictures in the terminal, as golden files. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { terminalPicture } from '../../../src/cli/commands/heatmap/terminal-picture.js';
import { styleFor } from '../../../src/cli/terminal/style.js';
import { collectAccess, heatGrid, KeyNames } from '../../../src/tools/heat/index.js';
import { heatTable } from '../../../src/tools/page/heat-table.js';
import { modelOf, workloads, writesOf } from './support/workloads.js';

/** The picture of a workload as text. */
function picture(name: string): string {
  const workload = workloads().find((each) => each.name === name)!;
  const { windowMs, tables } = collectAccess(writesOf(workload, 30));
  const names = new KeyNames(tables[0].table, [modelOf(workload)]);
  const table = heatTable(heatGrid(tables[0], windowMs)!, names);
  return terminalPicture(table, 'operations', 80, styleFor({ isTTY: false })).join('\n');
}

test.each([
  ['ms#device', 'sequential'],
  ['device#ms (5 devices)', 'five-devices'],
  ['one hot row + even', 'hot-row'],
])('the picture of %s', (name, golden) => {
  const path = join(__dirname, `golden/${golden}.txt`);
  const text = `${picture(name)}\n`;
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(path, text);
  expect(text).toBe(readFileSync(path, 'utf8'));
});
