/** The page with values that attack it, that are huge, or that nothing decodes; and without its server. */
import type { Page } from 'playwright-core';
import { Blob, Order, entities } from '../entities.js';
import { at } from '../seed-studio.js';
import {
  axeViolations,
  closeBrowser,
  describeInBrowser,
  goTo,
  gridRow,
  queryPlace,
  StudioInBrowser,
} from './support/browser.js';

/** The value of a segment: it ends after 40 characters. */
const element = '<img src=x onerror=alert(1)>';
const script = '<img src=x onerror="alert(1)"><script>alert(2)</script>';
const turned = `admin\u202e\u0000\u200btxt.exe`;
const mega = 1 << 20;

const ofShop = (shop: string): string =>
  queryPlace({
    source: { kind: 'entity', entity: 'Order' },
    fixed: [{ segment: 'shop', values: [shop] }],
  });

describeInBrowser('the page with bad data', () => {
  let studio: StudioInBrowser;
  let page: Page;
  beforeAll(async () => {
    studio = await StudioInBrowser.start('memory:', { entities, write: true });
    const { db } = studio.studio;
    const orders = db.repository(Order);
    await orders.save(orders.create({ shop: element, at: at(1), n: 1, status: script }));
    const tags = new Map([
      ['__proto__', 'polluted'],
      [script, turned],
    ]);
    const extra = { constructor: script, html: [script] };
    await orders.save(orders.create({ shop: 'bad', at: at(2), n: 1, status: turned, tags, extra }));
    const photo = new Uint8Array(50 * mega).fill(7);
    await orders.save(orders.create({ shop: 'large', at: at(3), n: 1, photo }));
    await putManyCells(studio);
    const blobs = db.repository(Blob);
    await blobs.save(
      blobs.create({ hash: Uint8Array.of(0, 0xff, 0x3c), part: -5n, content: Uint8Array.of(7) }),
    );
    await putForeign(studio);
    page = await studio.open();
  });
  afterAll(async () => {
    await closeBrowser();
    await studio.close();
  });
  afterEach(() => expect(studio.complaints).toEqual([]));

  test('markup is text, and what hides is written out', async () => {
    await goTo(page, ofShop('bad'));
    const cells = await gridRow(page, 0);
    expect(cells).toContain('admin\\u202e\\u0000\\u200btxt.exe');
    await page.locator('.grid-body [role=row]').first().click();
    const values = page.getByRole('tabpanel', { name: 'Values' });
    await values.getByText('__proto__').waitFor();
    expect(await values.textContent()).toContain(script);
    await goTo(page, ofShop(element));
    expect((await gridRow(page, 0))[0]).toBe(element);
    await page.locator('.grid-body [role=row]').first().click();
    await page.locator('.key-bytes').waitFor();
    for (const tab of ['Cells', 'Key', 'Edit', 'Delete']) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByRole('tabpanel', { name: tab }).waitFor();
    }
    await goTo(page, '#/stored?of=shop');
    await page.getByText('Stored rows of shop').waitFor();
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(await page.evaluate('({}).polluted')).toBeUndefined();
  });

  test('an address that means nothing leads to the tables', async () => {
    for (const place of ['#/query?q=%7B', '#/query?q=null', '#/nothing', '#/row?table=shop']) {
      await goTo(page, place);
      await page.getByRole('heading', { level: 1 }).waitFor();
    }
    await goTo(page, queryPlace({ source: { kind: 'entity', entity: script } }));
    await page.getByText('The project declares nothing of this name.').waitFor();
    await goTo(page, `#/row?${new URLSearchParams({ table: 'gone', key: 'AA==' }).toString()}`);
    await page.getByRole('alert').waitFor();
  });

  test('a value of 50 MB is shown in part, and the page stays usable', async () => {
    await goTo(page, ofShop('large'));
    await gridRow(page, 0);
    await page.locator('.grid-body [role=row]').first().click();
    const values = page.getByRole('tabpanel', { name: 'Values' });
    await values.getByText(/^0 to 65,536 of 52,428,800 bytes/).waitFor();
    await values.getByRole('button', { name: 'Next' }).click();
    await values.getByText(/^65,536 to 131,072 of 52,428,800 bytes/).waitFor();
    await page.getByRole('tab', { name: 'Cells' }).click();
    await page
      .getByRole('row', { name: /m:photo/ })
      .getByRole('button')
      .click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download 52.4 MB' }).click();
    await (await downloading).path();
  });

  test('a row of 100,000 cells is shown in part', async () => {
    await goTo(page, ofShop('wide'));
    await gridRow(page, 0);
    await page.locator('.grid-body [role=row]').first().click();
    await page.getByText('0 to 1,000 of 100,000 entries').waitFor();
    await page.getByRole('tab', { name: 'Cells' }).click();
    await page.getByRole('button', { name: '500 cells shown: next 500' }).click();
    await page.getByRole('button', { name: '1,000 cells shown: next 500' }).waitFor();
  });

  test('a key that is no text is shown by its bytes', async () => {
    await goTo(page, queryPlace({ source: { kind: 'entity', entity: 'Blob' } }));
    expect((await gridRow(page, 0)).slice(0, 2)).toEqual(['0x00ff3c', '-5']);
    await page.getByLabel('hash', { exact: true }).fill('0x00ff3c');
    await page.getByLabel('hash', { exact: true }).press('Enter');
    await page.getByText('1 row', { exact: true }).waitFor();
  });

  test('rows that no entity decodes are shown, with the reason', async () => {
    await goTo(page, '#/stored?of=shop&undecodable=yes');
    const row = page.getByRole('row', { name: /other-row/ });
    expect(await row.textContent()).toMatch(/not decoded.*Order: /);
    await row.getByRole('link').click();
    const panel = page.getByRole('complementary', { name: 'Row' });
    await panel.getByText('Not decoded.').waitFor();
    await panel.getByText('m:what').waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });

  test('a lost connection is told, and what was read stays', async () => {
    const other = await StudioInBrowser.start('memory:', { entities, write: true });
    const orders = other.studio.db.repository(Order);
    await orders.save(orders.create({ shop: 'oslo', at: at(1), n: 1, status: 'open' }));
    const lone = await other.open(queryPlace({ source: { kind: 'entity', entity: 'Order' } }));
    await gridRow(lone, 0);
    await other.close();
    await lone.locator('.grid-body [role=row]').first().click();
    await lone.getByText('The connection to the studio is lost.').waitFor();
    expect((await gridRow(lone, 0))[0]).toBe('oslo');
    expect(await axeViolations(lone)).toEqual([]);
    await lone.context().close();
  });
});

/** A row with a key and a cell that no entity has. */
async function putForeign({ studio: { db } }: StudioInBrowser): Promise<void> {
  const cell = {
    kind: 'setCell',
    family: 'm',
    qualifier: Buffer.from('what'),
    timestamp: 1_000,
    value: Buffer.from(script),
  } as const;
  await db.engine.mutateRow('shop', { key: Buffer.from('other-row'), mutations: [cell] });
}

/** A row of 100,000 cells, in two requests: one has fewer. */
async function putManyCells({ studio: { db } }: StudioInBrowser): Promise<void> {
  const key = db.repository(Order).model.key.encode({ shop: 'wide', at: at(4), n: 1 });
  for (const first of [100_000, 150_000]) {
    const mutations = Array.from({ length: 50_000 }, (_, i) => ({
      kind: 'setCell' as const,
      family: 't',
      qualifier: Buffer.from(`t${first + i}`),
      timestamp: 1_000,
      value: Buffer.from(String(i)),
    }));
    await db.engine.mutateRow('shop', { key, mutations });
  }
}
