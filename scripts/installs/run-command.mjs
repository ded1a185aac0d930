/** Runs commands, with their output and the time they took. */
import { spawn } from 'node:child_process';
import { delimiter } from 'node:path';

/** Seconds after which a command counts as hung. */
const maxSeconds = 420;

/** @typedef {{ ok: boolean, output: string, seconds: number }} Result */

/**
 * Runs a line of a package.json in a folder.
 *
 * @param {string} line @param {string} cwd @param {string[]} bins Folders of commands.
 * @returns {Promise<Result>}
 */
export function runCommand(line, cwd, bins = []) {
  const started = performance.now();
  const child = spawn(line, {
    cwd,
    shell: true,
    // A group, so that servers that a hung program has started end with it.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment(bins),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  const timer = setTimeout(() => {
    output += `\nended after ${maxSeconds} s: ${line}\n`;
    endGroup(child.pid);
  }, maxSeconds * 1000);
  return new Promise((done) => {
    /** @param {boolean} ok */
    const finish = (ok) => {
      clearTimeout(timer);
      done({ ok, output, seconds: (performance.now() - started) / 1000 });
    };
    child.on('error', (error) => {
      output += `${error.message}\n`;
      finish(false);
    });
    child.on('close', (code) => finish(code === 0));
  });
}

/** @param {string[]} bins */
function environment(bins) {
  const { NODE_OPTIONS, FORCE_COLOR, BIGTABLE_EMULATOR_HOST, NODE_ENV, ...inherited } = process.env;
  // Set by `npm run` for the package.json of this repository.
  const own = Object.entries(inherited).filter(([name]) => !/^npm_(package|lifecycle)_/.test(name));
  return {
    ...Object.fromEntries(own),
    PATH: [...bins, process.env.PATH].join(delimiter),
    CI: '1',
    NO_COLOR: '1',
    NEXT_TELEMETRY_DISABLED: '1',
  };
}

/** @param {number | undefined} pid */
function endGroup(pid) {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
