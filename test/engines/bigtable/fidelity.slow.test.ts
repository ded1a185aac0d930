/** The fidelity cases (docs/fidelity.md) on the live engine over our server. */
import { describeFidelity } from '../../fidelity/fidelity.js';
import { openOverOurServer } from './live-backends.js';

describeFidelity('the live engine', async (options) => {
  const { engine, backend: backend, close } = await openOverOurServer(options);
  // A live engine cannot trigger garbage collection; here the test does it on the backend.
  engine.compact = (table) => backend.compact(table);
  return { engine, close };
});
