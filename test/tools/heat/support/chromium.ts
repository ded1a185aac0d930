/** Finds Chromium, which takes screenshots of pages. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** The path of Chromium; prints a warning and returns undefined if it is not installed. */
export function findChromium(): string | undefined {
  for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
    const { stdout, status } = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' });
    if (status === 0 && existsSync(stdout.trim())) return stdout.trim();
  }
  console.warn('SKIPPED: Chromium is not installed (apt-get install chromium)');
  return undefined;
}
