/**
 * `npm run pictures`: the pictures of docs/guide/studio.md, from the data of the demo. They are
 * WebP, which is a quarter of the size of PNG. Times that the studio measures differ from run to
 * run.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { open } from 'rowsmith';
import { recordAccess } from 'rowsmith/tools';
import { Airport, Departure, entities } from '../../demo/entities.js';
import { type DemoStudio, queryAddress, startDemoStudio } from './demo-studio.js';

const images = fileURLToPath(new URL('../../docs/guide/images/', import.meta.url));
/** All six belong to the package. */
const maxBytes = 60_000;
const hour = 3_600_000;

interface Picture {
  readonly name: string;
  readonly address: string;
  readonly colours?: 'dark' | 'light';
  readonly height?: number;
  readonly prepare: (page: Page) => Promise<void>;
}

const source = { kind: 'entity', entity: 'Departure' };
const ofAirports = (...values: string[]): object => ({
  source,
  fixed: [{ segment: 'origin', values }],
});
const memphis = {
  source,
  fixed: [
    { segment: 'origin', values: ['MEM'] },
    { segment: 'at', values: ['2001-03-31T12:32:00.000Z'] },
  ],
};
const seattle = queryAddress({
  source: { kind: 'entity', entity: 'Airport' },
  fixed: [{ segment: 'iata', values: ['SEA'] }],
});

const openFirst = async (page: Page): Promise<void> => {
  await page.locator('.grid-body [role=row]').first().click();
  await page.locator('.row-panel [role=tab]').first().waitFor();
};

const looking: readonly Picture[] = [
  {
    name: 'query',
    address: queryAddress({
      ...ofAirports('SEA'),
      bound: {
        kind: 'between',
        segment: 'at',
        from: '2001-03-01T00:00:00.000Z',
        to: '2001-04-01T00:00:00.000Z',
      },
    }),
    prepare: async (page) => {
      await page.locator('.grid-body [role=gridcell]').first().waitFor();
      // The text follows the form after a pause.
      const code = page.getByRole('region', { name: 'Query as TypeScript' });
      await code.filter({ hasText: 'prefix(' }).waitFor();
    },
  },
  { name: 'row', address: queryAddress(memphis), colours: 'dark', prepare: openFirst },
  {
    name: 'plan',
    height: 880,
    address: queryAddress({
      ...ofAirports('ATL', 'JFK', 'SEA'),
      where: [{ property: 'delay', test: 'above', value: 60 }],
    }),
    prepare: async (page) => {
      await page.getByRole('tab', { name: 'Plan' }).click();
      await page.getByRole('button', { name: 'Run and count' }).click();
      await page.locator('.figures').waitFor();
    },
  },
  {
    name: 'schema',
    address: '#/schema?entity=Airport',
    prepare: async (page) => {
      await page.getByText('no drift').waitFor();
    },
  },
  {
    name: 'heat',
    address: '#/heat',
    colours: 'dark',
    prepare: async (page) => {
      await page.locator('canvas.picture').waitFor();
    },
  },
];

const conflict: Picture = {
  name: 'conflict',
  address: seattle,
  prepare: async (page) => {
    await openFirst(page);
    await page.getByRole('tab', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'name' }).fill('Seattle-Tacoma International');
    await page.getByRole('button', { name: 'Save 1 change' }).click();
    await page.getByText('The row was changed meanwhile.').waitFor();
  },
};

/** Records the flights of two weeks: each is written when it leaves, and the board is read. */
async function recordFlights({ studio, folder }: DemoStudio): Promise<string> {
  const file = join(folder, 'departures.heat');
  const from = new Date(Date.UTC(2001, 2, 18));
  const flights = await studio.db.repository(Departure).scanAll().all();
  const latest = flights
    .filter(({ at }) => at >= from)
    .sort((one, other) => one.at.getTime() - other.at.getTime());
  let now = from.getTime();
  const recorder = recordAccess({ file, windowMs: hour, clock: () => now });
  const db = await open('memory:', { entities, observe: { record: recorder } });
  const departures = db.repository(Departure);
  for (const flight of latest) {
    if (Math.floor(flight.at.getTime() / hour) > Math.floor(now / hour)) recorder.flush();
    now = flight.at.getTime();
    await departures.save(flight);
    for await (const row of departures.prefix({ origin: flight.origin }).limit(5)) void row;
  }
  await db.close();
  await recorder.close();
  return file;
}

async function take({ browser, studio }: DemoStudio, picture: Picture): Promise<void> {
  const { name, address, colours: colorScheme = 'light', height = 700, prepare } = picture;
  const context = await browser.newContext({ viewport: { width: 1240, height }, colorScheme });
  const page = await context.newPage();
  await page.goto(studio.link);
  await page.locator('.side-count').nth(3).waitFor();
  await page.goto(`${page.url().replace(/#.*/, '')}${address}`);
  await prepare(page);
  // The pointer is over nothing, and short messages are gone.
  await page.mouse.move(0, 0);
  await page.locator('.notice').waitFor({ state: 'hidden' });
  const bytes = await webp(page, await page.screenshot());
  await context.close();
  if (bytes.length > maxBytes) throw new Error(`${name} has ${bytes.length} bytes`);
  writeFileSync(join(images, `studio-${name}.webp`), bytes);
  console.log(`studio-${name}.webp  ${bytes.length} bytes`);
}

/** A function of a browser, for a file as base64. */
const toWebp = `async (text) => {
  const image = new Blob([Uint8Array.from(atob(text), (each) => each.charCodeAt(0))]);
  const bitmap = await createImageBitmap(image);
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  canvas.getContext('2d').drawImage(bitmap, 0, 0);
  const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.7 });
  const bytes = new Uint8Array(await blob.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}`;

/** A PNG as WebP, by Chromium. */
async function webp(page: Page, png: Buffer): Promise<Buffer> {
  const blank = await page.context().newPage();
  const given = JSON.stringify(png.toString('base64'));
  const base64 = await blank.evaluate<string>(`(${toWebp})(${given})`);
  return Buffer.from(base64, 'base64');
}

{
  await using plain = await startDemoStudio();
  const recording = await recordFlights(plain);
  await using demo = await startDemoStudio({ recording });
  for (const picture of looking) await take(demo, picture);
}
{
  await using demo = await startDemoStudio({ write: true });
  // Another program changes the row between what is shown and what is saved.
  const airports = demo.studio.db.repository(Airport);
  await take(demo, {
    ...conflict,
    prepare: async (page) => {
      await page.route('**/api/update', async (route) => {
        await airports.patch({ iata: 'SEA' }, { name: 'Sea-Tac' });
        await route.continue();
      });
      await conflict.prepare(page);
    },
  });
}
