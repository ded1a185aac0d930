/** The cases of FIDELITY.md through our server, spoken in Google's published messages. */
import { runOnServer, unsaid } from './backends.js';
import { fidelityCases } from './fidelity.js';

describe('FIDELITY.md on the server', () => {
  test.each(
    fidelityCases
      .filter(({ id }) => !unsaid.includes(id))
      .map((one) => [one.id, one.what, one] as const),
  )('%s: %s', async (_id, _what, one) => {
    await runOnServer(one);
  });
});
