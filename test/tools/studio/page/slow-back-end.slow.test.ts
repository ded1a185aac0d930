/** The page while a back end does not answer: it says that it waits, for how long, and stops. */
import type { Page } from 'playwright-core';
import { openMemoryEngine } from '../../../../src/engines/local/index.js';
import { type BigtableServer, startServer } from '../../../../src/server/index.js';
import { entities } from '../entities.js';
import { seedStudio } from '../seed-studio.js';
import {
  axeViolations,
  closeBrowser,
  describeInBrowser,
  goTo,
  queryPlace,
  StudioInBrowser,
} from './support/browser.js';

const query = {
  source: { kind: 'entity', entity: 'Order' },
  fixed: [{ segment: 'shop', values: ['oslo'] }],
};

describeInBrowser('a back end that does not answer', () => {
  let backend: Awaited<ReturnType<typeof openMemoryEngine>>;
  let server: BigtableServer;
  let studio: StudioInBrowser;
  let page: Page;
  /** Whether reads are held until whoever asked has left. */
  let isSlow = false;
  let onStop = (): void => undefined;
  beforeAll(async () => {
    backend = await openMemoryEngine({});
    server = await startServer(backend, { instance: 'projects/p/instances/i' });
    const bigtable = { emulatorHost: server.address };
    studio = await StudioInBrowser.start('bigtable://p/i', { entities, write: true, bigtable });
    await studio.studio.db.admin.apply();
    await seedStudio(studio.studio.db);
    const readRows = backend.readRows.bind(backend);
    backend.readRows = (plan, options) => {
      const stream = readRows(plan, options);
      if (!isSlow) return stream;
      const left = new Promise<void>((resolve) => {
        options?.signal?.addEventListener('abort', () => resolve());
      });
      const next = async () => {
        await left;
        onStop();
        return stream.next();
      };
      return { next, close: () => stream.close() };
    };
    page = await studio.open();
  });
  beforeEach(() => {
    isSlow = false;
  });
  afterAll(async () => {
    await closeBrowser();
    await studio.close();
    await server.close({ graceMs: 0 });
    await backend.close();
  });
  afterEach(() => expect(studio.complaints).toEqual([]));

  const waits = async (): Promise<void> => {
    await page.getByText('Waiting for the back end').first().waitFor();
    await page.getByRole('timer').filter({ hasText: '2 s' }).first().waitFor();
    expect(await page.locator('progress:indeterminate').count()).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
  };
  const stops = async (): Promise<void> => {
    // The back end stops as well.
    const stopped = new Promise<void>((resolve) => (onStop = resolve));
    await page.locator('main').getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Waiting for the back end').waitFor({ state: 'detached' });
    await stopped;
  };

  test('before the first answer nothing says that the connection is lost', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/api/**', async (request) => {
      await held;
      await request.continue();
    });
    await page.reload();
    await page.locator('main').waitFor();
    expect(await page.getByText('The connection to the studio is lost').count()).toBe(0);
    release();
    await page.locator('.sidebar a').first().waitFor();
    await page.unroute('**/api/**');
  });

  test('rows', async () => {
    await goTo(page, '#/schema');
    isSlow = true;
    await page.evaluate(`location.hash = ${JSON.stringify(queryPlace(query))}`);
    await waits();
    await stops();
    isSlow = false;
    await page.getByRole('button', { name: 'Read to the end' }).click();
    await page.getByText('4 rows', { exact: true }).waitFor();
  });

  test('a row', async () => {
    await goTo(page, queryPlace(query));
    await page.getByText('4 rows', { exact: true }).waitFor();
    isSlow = true;
    await page.locator('.grid-body [role=row]').nth(3).click();
    await waits();
    await stops();
    isSlow = false;
    await page.getByRole('button', { name: 'Ask again' }).click();
    await page.getByText('fragile').last().waitFor();
  });

  test('the cells of a row', async () => {
    await goTo(page, queryPlace(query));
    await page.locator('.grid-body [role=row]').nth(3).click();
    await page.getByText('fragile').last().waitFor();
    isSlow = true;
    await page.getByRole('tab', { name: 'Cells' }).click();
    await waits();
    await stops();
    isSlow = false;
    await page.getByRole('button', { name: 'Stopped: 0 cells shown' }).click();
    await page.getByRole('group', { name: 'Stored cells' }).getByText('m:parcel').waitFor();
  });

  test('ten tabs at the same time', async () => {
    const tabs = await Promise.all(Array.from({ length: 10 }, () => page.context().newPage()));
    const { origin } = new URL(page.url());
    for (const tab of tabs) await tab.goto(`${origin}/${queryPlace(query)}`);
    for (const tab of tabs) {
      await tab.getByText('4 rows', { exact: true }).waitFor();
      await tab.close();
    }
  });

  test('a table that was dropped meanwhile', async () => {
    await goTo(page, queryPlace(query));
    await page.getByText('4 rows', { exact: true }).waitFor();
    await backend.deleteTable('shop');
    await page.locator('.grid-body [role=row]').nth(1).click();
    await page.getByText('The table does not exist.').first().waitFor();
    // What was read stays.
    expect(await page.getByText('4 rows', { exact: true }).count()).toBe(1);
    await goTo(page, queryPlace(query));
    await page.getByText('The table does not exist.').first().waitFor();
  });

  test('that is gone, and comes back', async () => {
    const bigtable = { emulatorHost: server.address, totalTimeoutMs: 2_000 };
    const other = await StudioInBrowser.start('bigtable://p/i', { entities, bigtable });
    const place = queryPlace({ source: { kind: 'entity', entity: 'Device' } });
    const tab = await other.open(place);
    await tab.getByText('1 row', { exact: true }).waitFor();
    const port = Number(server.address.split(':')[1]);
    await server.close({ graceMs: 0 });
    await tab.locator('.grid-body [role=row]').first().click();
    await tab.getByText('UNAVAILABLE').first().waitFor();
    // What was read stays.
    expect(await tab.getByText('1 row', { exact: true }).count()).toBe(1);
    server = await startServer(backend, { instance: 'projects/p/instances/i', port });
    // A read may end before gRPC's channel has connected again: its backoff is over a second.
    const row = tab.getByText('1 row', { exact: true });
    const failure = tab.getByText('UNAVAILABLE').first();
    do {
      await goTo(tab, place);
      await row.or(failure).first().waitFor();
    } while ((await row.count()) === 0);
    expect(other.complaints).toEqual([]);
    await tab.close();
    await other.close();
  });
});
