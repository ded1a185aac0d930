/**
 * `npm run bench:studio`: how soon the page of the studio shows something on loopback, over the
 * database of the demo. Every visit has a new profile of the browser, so its cache is empty. The floor
 * is a page of one line of text, visited in turn: what the browser and the machine take alone.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { queryAddress, startDemoStudio } from '../scripts/studio/demo-studio.js';

const visits = 15;
const targetMs = 300;
const query = queryAddress({
  source: { kind: 'entity', entity: 'Departure' },
  fixed: [{ segment: 'origin', values: ['SEA'] }],
});

interface Visit {
  readonly 'first paint': number;
  readonly 'first contentful paint': number;
  readonly 'entities listed': number;
  readonly 'rows of a query, after a reload': number;
}

/** Serves a page of one line of text. */
async function serveFloor(): Promise<{ link: string; close: () => void }> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><p>Text</p>');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return { link: `http://127.0.0.1:${port}/`, close: () => server.close() };
}

async function visitFloor(browser: Browser, link: string): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(link);
  await page.locator('p').waitFor();
  const contentful = await painted(page, 'first-contentful-paint');
  await context.close();
  return contentful;
}

/** A time since the start of the navigation, in the clock of the page. */
async function painted(page: Page, name: string): Promise<number> {
  const found = `performance.getEntriesByName('${name}')[0]?.startTime`;
  for (;;) {
    const time = await page.evaluate<number | undefined>(found);
    if (time !== undefined) return time;
  }
}

async function visit(browser: Browser, link: string): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const shown = async (selector: string): Promise<number> => {
    await page.locator(selector).first().waitFor();
    return page.evaluate<number>('performance.now()');
  };
  await page.goto(link);
  const listed = await shown('.entity-list a');
  const first = await painted(page, 'first-paint');
  const contentful = await painted(page, 'first-contentful-paint');
  await page.goto(`${page.url().replace(/#.*/, '')}${query}`);
  await page.reload();
  const rows = await shown('.grid-body [role=gridcell]');
  await context.close();
  return {
    'first paint': first,
    'first contentful paint': contentful,
    'entities listed': listed,
    'rows of a query, after a reload': rows,
  };
}

await using demo = await startDemoStudio();
// The first visit starts processes of the browser.
await visit(demo.browser, demo.studio.link);
const floor = await serveFloor();
const all: (Visit & { readonly 'first contentful paint of the floor': number })[] = [];
for (let i = 0; i < visits; i++) {
  const ofFloor = await visitFloor(demo.browser, floor.link);
  const ofStudio = await visit(demo.browser, demo.studio.link);
  all.push({ ...ofStudio, 'first contentful paint of the floor': ofFloor });
}
floor.close();
for (const name of Object.keys(all[0]) as (keyof (typeof all)[0])[]) {
  const sorted = all.map((each) => each[name]).sort((one, other) => one - other);
  const [least, median, most] = [sorted[0], sorted[visits >> 1], sorted[visits - 1]];
  console.log(
    `${name}: median ${median.toFixed(0)} ms, ${least.toFixed(0)} to ${most.toFixed(0)} ms`,
  );
  if (name === 'first contentful paint' && median > targetMs) process.exitCode = 2;
}
