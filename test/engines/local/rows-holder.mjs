/**
 * Opens rows and does what the lines of its standard input say: `put KEY`, `busy MILLISECONDS`,
 * `close` or `end` (without closing). Prints a line for each: `ok` or the code of the error.
 * Arguments: the directory, the DiskTuning as JSON, and for how long it is busy at first. Prints the
 * PID first. As a worker, it opens the rows and posts a message.
 */
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { parentPort } from 'node:worker_threads';
import { openRows } from './rows.mjs';

const [directory, tuning, busyMs = 0] = process.argv.slice(2);
const rows = await openRows(directory, tuning && JSON.parse(tuning));
if (parentPort !== null) {
  rows.put('k');
  parentPort.postMessage('held');
  setInterval(() => undefined, 1000);
} else {
  writeSync(1, `${process.pid}\n`);
  const beBusy = (ms) => {
    const end = performance.now() + Number(ms);
    while (performance.now() < end);
  };
  beBusy(busyMs);
  const steps = {
    put: (key) => rows.put(key),
    busy: beBusy,
    close: () => rows.close(),
  };
  const input = createInterface({ input: process.stdin });
  for await (const line of input) {
    if (line === 'end') break;
    const [step, argument] = line.split(' ');
    let outcome = 'ok';
    try {
      await steps[step](argument);
    } catch (error) {
      outcome = error.code ?? error.stack;
    }
    writeSync(1, `${outcome}\n`);
  }
  input.close();
  process.stdin.destroy();
}
