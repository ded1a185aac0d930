/** The demo as a separate process, in a new directory. Checks its output. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '../../demo/step.js';
import { tour } from '../../demo/tour.js';
import { visitStudioOf } from '../support/studio-visit.js';

const root = join(__dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'rowsmith-demo-'));
afterAll(() => rmSync(folder, { recursive: true }));

function runDemo(directory: string): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', 'demo/main.ts', directory],
    {
      cwd: root,
      encoding: 'utf8',
      timeout: 500_000,
      env: { ...process.env, NODE_OPTIONS: undefined, FORCE_COLOR: undefined },
    },
  );
  return { status, output: `${stdout}${stderr}` };
}

test('an option that does not exist is refused, and is no directory', () => {
  const { status, output } = runDemo('--none');
  expect(status).not.toBe(0);
  expect(output).toContain("Unknown option '--none'");
});

/** Runs the demo until its studio answers, and ends it as Ctrl-C does. */
test('npm run demo -- --studio --no-open serves the data', async () => {
  const args = ['--import', 'tsx', 'demo/main.ts', '--studio', '--no-open'];
  const env = { ...process.env, NODE_OPTIONS: undefined };
  const child = spawn(process.execPath, [...args, join(folder, 'studio')], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { page, exit } = await visitStudioOf(child);
  expect(exit).toEqual([0, null]);
  expect(page).toMatchObject({ status: 200, scriptBytes: expect.any(Number) as number });
});

describe('npm run demo', () => {
  const { status, output } = runDemo(join(folder, 'data'));
  const lines = output.split('\n');

  test('succeeds and finds all data after the restart', () => {
    expect(output).toContain('All data is intact: counts and two whole rows are equal.');
    expect(status).toBe(0);
  });

  test.each([
    ['Departure', '20000'],
    ['RouteFlight', '20000'],
    ['Airport', '3376'],
    ['WeatherHour', '8759'],
    ['sum of counters', '20000'],
  ])('%s: %s rows before and after', (entity, count) => {
    expect(lines).toContainEqual(
      expect.stringMatching(new RegExp(`^ +${entity} +${count} +${count} +ok$`)),
    );
  });

  test('fits 100 columns and has no control characters if it is not a terminal', () => {
    expect(lines.filter((line) => line.length > 100)).toEqual([]);
    expect(/[\x00-\x09\x0b-\x1f]/.exec(output)).toBeNull();
  });

  test('shows every step with its code', () => {
    const source = readFileSync(join(root, 'demo/tour.ts'), 'utf8');
    for (const { headline } of tour) {
      expect(output).toContain(headline);
      for (const line of codeOf(source, headline))
        expect(lines).toContain(line === '' ? '' : `    ${line}`);
    }
  });

  test.each([
    ['ATL', 846],
    ['DFW', 1103],
    ['ORD', 1095],
    ['SEA', 339],
  ])('%s: the count and the counter are both %d', (iata, count) => {
    expect(lines).toContainEqual(
      expect.stringMatching(new RegExp(`^ {4}${iata} .* ${count} +${count}$`)),
    );
  });

  test('rejects a directory that is not empty, and leaves it unchanged', () => {
    writeFileSync(join(folder, 'mine.txt'), 'mine');
    const rejected = runDemo(folder);
    expect(rejected.status).not.toBe(0);
    expect(rejected.output).toContain('is not empty');
    expect(readFileSync(join(folder, 'mine.txt'), 'utf8')).toBe('mine');
  });
});
