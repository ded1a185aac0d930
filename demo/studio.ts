/** `npm run demo -- --studio`: the loaded data in a browser, until a signal ends it. */
import { openBrowser } from '../src/cli/commands/studio/open-browser.js';
import { stopSignal } from '../src/cli/commands/stop-signal.js';
import { startStudio } from '../src/tools/studio/index.js';
import { entities } from './entities.js';
import { departures } from './workload.js';

/** Shows a database, and opens the browser if a person is there. */
export async function showStudio(url: string, opens: boolean): Promise<void> {
  const studio = await startStudio(url, { entities, workloads: [departures] });
  const stopped = stopSignal(['SIGTERM', 'SIGINT', 'SIGHUP']);
  console.log(`\nStudio of ${url}, until Ctrl-C:\n${studio.link}`);
  if (opens && process.stdout.isTTY) openBrowser(studio.linkForOnce());
  await stopped;
  await studio.close();
}
