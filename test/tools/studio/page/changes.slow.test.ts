/** The page with --write: editing, conflicts, inserting, deleting, and files. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { entities, Account, Order, Reading } from '../entities.js';
import { at, seedStudio } from '../seed-studio.js';
import {
  axeViolations,
  closeBrowser,
  describeInBrowser,
  goTo,
  gridRow,
  queryPlace,
  StudioInBrowser,
} from './support/browser.js';

const entityPlace = (entity: string): string => queryPlace({ source: { kind: 'entity', entity } });

describeInBrowser('the page with --write', () => {
  let studio: StudioInBrowser;
  let page: Page;
  beforeAll(async () => {
    studio = await StudioInBrowser.start('memory:', { entities, write: true });
    await seedStudio(studio.studio.db);
    page = await studio.open();
  });
  afterAll(async () => {
    await closeBrowser();
    await studio.close();
  });
  afterEach(() => expect(studio.complaints).toEqual([]));

  const order = { shop: 'oslo', at: at(10), n: 1 };

  /** Opens the row of an order, and its tab for editing. */
  async function editOrder(n = 10): Promise<void> {
    const { table, key } = nameOf(n);
    await goTo(page, `#/row?${new URLSearchParams({ table, key }).toString()}`);
    await page.getByRole('tab', { name: 'Edit' }).click();
    await page.getByLabel('status', { exact: true }).waitFor();
  }

  const segment = (name: string) => page.getByRole('combobox', { name, exact: true });

  function nameOf(hour: number): { table: string; key: string } {
    const { model } = studio.studio.db.repository(Order);
    const key = Buffer.from(model.key.encode({ ...order, at: at(hour) })).toString('base64');
    return { table: 'shop', key };
  }

  test('shows that changes are allowed', async () => {
    await page.getByText('changes allowed').waitFor();
    await goTo(page, entityPlace('Order'));
    await gridRow(page, 0);
    expect(await axeViolations(page)).toEqual([]);
  });

  test('shows integers, bytes and messages exactly', async () => {
    const { table, key } = nameOf(10);
    await goTo(page, `#/row?${new URLSearchParams({ table, key }).toString()}`);
    const values = page.getByRole('tabpanel', { name: 'Values' });
    await values.getByText('9007199254740993').first().waitFor();
    const text = await values.textContent();
    expect(text).toContain('01 02 fe');
    expect(text).toContain(String(2n ** 60n));
    expect(text).toMatch(/tags.*2 entries.*colour.*red.*size.*large/s);
    expect(text).toMatch(/price.*2 versions.*11.*10\.5/s);
    expect(await axeViolations(page)).toEqual([]);
  });

  test('edits a row, and says what is wrong while it is typed', async () => {
    await editOrder();
    await page.getByLabel('total', { exact: true }).fill('many');
    await page.getByText('Type a whole number').waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await page.getByLabel('total', { exact: true }).fill('9007199254740995');
    await page.getByLabel('status', { exact: true }).fill('sent');
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save 2 changes' }).click();
    await page.getByText('Saved 2 changes').waitFor();
    const stored = await studio.studio.db.repository(Order).get(order);
    expect(stored).toMatchObject({ status: 'sent', total: 9007199254740995n });
  });

  test('edits a message as JSON, and an entry of a map alone', async () => {
    await editOrder();
    const parcel = page.getByRole('textbox', { name: 'parcel' });
    await parcel.waitFor();
    const tags = page.getByRole('textbox', { name: 'tags' });
    await tags.fill('{ "size": "small", "colour": "red" }');
    await page.getByRole('button', { name: 'Save 1 change' }).click();
    await page.getByText('Saved 1 change').waitFor();
    const { tags: stored, parcel: same } = (await studio.studio.db.repository(Order).get(order))!;
    expect([...stored!]).toEqual([
      ['colour', 'red'],
      ['size', 'small'],
    ]);
    expect(same?.note).toBe('fragile');
  });

  test.each([
    ['two lines', 'one\r\ntwo'],
    ['one line', 'one\rtwo'],
  ])('an edit of %s keeps carriage returns', async (_name, status) => {
    await studio.studio.db.repository(Order).patch(order, { status });
    await editOrder();
    const editor = page.getByRole('textbox', { name: 'status' });
    await editor.click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('+');
    await page.getByRole('button', { name: 'Save 1 change' }).click();
    await page.getByText('Saved 1 change').waitFor();
    expect((await studio.studio.db.repository(Order).get(order))?.status).toBe(`+${status}`);
    await studio.studio.db.repository(Order).patch(order, { status: 'sent' });
  });

  test('a conflict shows what was shown, what is stored, and what was typed', async () => {
    await editOrder();
    await studio.studio.db.repository(Order).patch(order, { status: 'lost' });
    await page.getByLabel('status', { exact: true }).fill('found');
    await page.getByRole('button', { name: 'Save 1 change' }).click();
    await page.getByText('The row was changed meanwhile.').waitFor();
    const row = page.getByRole('row', { name: /^status/ });
    expect(await row.getByRole('cell').allTextContents()).toEqual(['sent', 'lost', 'found']);
    expect(await axeViolations(page)).toEqual([]);
    expect((await studio.studio.db.repository(Order).get(order))?.status).toBe('lost');
    await page.getByRole('button', { name: 'Write mine over it' }).click();
    await page.getByText('Saved 1 change').waitFor();
    expect((await studio.studio.db.repository(Order).get(order))?.status).toBe('found');
  });

  test('inserts a row only if its key is free', async () => {
    await goTo(page, '#/insert?entity=Account');
    await page.getByLabel('id', { exact: true }).fill('Bob');
    await page.getByLabel('balance', { exact: true }).fill('-1');
    await page.locator('.problem').nth(1).waitFor();
    await page.getByLabel('balance', { exact: true }).fill('1.5');
    await page.getByLabel('id', { exact: true }).fill('ann');
    const insert = page.getByRole('button', { name: 'Insert' });
    await page.locator('.problem').first().waitFor({ state: 'detached' });
    await insert.click();
    await page.getByText('A row with this key is stored already').waitFor();
    await page.getByLabel('id', { exact: true }).fill('bob');
    await insert.click();
    await page.getByText('Inserted the row').waitFor();
    expect(await studio.studio.db.repository(Account).get({ id: 'bob' })).toMatchObject({
      balance: 1.5,
    });
  });

  test('deletes a row', async () => {
    await page.getByRole('tab', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete this row' }).click();
    await page.getByText('This row has no cells any more').waitFor();
    expect(await studio.studio.db.repository(Account).get({ id: 'bob' })).toBeUndefined();
  });

  test('follows an index to its rows', async () => {
    await goTo(page, entityPlace('Order'));
    await page.getByRole('link', { name: 'index byStatus' }).click();
    await segment('status').fill('paid');
    await segment('status').press('Enter');
    await page.getByText('2 rows', { exact: true }).waitFor();
    expect((await gridRow(page, 0)).slice(0, 3)).toEqual(['oslo', '2026-11-20 13:00:00', '1']);
    const code = page.getByRole('region', { name: 'Query as TypeScript' });
    await code.getByText('byStatus').waitFor();
  });

  test('a pattern, a rollup and a collection are ready forms', async () => {
    await goTo(page, entityPlace('Order'));
    await page.getByRole('link', { name: 'pattern newest' }).click();
    await page.getByText('Fill in shop, then press Enter.').waitFor();
    await segment('shop').fill('oslo');
    await segment('shop').press('Enter');
    await page.getByText('2 rows', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'rollup daily' }).click();
    await page.locator('.count:not([data-rows="0"])').waitFor();
    expect(await gridRow(page, 0)).toContain('4');
    await goTo(page, entityPlace('Device'));
    await page.getByRole('link', { name: /^collection / }).click();
    await segment('tenant').fill('acme');
    await segment('tenant').press('Enter');
    await page.getByText('3 rows', { exact: true }).waitFor();
    expect((await gridRow(page, 0))[0]).toBe('Device');
  });

  test('exports what a query finds, and imports it again', async () => {
    await goTo(page, entityPlace('Reading'));
    await page.getByText('2 rows', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Export' }).click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const file = await (await downloading).path();
    await page.getByText(/^2 rows exported/).waitFor();
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { device: 'd1', temperature: 9.5 },
      { device: 'd1', temperature: 8.5 },
    ]);
    const readings = studio.studio.db.repository(Reading);
    const key = { tenant: 'acme', device: 'd1', at: at(9) };
    await readings.delete(key);
    await goTo(page, '#/import?entity=Reading');
    await page.getByLabel('File to import').setInputFiles({
      name: 'readings.jsonl',
      mimeType: 'application/jsonl',
      buffer: Buffer.concat([readFileSync(file), Buffer.from('{"tenant":1}\n')]),
    });
    await page.getByRole('button', { name: /^Import \d/ }).click();
    await page.getByText('2 rows imported').waitFor();
    expect(await page.locator('.report').textContent()).toContain('1 line failed');
    expect((await readings.get(key))?.temperature).toBe(9.5);
    expect(await axeViolations(page)).toEqual([]);
  });

  const orderLine = (n: number, more: object = {}): string =>
    `${JSON.stringify({ shop: 'file', at: at(1).toISOString(), n, status: 'x', ...more })}\n`;

  /** Chooses a file with these lines on the page for imports. */
  async function chooseFile(lines: string): Promise<void> {
    await goTo(page, '#/import?entity=Order');
    const buffer = Buffer.from(lines);
    await page
      .getByLabel('File to import')
      .setInputFiles({ name: 'orders.jsonl', mimeType: 'application/jsonl', buffer });
  }

  test('checks a file, lists its bad lines, and writes nothing', async () => {
    const orders = studio.studio.db.repository(Order);
    await chooseFile(`${orderLine(1)}${orderLine(2, { total: 'many' })}{"shop":\n${orderLine(3)}`);
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByText('Nothing was written. An import would write 2 rows: 2 new').waitFor();
    await page.getByText('2 bad lines').click();
    await page.getByText(/^line 2: .*total/).waitFor();
    await page.getByText(/^line 3: /).waitFor();
    expect(await orders.prefix({ shop: 'file' }).count()).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
  });

  test('stops an import', async () => {
    const { engine } = studio.studio.db;
    // The back end holds the second batch until the page has stopped the import.
    const batches: (() => void)[] = [];
    const { mutateRows } = engine;
    let isHeld = false;
    const held = new Promise<void>((resolve) => batches.push(resolve));
    engine.mutateRows = async function (this: typeof engine, ...given) {
      if (isHeld) await held;
      isHeld = true;
      return mutateRows.apply(this, given);
    };
    await chooseFile(Array.from({ length: 12_000 }, (_, n) => orderLine(n + 1)).join(''));
    await page.getByRole('button', { name: /^Import \d/ }).click();
    await page.getByRole('button', { name: 'Stop' }).click();
    batches[0]();
    await page.getByText(/^Cancelled: at least [\d,]+ rows? imported/).waitFor();
    engine.mutateRows = mutateRows;
    const stored = await studio.studio.db.repository(Order).prefix({ shop: 'file' }).count();
    expect(stored).toBeLessThan(12_000);
    expect(await axeViolations(page)).toEqual([]);
  });

  test('verifies indexes, and says that they are clean', async () => {
    await goTo(page, '#/derived');
    const card = page.getByRole('article', { name: 'Derived rows of Order' });
    await card.getByRole('button', { name: 'verify' }).click();
    await card.getByText('clean', { exact: true }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });
});
