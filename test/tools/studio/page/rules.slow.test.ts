/**
 * Every view passes the rules of WCAG 2.2 AA, in light at the usual size and in dark at 200 %, where
 * nothing is wider than the window.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { recordAccess } from '../../../../src/tools/index.js';
import { defineWorkload } from '../../../../src/cli/define-config.js';
import { Account, entities, Order } from '../entities.js';
import { at, seedStudio } from '../seed-studio.js';
import {
  axeViolations,
  closeBrowser,
  describeInBrowser,
  goTo,
  queryPlace,
  StudioInBrowser,
} from './support/browser.js';
import { open } from '../../../../src/index.js';

const entity = { kind: 'entity', entity: 'Order' };
const oslo = { source: entity, fixed: [{ segment: 'shop', values: ['oslo'] }] };
const folder = mkdtempSync(join(tmpdir(), 'rowsmith-studio-rules-'));

/** Records some accesses, for the heat map. */
async function recordSome(): Promise<string> {
  const file = join(folder, 'access.heat');
  await using recorder = recordAccess({ file });
  await using db = await open('memory:', { entities, observe: { record: recorder }, lint: false });
  await seedStudio(db);
  return file;
}

const accounts = defineWorkload(Account, {
  rows: 1_000,
  writesPerSecond: 1,
  segments: { id: { cardinality: 2_000, value: (n) => 'a'.repeat(10) + letters(n) } },
});

/** A number in letters, of the same length. */
function letters(n: number): string {
  const digits = n.toString().padStart(6, '0');
  return digits.replace(/\d/g, (digit) => 'abcdefghij'[Number(digit)]);
}

type Act = (page: Page) => Promise<void>;

const openRow: Act = async (page) => {
  await page.locator('.grid-body [role=row]').nth(3).click();
  await page.getByText('fragile').last().waitFor();
};
const tab =
  (name: string): Act =>
  async (page) => {
    await page.getByRole('tab', { name }).click();
    await page.getByRole('tabpanel', { name }).waitFor();
  };
const inRow =
  (...acts: readonly Act[]): Act =>
  async (page) => {
    await openRow(page);
    for (const act of acts) await act(page);
  };

type View = readonly [name: string, place: string, text: string, act?: Act];

const views: readonly View[] = [
  ['tables', '#/', 'Measure again'],
  ['a query', queryPlace(oslo), '4 rows'],
  ['a row', queryPlace(oslo), '4 rows', openRow],
  ['cells of a row', queryPlace(oslo), '4 rows', inRow(tab('Cells'))],
  ['the key of a row', queryPlace(oslo), '4 rows', inRow(tab('Key'))],
  [
    'an edit with a mistake',
    queryPlace(oslo),
    '4 rows',
    inRow(tab('Edit'), async (page) => {
      await page.getByRole('textbox', { name: 'total' }).fill('many');
      await page.getByText('Type a whole number').waitFor();
    }),
  ],
  ['a deletion', queryPlace(oslo), '4 rows', inRow(tab('Delete'))],
  [
    'a plan that was run',
    queryPlace({ ...oslo, where: [{ property: 'status', test: 'equals', value: 'open' }] }),
    '2 rows',
    async (page) => {
      await tab('Plan')(page);
      await page.getByRole('button', { name: 'Run and count' }).click();
      await page.locator('.figures').waitFor();
    },
  ],
  ['an export', queryPlace(oslo), '4 rows', tab('Export')],
  [
    'a query that finds nothing',
    queryPlace({ ...oslo, fixed: [{ segment: 'shop', values: ['x'] }] }),
    'No rows.',
  ],
  [
    'a pattern to fill in',
    queryPlace({ source: { kind: 'pattern', entity: 'Order', pattern: 'newest' } }),
    'This form needs values.',
  ],
  [
    'a query that cannot be run',
    queryPlace({ ...oslo, bound: { kind: 'between', segment: 'at', from: 'x', to: 'y' } }),
    'This query cannot be run as it is.',
  ],
  [
    'a range without its ends',
    queryPlace({ ...oslo, bound: { kind: 'between', segment: 'at' } }),
    'at: The range has no value, or a segment before it has none, then press Enter.',
  ],
  [
    'a bound without its value',
    queryPlace({ ...oslo, bound: { kind: 'since', segment: 'at' } }),
    'This query cannot be run as it is.',
  ],
  [
    'an index',
    queryPlace({ source: { kind: 'index', entity: 'Order', index: 'byStatus' } }),
    '5 rows',
  ],
  [
    'a rollup',
    queryPlace({ source: { kind: 'rollup', entity: 'Order', rollup: 'daily' } }),
    '2 rows',
  ],
  [
    'a collection',
    queryPlace({ source: { kind: 'collection', entities: ['Device', 'Reading'] } }),
    '3 rows',
  ],
  [
    'a source that is not declared',
    queryPlace({ source: { kind: 'entity', entity: 'Nothing' } }),
    'declares nothing of this name',
  ],
  ['a row of a table that is gone', '#/row?table=gone&key=AA%3D%3D', 'The table does not exist.'],
  ['the schema', '#/schema?entity=Order', 'no drift'],
  ['findings', '#/findings', 'findings in the declarations'],
  ['garbage collection without a table', '#/garbage', 'Choose a table.'],
  ['garbage collection', '#/garbage?of=shop', 'due now'],
  [
    'derived rows that are verified',
    '#/derived',
    'byStatus',
    async (page) => {
      await page.getByRole('button', { name: 'Verify' }).first().click();
      await page.getByText('clean', { exact: true }).waitFor();
    },
  ],
  ['stored rows', '#/stored?of=shop', 'order#oslo'],
  ['stored rows that nothing decodes', '#/stored?of=shop&undecodable=yes', 'Show all rows'],
  ['an insert', '#/insert?entity=Order', 'fill in shop, at, n'],
  ['an import', '#/import?entity=Order', 'Rows of Order'],
  [
    'the heat map',
    '#/heat',
    'access.heat',
    async (page) => {
      await page.locator('canvas.picture').waitFor();
    },
  ],
  [
    'a simulation',
    '#/simulate',
    'Simulate 1,000 rows',
    async (page) => {
      await page.getByRole('spinbutton', { name: 'minutes' }).fill('2');
      await page.getByRole('button', { name: 'Simulate 1,000 rows' }).click();
      await page.locator('canvas.picture').waitFor({ timeout: 60_000 });
    },
  ],
  [
    'the palette',
    '#/',
    'Measure again',
    async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('option').first().waitFor();
    },
  ],
  [
    'a name that the palette does not know',
    '#/',
    'Measure again',
    async (page) => {
      await page.keyboard.press('Control+k');
      await page.keyboard.type('zzz');
      await page.getByText('Nothing has this name.').waitFor();
    },
  ],
];

const named = views.map(([name, place, text, act]) => ({ name, place, text, act }));

describeInBrowser('the rules of WCAG AA', () => {
  let studio: StudioInBrowser;
  const pages: Page[] = [];
  beforeAll(async () => {
    const recording = await recordSome();
    studio = await StudioInBrowser.start('memory:', {
      entities,
      write: true,
      recording,
      workloads: [accounts],
    });
    await seedStudio(studio.studio.db);
    pages.push(await studio.open('#/', { colorScheme: 'light' }));
    // Half the size of a window is what a zoom of 200 % leaves.
    const viewport = { width: 640, height: 400 };
    pages.push(await studio.open('#/', { colorScheme: 'dark', viewport }));
  });
  afterAll(async () => {
    await closeBrowser();
    await studio.close();
    rmSync(folder, { recursive: true });
  });
  afterEach(() => expect(studio.complaints).toEqual([]));

  async function check(page: Page): Promise<void> {
    expect(await axeViolations(page)).toEqual([]);
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
  }

  test.each(named)('$name, light, and dark at 200 %', async ({ place, text, act }) => {
    for (const page of pages) {
      await goTo(page, place);
      await page.locator('main').getByText(text).first().waitFor();
      await act?.(page);
      await check(page);
    }
  });

  test('what breaks the rules is found', async () => {
    const page = await studio.open('#/');
    await page.evaluate(`{
      const faint = document.createElement('p');
      faint.style.cssText = 'color: #ccc; background: #fff';
      faint.textContent = 'faint';
      const others = [document.createElement('img'), document.createElement('button')];
      document.querySelector('main').replaceChildren(faint, ...others);
    }`);
    const found = (await axeViolations(page)).map((text) => text.replace(/:.*/s, ''));
    expect(found).toEqual(expect.arrayContaining(['image-alt', 'color-contrast', 'button-name']));
    await page.context().close();
  });

  test('a conflict', async () => {
    const { db } = studio.studio;
    const key = { shop: 'rome', at: at(9), n: 7 };
    const place = new URLSearchParams({
      table: 'shop',
      key: Buffer.from(db.repository(Order).model.key.encode(key)).toString('base64'),
    });
    for (const [i, page] of pages.entries()) {
      await goTo(page, `#/row?${place.toString()}`);
      await tab('Edit')(page);
      await page.getByLabel('status', { exact: true }).fill('mine');
      await db.repository(Order).patch(key, { status: `other ${i}` });
      await page.getByRole('button', { name: 'Save 1 change' }).click();
      await page.getByText('The row was changed meanwhile.').waitFor();
      await check(page);
    }
  });

  test('tables that are not created, and nothing recorded', async () => {
    const empty = await StudioInBrowser.start('memory:', { entities });
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await empty.open('#/', { colorScheme });
      await page.getByText('not created').first().waitFor();
      await check(page);
      await goTo(page, queryPlace({ source: entity }));
      await page.getByText('The table does not exist.').waitFor();
      await check(page);
      await goTo(page, '#/heat');
      await page.getByText('No recording.').waitFor();
      await check(page);
      await goTo(page, '#/simulate');
      await page.getByText('No workload.').waitFor();
      await check(page);
      await page.close();
    }
    await empty.close();
    expect(empty.complaints).toEqual([]);
  });
});
