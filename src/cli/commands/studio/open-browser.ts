/** Opens links in the browser of the user. */
import { spawn } from 'node:child_process';

const programs: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens a link if the system has a program for it; the link was printed in any case. */
export function openBrowser(link: string): void {
  const [program, ...args] = programs[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...args, link], { detached: true, stdio: 'ignore' });
  child.on('error', () => undefined);
  child.unref();
}
