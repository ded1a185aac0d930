/** A table of 1,000,000 rows: all are read, any can be seen, and the memory of the page stays flat. */
import type { Page } from 'playwright-core';
import { Column, Entity, rowKey, Segment } from 'rowsmith';
import {
  closeBrowser,
  describeInBrowser,
  gridRow,
  heapBytes,
  queryPlace,
  StudioInBrowser,
} from './support/browser.js';

@Entity({ table: 'numbers', families: { m: {} } })
class Numbered {
  static readonly key = rowKey('n');
  @Segment('uint', { max: 9_999_999 }) n!: number;
  @Column('m', 'int32') square?: number;
}

const count = 1_000_000;
const batch = 10_000;
const mega = 1 << 20;
/** Reading a million rows takes longer than a click. */
const timeout = 280_000;

describeInBrowser('1,000,000 rows', () => {
  let studio: StudioInBrowser;
  let page: Page;
  beforeAll(async () => {
    studio = await StudioInBrowser.start('memory:', { entities: [Numbered], write: true });
    const { db } = studio.studio;
    const { model } = db.repository(Numbered);
    const value = model.columns[0].codec.encode(7);
    const qualifier = Buffer.from('square');
    for (let first = 0; first < count; first += batch) {
      const rows = Array.from({ length: batch }, (_, i) => ({
        key: model.key.encode({ n: first + i }),
        mutations: [{ kind: 'setCell', family: 'm', qualifier, timestamp: 1_000, value } as const],
      }));
      await db.engine.mutateRows('numbers', rows);
    }
    page = await studio.open(queryPlace({ source: { kind: 'entity', entity: 'Numbered' } }));
  });
  afterAll(async () => {
    await closeBrowser();
    await studio.close();
  });
  afterEach(() => expect(studio.complaints).toEqual([]));

  const shown = (): Promise<number> => page.locator('.grid-body [role=row]').count();
  const rowsRead = async (): Promise<number> =>
    Number(await page.locator('.count').getAttribute('data-rows'));

  test('the first are shown at once, the next as they are scrolled to', async () => {
    await page.getByText('500 rows so far').waitFor();
    expect((await gridRow(page, 0))[0]).toBe('0');
    expect(await shown()).toBeLessThan(60);
    await page.getByRole('grid').focus();
    await page.keyboard.press('Control+End');
    await page.getByText('1,000 rows so far').waitFor();
  });

  test('reading can be stopped, and goes on where it was', async () => {
    await page.getByRole('button', { name: 'Read to the end' }).click();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Read to the end' }).waitFor();
    expect(await rowsRead()).toBeLessThan(count);
  });

  test('memory stays flat to the last row, and any row can be seen', async () => {
    const before = await heapBytes(page);
    await page.getByRole('button', { name: 'Read to the end' }).click();
    await page.getByText('1,000,000 rows', { exact: true }).waitFor({ timeout });
    const after = await heapBytes(page);
    expect(after - before).toBeLessThan(8 * mega);
    expect(await shown()).toBeLessThan(60);
    await page.getByRole('grid').focus();
    await page.keyboard.press('Control+End');
    expect((await gridRow(page, count - 1))[0]).toBe('999999');
    await page.keyboard.press('PageUp');
    await page.keyboard.press('Control+Home');
    expect((await gridRow(page, 0))[0]).toBe('0');
    for (const part of [0.25, 0.5, 0.75]) {
      await page.evaluate(`(() => {
        const grid = document.querySelector('.grid');
        grid.scrollTop = (grid.scrollHeight - grid.clientHeight) * ${part};
      })()`);
      const middle = count * part;
      await page
        .locator(`[aria-rowindex="${middle + 2}"]`)
        .getByText(String(middle))
        .waitFor();
    }
    expect((await heapBytes(page)) - before).toBeLessThan(8 * mega);
  });
});
