/** The page in a browser: conditions on fields, files that come and go, a recording that grows. */
import type { Page } from 'playwright-core';
import { entities } from '../entities.js';
import { seedStudio } from '../seed-studio.js';
import {
  closeBrowser,
  describeInBrowser,
  goTo,
  queryPlace,
  StudioInBrowser,
} from './support/browser.js';

const source = { kind: 'entity', entity: 'Order' };

describeInBrowser('queries and files in the page', () => {
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

  const rows = (count: number, at = page) => at.locator(`.count[data-rows="${count}"]`).waitFor();

  test('a condition on a field of a message, as a form, as code and as an address', async () => {
    await goTo(page, queryPlace({ source, fixed: [{ segment: 'shop', values: ['oslo'] }] }));
    await rows(4);
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByLabel('Property of the condition').selectOption('parcel.at.exact');
    await page.getByLabel('Test of parcel.at.exact').selectOption('atLeast');
    const value = page.getByLabel('Value that parcel.at.exact is compared with');
    await value.fill('not a number');
    await page.getByText('Type a whole number').waitFor();
    await value.fill('9007199254740993');
    await value.press('Enter');
    await rows(1);
    const code = page.getByRole('region', { name: 'Query as TypeScript' });
    await code
      .filter({ hasText: /fields: \{ at: \{ fields: \{ exact: \{ atLeast: 9007199254740993n/ })
      .waitFor();
    const other = await studio.open(page.url().replace(/^[^#]*/, ''));
    await rows(1, other);
    const again = other.getByLabel('Value that parcel.at.exact is compared with');
    expect(await again.inputValue()).toBe('9007199254740993');
    await other.close();
  });

  test('a condition on a field of a JSON value, and one on a later segment', async () => {
    await goTo(page, queryPlace({ source, fixed: [{ segment: 'shop', values: ['oslo'] }] }));
    await rows(4);
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByLabel('Property of the condition').selectOption('extra');
    await page.getByLabel('Field of extra').fill('list.1');
    await page.getByLabel('Test of extra').selectOption('equals');
    await page.getByLabel('Value that extra is compared with').fill('two');
    await page.getByLabel('Value that extra is compared with').press('Enter');
    await rows(1);
    await page.getByRole('button', { name: 'Remove this condition' }).click();
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByLabel('Property of the condition').selectOption('at');
    await page.getByLabel('Test of at').selectOption('below');
    await page.getByLabel('Value that at is compared with').fill('2026-11-20 12:00');
    await page.getByLabel('Value that at is compared with').press('Enter');
    await rows(2);
    await page.getByLabel('at', { exact: true }).fill('2026-11-20 11:00');
    await page.getByText('at has its value in the key').waitFor();
  });

  test('the beginning of a text', async () => {
    await goTo(page, queryPlace({ source }));
    await rows(5);
    await page.getByLabel('How shop is bounded').selectOption('startsWith');
    await page.getByLabel('shop starts with').fill('ro');
    await page.getByLabel('shop starts with').press('Enter');
    await rows(1);
    const code = page.getByRole('region', { name: 'Query as TypeScript' });
    await code.filter({ hasText: "startsWith('shop', 'ro')" }).waitFor();
    const other = await studio.open(page.url().replace(/^[^#]*/, ''));
    await rows(1, other);
    expect(await other.getByLabel('shop starts with').inputValue()).toBe('ro');
    await other.close();
  });
});
