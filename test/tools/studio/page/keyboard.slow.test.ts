/** The page without a pointer: every control is reached by Tab, and a whole visit by keys alone. */
import type { Page } from 'playwright-core';
import { entities, Order } from '../entities.js';
import { at, seedStudio } from '../seed-studio.js';
import {
  closeBrowser,
  describeInBrowser,
  goTo,
  gridRow,
  queryPlace,
  StudioInBrowser,
} from './support/browser.js';

const source = { kind: 'entity', entity: 'Order' };
const ofOslo = queryPlace({ source, fixed: [{ segment: 'shop', values: ['oslo'] }] });

/** The control that has the focus, also inside of shadow roots; whether that can be seen. */
const focused = `(() => {
  let one = document.activeElement;
  while (one?.shadowRoot?.activeElement) one = one.shadowRoot.activeElement;
  const seen = (each) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(each);
    return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
  };
  const host = one.getRootNode().host;
  const isMarked = seen(one) || (host !== undefined && seen(host));
  return { number: one.dataset.number ?? host?.dataset.number, html: one.outerHTML.slice(0, 160), isMarked };
})()`;

/** Numbers all controls; returns what they are. */
const numbered = `[...document.querySelectorAll(
  'a[href], button, input, select, summary, textarea, [tabindex="0"], .editor'
)]
  .filter((each) => !each.disabled && each.checkVisibility())
  .filter((each) => each.getAttribute('tabindex') !== '-1')
  .map((each, i) => {
    each.dataset.number = i;
    return each.outerHTML.slice(0, 160);
  })`;

interface Focused {
  readonly number: string | undefined;
  readonly html: string;
  readonly isMarked: boolean;
}

/** Presses Tab through the page once; returns the controls it missed, and those without a mark. */
async function missedByTab(page: Page): Promise<readonly string[]> {
  const controls = await page.evaluate<readonly string[]>(numbered);
  const reached = new Set<number>();
  const unmarked: string[] = [];
  await page.evaluate('document.activeElement?.blur()');
  for (let presses = 0; presses < 2 * controls.length + 20; presses++) {
    await page.keyboard.press('Tab');
    const { number, html, isMarked } = await page.evaluate<Focused>(focused);
    if (number === undefined) continue;
    if (reached.has(Number(number)) && reached.size === controls.length) break;
    if (!reached.has(Number(number)) && !isMarked) unmarked.push(`not marked: ${html}`);
    reached.add(Number(number));
  }
  return [...unmarked, ...controls.filter((_, i) => !reached.has(i))];
}

describeInBrowser('the page by keys alone', () => {
  let studio: StudioInBrowser;
  let page: Page;
  let key: string;
  beforeAll(async () => {
    studio = await StudioInBrowser.start('memory:', { entities, write: true });
    await seedStudio(studio.studio.db);
    const { model } = studio.studio.db.repository(Order);
    key = Buffer.from(model.key.encode({ shop: 'oslo', at: at(10), n: 1 })).toString('base64');
    page = await studio.open();
  });
  afterAll(async () => {
    await closeBrowser();
    await studio.close();
  });
  afterEach(() => expect(studio.complaints).toEqual([]));

  const clipboard = (): Promise<string> => page.evaluate('navigator.clipboard.readText()');

  /** Presses Tab until a control has the focus. */
  async function tabTo(name: RegExp): Promise<void> {
    for (let presses = 0; presses < 120; presses++) {
      await page.keyboard.press('Tab');
      const { html } = await page.evaluate<Focused>(focused);
      if (name.test(html)) return;
    }
    throw new Error(`Tab does not reach ${name.source}`);
  }

  async function choose(words: string): Promise<void> {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to' }).waitFor();
    await page.keyboard.type(words);
    await page.keyboard.press('Enter');
  }

  test.each([
    ['tables', '#/', 'Measure again'],
    ['a query', ofOslo, 'Read'],
    ['schema', '#/schema?entity=Order', 'no drift'],
    ['findings', '#/findings', 'findings in the declarations'],
    ['garbage collection', '#/garbage?of=shop', 'due now'],
    ['derived rows', '#/derived', 'byStatus'],
    ['stored rows', '#/stored?of=shop', 'order#oslo'],
    ['an insert', '#/insert?entity=Order', 'fill in'],
    ['an import', '#/import?entity=Order', 'Rows of Order'],
  ])('Tab reaches every control of %s, and each shows its focus', async (_, place, text) => {
    await goTo(page, place);
    await page.locator('main').getByText(text).first().waitFor();
    expect(await missedByTab(page)).toEqual([]);
  });

  test.each(['Values', 'Cells', 'Key', 'Edit', 'Delete'])(
    'Tab reaches every control of a row: %s',
    async (tab) => {
      await goTo(page, `#/row?${new URLSearchParams({ table: 'shop', key }).toString()}`);
      await page.getByRole('tab', { name: tab }).click();
      if (tab === 'Edit') await page.getByRole('textbox', { name: 'parcel' }).waitFor();
      if (tab === 'Cells') await page.getByText('m:parcel').waitFor();
      expect(await missedByTab(page)).toEqual([]);
    },
  );

  test('a visit: the palette, the form, the table, a row, and copies of it', async () => {
    await goTo(page, '#/');
    await choose('order rows');
    await page.getByRole('heading', { name: 'Order' }).waitFor();
    await tabTo(/id="segment-shop-0"/);
    await page.keyboard.type('os');
    await page.getByRole('option', { name: 'oslo', exact: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.getByText('4 rows', { exact: true }).waitFor();
    await tabTo(/role="tab".*Rows/);
    await page.keyboard.press('ArrowRight');
    await page.locator('.space-range').first().waitFor();
    await page.keyboard.press('ArrowLeft');
    await gridRow(page, 0);
    await tabTo(/role="grid"/);
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Home');
    await page.keyboard.press('Control+c');
    await page.getByText('Copied the cell').waitFor();
    expect(await clipboard()).toBe('oslo');
    await page.keyboard.press('Enter');
    const panel = page.getByRole('complementary', { name: 'Row' });
    await panel.getByText('fragile').waitFor();
    for (const [name, copied] of [
      ['TypeScript', /repository\(Order\)/],
      ['JSON', /"total": "9007199254740993"/],
      ['cbt', /^cbt .*lookup/],
    ] as const) {
      await tabTo(new RegExp(`^<button[^>]*>${name}<`));
      if (name === 'TypeScript')
        await panel.getByRole('button', { name, disabled: false }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByText(/^Copied the (row|cbt)/).waitFor();
      expect(await clipboard()).toMatch(copied);
    }
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    expect((await page.evaluate<Focused>(focused)).html).toContain('role="grid"');
  });

  test('the palette copies the query as TypeScript, cbt and JSON', async () => {
    await goTo(page, ofOslo);
    await gridRow(page, 0);
    for (const [language, copied] of [
      ['TypeScript', /\.prefix\(\{ shop: 'oslo' \}\)/],
      ['cbt', /^cbt .*read shop/],
      ['JSON', /"segment": "shop"/],
    ] as const) {
      await choose(`copy ${language}`);
      await page.getByText(`Copied the query as ${language}`).waitFor();
      expect(await clipboard()).toMatch(copied);
    }
  });

  test('a value is edited, a conflict is solved, and a row deleted', async () => {
    await goTo(page, `#/row?${new URLSearchParams({ table: 'shop', key }).toString()}`);
    await page.getByRole('tab', { name: 'Values' }).waitFor();
    await tabTo(/role="tab".*Values/);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.getByRole('tabpanel', { name: 'Edit' }).waitFor();
    await tabTo(/aria-label="status"/);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('sent');
    const orders = studio.studio.db.repository(Order);
    await orders.patch({ shop: 'oslo', at: at(10), n: 1 }, { status: 'lost' });
    await page.getByRole('button', { name: 'Save 1 change' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('The row was changed meanwhile.').waitFor();
    await tabTo(/Write mine over it/);
    await page.keyboard.press('Enter');
    await page.getByText('Saved 1 change').waitFor();
    expect((await orders.get({ shop: 'oslo', at: at(10), n: 1 }))?.status).toBe('sent');
    await tabTo(/role="tab".*Edit/);
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tabpanel', { name: 'Delete' }).waitFor();
    await tabTo(/Delete this row/);
    await page.keyboard.press('Enter');
    await page.getByText('This row has no cells any more').waitFor();
  });

  test('in a narrow window a row covers the table, takes the focus and gives it back', async () => {
    const narrow = await studio.open(ofOslo, { viewport: { width: 680, height: 425 } });
    await gridRow(narrow, 0);
    const grid = narrow.getByRole('grid');
    await grid.focus();
    await narrow.keyboard.press('Enter');
    const panel = narrow.getByRole('complementary', { name: 'Row' });
    await panel.waitFor();
    expect(await grid.isVisible()).toBe(false);
    expect((await narrow.evaluate<Focused>(focused)).html).toContain('row-panel');
    await narrow.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await narrow.waitForFunction("document.activeElement.getAttribute('role') === 'grid'");
    await narrow.close();
  });
});
