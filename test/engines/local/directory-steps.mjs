/**
 * Opens a directory, and records the calls of the file system that change something. Arguments: the
 * directory; the number of the call before which the process kills itself, 0 for none; `no-links`
 * for a file system without hard links; and a directory for a copy of the parent of the first, as it
 * was before each call. Prints the calls, and then whether it is the
 * owner. Ends when its standard input does.
 */
import fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { syncBuiltinESMExports } from 'node:module';

const [directory, killAt, mode, copies] = process.argv.slice(2);
const calls = [];
const paths = new Map();
let isCopying = false;

/** Copies the files by the functions below, which are not recorded meanwhile. */
function copyFiles() {
  isCopying = true;
  const parent = dirname(directory);
  const target = join(copies, `${calls.length}`);
  if (fs.existsSync(parent)) fs.cpSync(parent, target, { recursive: true });
  else fs.mkdirSync(target);
  isCopying = false;
}

const changing = ['mkdir', 'writeFile', 'link', 'rename', 'rm', 'fsync', 'write', 'ftruncate'];
for (const name of changing) {
  const original = fs[`${name}Sync`];
  fs[`${name}Sync`] = (...args) => {
    if (isCopying) return original(...args);
    const target = typeof args[0] === 'number' ? paths.get(args[0]) : args[0];
    calls.push(`${name} ${basename(String(target)).replace(/new\..*/, 'new')}`);
    if (copies !== undefined) copyFiles();
    if (calls.length === Number(killAt)) process.kill(process.pid, 'SIGKILL');
    if (name === 'link' && mode === 'no-links') {
      throw Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM' });
    }
    return original(...args);
  };
}
const { openSync } = fs;
fs.openSync = (path, ...rest) => {
  const handle = openSync(path, ...rest);
  paths.set(handle, path);
  return handle;
};
syncBuiltinESMExports();

const { openRows } = await import('./rows.mjs');
let rows;
const outcome = await openRows(directory).then(
  (opened) => {
    rows = opened;
    return 'owner';
  },
  (error) => error.code ?? error.message,
);
console.log(JSON.stringify({ calls, outcome }));
process.stdin.resume().on('end', async () => {
  await rows?.close();
  process.exit();
});
