/** `npm run demo -- --studio`: the loaded data in a browser, until a signal ends it. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openBrowser } from '../src/cli/commands/studio/open-browser.js';
import { stopSignal } from '../src/cli/commands/stop-signal.js';
import { startStudio } from '../src/tools/studio/index.js';
import { entities } from './entities.js';
import { departures } from './workload.js';

/** Shows a database, and opens the browser if a person is there. */
export async function showStudio(url: string, opens: boolean): Promise<void> {
  const page = mkdtempSync(join(tmpdir(), 'rowsmith-studio-'));
  try {
    buildPage(page);
    const studio = await startStudio(url, { entities, workloads: [departures], page });
    const stopped = stopSignal(['SIGTERM', 'SIGINT', 'SIGHUP']);
    console.log(`\nStudio of ${url}, until Ctrl-C:\n${studio.link}`);
    if (opens && process.stdout.isTTY) openBrowser(studio.linkForOnce());
    await stopped;
    await studio.close();
  } finally {
    rmSync(page, { recursive: true, force: true });
  }
}

/** Builds the page of these sources: a fresh checkout has none, and an earlier build may be old. */
function buildPage(folder: string): void {
  const script = fileURLToPath(new URL('../scripts/build-studio-page.mjs', import.meta.url));
  execFileSync(process.execPath, [script, folder], { stdio: ['ignore', 'ignore', 'inherit'] });
}
