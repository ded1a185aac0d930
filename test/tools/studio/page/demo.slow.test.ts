/** The page on the demo's database: looking at flights, as a new user would. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { entities } from '../../../../demo/entities.js';
import { departures } from '../../../../demo/workload.js';
import {
  axeViolations,
  closeBrowser,
  describeInBrowser,
  goTo,
  gridRow,
  queryPlace,
  StudioInBrowser,
} from './support/browser.js';

const root = join(__dirname, '../../../..');
const folder = mkdtempSync(join(tmpdir(), 'rowsmith-studio-demo-'));
const data = join(folder, 'data');

/** Loads the demo's rows, and the history of one flight. */
function loadDemo(): void {
  const program = ['--import', 'tsx', 'demo/main.ts', data];
  const env = { ...process.env, NODE_OPTIONS: undefined };
  const { status, stderr } = spawnSync(process.execPath, program, {
    cwd: root,
    env,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
}

const source = { kind: 'entity', entity: 'Departure' };
const ofAirport = (origin: string): string =>
  queryPlace({ source, fixed: [{ segment: 'origin', values: [origin] }] });
/** The flight with a history. */
const delayed = queryPlace({
  source,
  fixed: [
    { segment: 'origin', values: ['MEM'] },
    { segment: 'at', values: ['2001-03-31T12:32:00.000Z'] },
  ],
});

describeInBrowser('the page on the data of the demo', () => {
  let studio: StudioInBrowser;
  let page: Page;
  beforeAll(async () => {
    loadDemo();
    studio = await StudioInBrowser.start(`file:${data}`, {
      entities,
      workloads: [departures],
    });
    page = await studio.open();
  });
  afterAll(async () => {
    await closeBrowser();
    await studio.close();
    rmSync(folder, { recursive: true });
  });
  afterEach(() => expect(studio.complaints).toEqual([]));

  test('shows tables, entities with their rows, and that nothing can be changed', async () => {
    await goTo(page, '#/');
    const card = page.getByRole('article', { name: 'Table travel' });
    await card
      .getByText(/^~?[\d,]+ rows$/)
      .nth(3)
      .waitFor();
    expect(await card.getByRole('link').allTextContents()).toEqual([
      ...['Departure', 'RouteFlight', 'Airport', 'WeatherHour'],
      ...['Stored rows', 'Garbage collection'],
    ]);
    expect(await card.textContent()).toContain('dep / origin / at / destination / nth');
    expect(await page.getByRole('banner').textContent()).toContain('read-only');
    await page.getByText('read-only').click();
    await page.getByText('start rowsmith studio --write').waitFor();
  });

  test('finds the newest flights of an airport by the form', async () => {
    await goTo(page, '#/');
    await page
      .getByRole('navigation', { name: 'Database' })
      .getByRole('link', { name: /^Departure/ })
      .click();
    const [origin, at] = [
      page.getByLabel('origin', { exact: true }),
      page.getByLabel('at', { exact: true }),
    ];
    expect(await at.isDisabled()).toBe(true);
    await origin.fill('SE');
    await page.getByRole('option', { name: 'SEA' }).waitFor();
    await origin.press('ArrowDown');
    await origin.press('Enter');
    expect(await origin.inputValue()).toBe('SEA');
    expect(await at.isEnabled()).toBe(true);
    await page.getByLabel('limit').fill('5');
    await page.getByLabel('limit').press('Enter');
    await page.getByText('5 rows', { exact: true }).waitFor();
    expect(await gridRow(page, 0)).toEqual([
      ...['SEA', '2001-03-31 07:56:00', 'JFK', '0', '-12'],
      ...['2421', '-12', 'Early', ''],
    ]);
    const code = page.getByRole('region', { name: 'Query as TypeScript' });
    // The text follows the form after a pause in typing.
    await code.filter({ hasText: /prefix\(\{ origin: 'SEA' \}\)\s*\.limit\(5\)/ }).waitFor();
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByText('Copied the query as TypeScript').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await code.textContent());
    expect(await axeViolations(page)).toEqual([]);
  });

  test('a bound, a condition and an order narrow it, and the address keeps them', async () => {
    await goTo(page, ofAirport('SEA'));
    await page.getByLabel('How at is bounded').selectOption('between');
    await page.getByLabel('at from').fill('2001-01-02');
    await page.getByLabel('at to, exclusive').fill('2001-02-01 00:00');
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByLabel('Property of the condition').selectOption('delay');
    await page.getByLabel('Test of delay').selectOption('above');
    await page.getByLabel('Value that delay is compared with').fill('60');
    await page.getByLabel('reverse').check();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.locator('.count:not([data-rows="0"])').waitFor();
    const first = await gridRow(page, 0);
    expect(first[1]).toMatch(/^2001-01-/);
    expect(Number(first[4])).toBeGreaterThan(60);
    const count = await page.locator('.count').textContent();
    const other = await studio.open(page.url().replace(/^[^#]*/, ''));
    await other.getByText(count ?? '', { exact: true }).waitFor();
    expect(await gridRow(other, 0)).toEqual(first);
    expect(await other.getByLabel('at from').inputValue()).toBe('2001-01-02 00:00:00');
    await other.close();
  });

  test('arrows move in the table and open rows, whose packed message is unfolded', async () => {
    await goTo(page, ofAirport('SEA'));
    await gridRow(page, 0);
    const grid = page.getByRole('grid');
    await grid.focus();
    await grid.press('ArrowDown');
    await grid.press('ArrowRight');
    expect(await grid.getAttribute('aria-activedescendant')).toBe('cell-1-1');
    await grid.press('Control+c');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('2001-03-30 14:45:00');
    await grid.press('Enter');
    const panel = page.getByRole('complementary', { name: 'Row' });
    const values = panel.getByRole('tabpanel', { name: 'Values' });
    await values.getByText('delayMinutes').waitFor();
    expect(await values.textContent()).toMatch(
      /leg.*miles.*671.*delayMinutes.*-2.*punctuality.*Early/s,
    );
    expect(await panel.locator('.key-bytes').textContent()).toMatch(/^dep#SEA#\d+#OAK#0$/);
    await panel.getByRole('button', { name: 'cbt' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^cbt .*lookup/);
    expect(await axeViolations(page)).toEqual([]);
    await grid.press('ArrowDown');
    await panel.getByText('2001-03-30 09:16:00').first().waitFor();
    await panel.getByRole('button', { name: 'Close the row' }).click();
    await panel.waitFor({ state: 'detached' });
  });

  test('shows the history of a cell, and a row as it was', async () => {
    await goTo(page, delayed);
    await page.locator('.grid-body [role=row]').first().click();
    const panel = page.getByRole('complementary', { name: 'Row' });
    const versions = panel.locator('table.versions');
    await versions.waitFor();
    expect(await versions.locator('caption').textContent()).toMatch(/^\d+ versions, newest first$/);
    const posted = await versions.locator('td').allTextContents();
    expect(posted.length).toBeGreaterThan(2);
    await panel.getByRole('tab', { name: 'Cells' }).click();
    await panel
      .locator('tbody tr', { hasText: 'posted:' })
      .nth(posted.length - 1)
      .waitFor();
    await page.getByLabel('as of').fill('2001-03-31 13:30');
    await page.getByLabel('as of').press('Enter');
    await page.getByText('1 row', { exact: true }).waitFor();
    const [newest] = (await gridRow(page, 0)).slice(-1);
    expect(posted).toContain(newest);
    expect(newest).not.toBe(posted[0]);
  });

  test('shows times in another zone, and reads them in it', async () => {
    await goTo(page, ofAirport('SEA'));
    await gridRow(page, 0);
    await page.getByLabel('times in').selectOption('America/New_York');
    await page.getByText('2001-03-31 02:56:00').waitFor();
    await page.getByLabel('at', { exact: true }).fill('2001-03-31 02:56');
    await page.getByLabel('at', { exact: true }).press('Enter');
    await page.getByText('1 row', { exact: true }).waitFor();
    await page.getByLabel('times in').selectOption('UTC');
    expect((await gridRow(page, 0))[1]).toBe('2001-03-31 07:56:00');
  });

  test('explains a query: its ranges in the key space, and what is thrown away', async () => {
    await goTo(
      page,
      queryPlace({ source, where: [{ property: 'delay', test: 'above', value: 300 }] }),
    );
    await page.getByText('This reads every row.').waitFor();
    await page.getByRole('tab', { name: 'Plan' }).click();
    await page.locator('.space-range').first().waitFor();
    await page.getByRole('button', { name: 'Run and count' }).click();
    await page.getByRole('button', { name: /^Read .* rows$/ }).click();
    await page.locator('.figures').waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });

  test('simulates the workload until it is stopped', async () => {
    await goTo(page, '#/');
    await page.getByRole('link', { name: 'Simulation' }).click();
    const simulate = page.getByRole('button', { name: 'Simulate 400,000,000 rows' });
    await simulate.click();
    await page.getByRole('progressbar').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped.').waitFor();
    expect(await simulate.isEnabled()).toBe(true);
  });

  test('the palette leads everywhere by keys', async () => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type('airport schema');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Schema' }).waitFor();
    expect(await page.getByRole('cell', { name: 'demo.Place, packed' }).count()).toBe(1);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('option').first().waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
  });

  test.each([
    ['#/', 'Measure again'],
    ['#/schema?entity=Airport', 'no drift'],
    ['#/findings', 'Findings'],
    ['#/garbage?of=travel', 'due now'],
    ['#/derived', 'No indexes, rollups or copies.'],
    ['#/stored?of=travel&prefix=airport%2300', 'airport#00M'],
  ])('%s passes the rules of WCAG AA, light and dark, and at 200 %%', async (place, text) => {
    await goTo(page, place);
    await page.getByText(text).first().waitFor();
    expect(await axeViolations(page)).toEqual([]);
    // Half the size of a window is what a zoom of 200 % leaves.
    await page.setViewportSize({ width: 680, height: 425 });
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await axeViolations(page)).toEqual([]);
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 1360, height: 850 });
    await page.emulateMedia({ colorScheme: 'light' });
  });

  test('is dark if the system is, or by its switch', async () => {
    const background = 'getComputedStyle(document.body).backgroundColor';
    const light = await page.evaluate(background);
    const other = await studio.open('#/', { colorScheme: 'dark' });
    const dark = await other.evaluate(background);
    expect(dark).not.toBe(light);
    await other.getByRole('button', { name: 'Colours: system' }).click();
    expect(await other.evaluate(background)).toBe(light);
    await other.getByRole('button', { name: 'Colours: light' }).click();
    expect(await other.evaluate(background)).toBe(dark);
    await goTo(other, ofAirport('SEA'));
    await gridRow(other, 0);
    await other.locator('.grid-body [role=row]').first().click();
    await other.getByText('delayMinutes', { exact: true }).waitFor();
    expect(await other.evaluate(background)).toBe(dark);
    expect(await axeViolations(other)).toEqual([]);
  });
});
