/** The cases of FIDELITY.md through our server, spoken in Google's published messages. */
import { openMemoryEngine } from '../../src/engines/local/index.js';
import { startServer } from '../../src/server/index.js';
import { instance, RawClient } from '../server/raw-client.js';
import { caseStart, fidelityCases, runCase } from './fidelity.js';
import type { runStep } from './step.js';
import { onTheWire, runOnTheWire } from './wire.js';

/** The published messages cannot say them: they have no value_bitmask_filter yet, and a filter of no kind is no filter. */
const unsaid = ['G13', 'G14'];

describe('FIDELITY.md on the server', () => {
  test.each(fidelityCases.filter(({ id }) => !unsaid.includes(id)).map((one) => [one.id, one.what, one] as const))('%s: %s', async (_id, _what, one) => {
    let now = caseStart;
    const engine = await openMemoryEngine({ clock: () => now, gc: one.gc ?? 'onRead' });
    const server = await startServer(engine, { instance });
    const client = new RawClient(server.address);
    const compactOrWait = async (step: Parameters<typeof runStep>[1]) => {
      if (step.op === 'compact') await engine.compact();
      if (step.op === 'wait') now += step.ms;
      return undefined;
    };
    await runCase(one, {
      run: (step) => runOnTheWire(client, instance, step, compactOrWait),
      expected: onTheWire,
      close: async () => {
        client.close();
        await server.close({ graceMs: 100 });
        await engine.close();
      },
    });
  });
});
