/** Chromium of the system, driven by playwright-core, and the page of the studio in it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import {
  startStudio,
  type Studio,
  type StudioOptions,
} from '../../../../../src/tools/studio/index.js';

const names = ['chromium', 'chromium-browser', 'google-chrome'];
const executable = names
  .map((name) => spawnSync('which', [name], { encoding: 'utf8' }).stdout?.trim() ?? '')
  .find((path) => path !== '');
const advice = 'Chromium is not on PATH: apt-get install chromium';

if (executable === undefined && process.env.CI_REQUIRE_CHROMIUM === '1')
  throw new Error(`CI_REQUIRE_CHROMIUM is set, and ${advice}`);
if (executable === undefined)
  console.warn(`SKIPPED: the page of the studio is not tested in a browser. ${advice}`);

/** Tests that need a browser; they are skipped, with a warning, where there is none. */
export const describeInBrowser = executable === undefined ? describe.skip : describe;

const root = join(__dirname, '../../../../..');
let built: string | undefined;

/** The folder with the built page. */
export function builtPage(): string {
  if (built === undefined) {
    built = mkdtempSync(join(tmpdir(), 'rowsmith-studio-page-'));
    execFileSync(process.execPath, [join(root, 'scripts/build-studio-page.mjs'), built]);
  }
  return built;
}

let browser: Browser | undefined;

/** The browser of a test file. */
async function openBrowser(): Promise<Browser> {
  browser ??= await chromium.launch({
    executablePath: executable,
    args: ['--no-sandbox', '--disable-gpu', '--js-flags=--expose-gc'],
  });
  return browser;
}

export async function closeBrowser(): Promise<void> {
  await browser?.close();
  browser = undefined;
}

/** A studio with the built page, and pages of it. */
export class StudioInBrowser {
  readonly studio: Studio;
  /** What pages reported: errors, and violations of the content security policy. */
  readonly complaints: string[] = [];

  private constructor(studio: Studio) {
    this.studio = studio;
  }

  static async start(url: string, options: Omit<StudioOptions, 'page'>): Promise<StudioInBrowser> {
    return new StudioInBrowser(await startStudio(url, { ...options, page: builtPage() }));
  }

  /** A page in a new profile that opened the link, at a place. */
  async open(place = '#/', options: BrowserContextOptions = {}): Promise<Page> {
    const context = await (
      await openBrowser()
    ).newContext({ viewport: { width: 1360, height: 850 }, acceptDownloads: true, ...options });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const page = await context.newPage();
    page.on('pageerror', (error) => this.complaints.push(`error: ${error.message}`));
    page.on('dialog', (dialog) => this.complaints.push(`dialog: ${dialog.message()}`));
    page.on('console', (message) => {
      if (/Content Security|Trusted/i.test(message.text())) this.complaints.push(message.text());
    });
    await page.goto(this.studio.link);
    await page.waitForURL((address) => address.search === '');
    await page.locator('.sidebar a').first().waitFor();
    if (place !== '#/') await goTo(page, place);
    return page;
  }

  async close(): Promise<void> {
    await this.studio.close();
  }
}

/** Goes to a place by its address, as a deep link does. */
export async function goTo(page: Page, place: string): Promise<void> {
  await page.goto(`${page.url().replace(/#.*/, '')}${place}`);
  await page.reload();
  await page.locator('.sidebar a').first().waitFor();
}

/** The address of a query. */
export const queryPlace = (query: object): string =>
  `#/query?${new URLSearchParams({ q: JSON.stringify(query) }).toString()}`;

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

const axeOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  // Without selectors of every node, and reports of what passes, it takes less than a third of the time.
  resultTypes: ['violations'],
  selectors: false,
  preload: false,
};

/** What axe finds wrong with a page by the rules of WCAG 2.2 AA. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  const source = readFileSync(createRequire(__filename).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(`${source}\nvoid 0`);
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(axeOptions)})`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}

/** Bytes of the objects that the page keeps alive. */
export async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = (await session.send('Runtime.getHeapUsage')) as { usedSize: number };
  await session.detach();
  return usedSize;
}

/** The texts of the cells of a row of the table. */
export async function gridRow(page: Page, number: number): Promise<readonly string[]> {
  const row = page.locator(`.grid-body [role=row][aria-rowindex="${number + 2}"]`);
  await row.waitFor();
  return row.locator('[role=gridcell] .cell-text').allTextContents();
}
