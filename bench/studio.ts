/**
 * `npm run bench:studio`: how soon the page of the studio shows something on loopback, over the
 * database of the demo. Every visit has a new profile of the browser, so its cache is empty.
 */
import type { Browser } from 'playwright-core';
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

/** Times since the start of the navigation, in the clock of the page. */
const paint = (name: string): string =>
  `performance.getEntriesByName('${name}')[0]?.startTime ?? Infinity`;

async function visit(browser: Browser, link: string): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const shown = async (selector: string): Promise<number> => {
    await page.locator(selector).first().waitFor();
    return page.evaluate<number>('performance.now()');
  };
  await page.goto(link);
  const listed = await shown('.entity-list a');
  const first = await page.evaluate<number>(paint('first-paint'));
  const contentful = await page.evaluate<number>(paint('first-contentful-paint'));
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
const all: Visit[] = [];
for (let i = 0; i < visits; i++) all.push(await visit(demo.browser, demo.studio.link));
for (const name of Object.keys(all[0]) as (keyof Visit)[]) {
  const sorted = all.map((each) => each[name]).sort((one, other) => one - other);
  const [least, median, most] = [sorted[0], sorted[visits >> 1], sorted[visits - 1]];
  console.log(
    `${name}: median ${median.toFixed(0)} ms, ${least.toFixed(0)} to ${most.toFixed(0)} ms`,
  );
  if (name === 'first contentful paint' && median > targetMs) process.exitCode = 2;
}
