/** Scans over a slow network. */
import type { Variant } from '../interleave.js';
import { Official } from '../wire/official.js';
import { type Running, startProgram } from '../wire/processes.js';
import { race, type Run, type Targets } from './run.js';
import { countPages, countRows } from './scans.js';
import { connect } from './servers.js';

/** Flow-control window of our client, in bytes. */
const window = 8 << 20;

/**
 * A server with network delays of 1 and 10 ms one way. The official client runs also with
 * our flow-control window.
 */
export async function delays(run: Run, { address }: Running): Promise<void> {
  const targets: Targets = { 'delay-10ms': { 'ours-for-await': 2.5 } };
  for (const millis of [1, 10]) {
    const proxy = await startProgram('delay-proxy', address, String(millis));
    const { official, readings } = await connect('far', proxy);
    const tuned = new Official(proxy.address, window);
    const variants: Variant[] = [
      { name: 'stream-tuned', run: () => tuned.stream('readings') },
      { name: 'stream', run: () => official.stream('readings') },
      { name: 'ours-for-await', run: () => countRows(readings.scanAll()) },
      { name: 'ours-pages', run: () => countPages(readings.scanAll().pages()) },
    ];
    // With 10 ms the official client's own window takes too long.
    const measured = variants.filter(({ name }) => millis === 1 || name !== 'stream');
    const name = `delay-${millis}ms`;
    await race(run, name, 'us/row', measured, targets[name] ?? {}, 3);
    await proxy.stop();
  }
}
