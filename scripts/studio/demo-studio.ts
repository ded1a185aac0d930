/** The studio on the data of the demo, and Chromium: for its pictures and its measurements. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { entities } from '../../demo/entities.js';
import { startStudio, type Studio, type StudioOptions } from '../../src/tools/studio/index.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A studio on a copy of the demo's database. */
export interface DemoStudio extends AsyncDisposable {
  readonly studio: Studio;
  readonly browser: Browser;
  /** The folder of the built page and the database. */
  readonly folder: string;
}

/** Loads the demo's rows, builds the page, and starts both programs. */
export async function startDemoStudio(
  options: Pick<StudioOptions, 'recording' | 'write'> = {},
): Promise<DemoStudio> {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-studio-'));
  const page = join(folder, 'page');
  const run = (...args: string[]): unknown =>
    execFileSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  run('scripts/build-studio-page.mjs', page);
  run('node_modules/tsx/dist/cli.mjs', 'demo/main.ts', join(folder, 'travel'));
  // The name of the database is in the pictures.
  process.chdir(folder);
  const studio = await startStudio('file:travel', {
    entities,
    page,
    ...options,
  });
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'],
  });
  return {
    studio,
    browser,
    folder,
    async [Symbol.asyncDispose]() {
      await browser.close();
      await studio.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Chromium of the system. */
function chromiumPath(): string {
  for (const name of ['chromium', 'chromium-browser', 'google-chrome'])
    try {
      return execFileSync('which', [name], { encoding: 'utf8' }).trim();
    } catch {
      // Under another name, maybe.
    }
  throw new Error('Chromium is not on PATH: apt-get install chromium');
}

/** The address of a query. */
export const queryAddress = (query: object): string =>
  `#/query?${new URLSearchParams({ q: JSON.stringify(query) }).toString()}`;
