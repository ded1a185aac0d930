/** The cases of docs/data-model.md on our server, in Google's published messages. */
import { runOnServer, notInMessages } from './backends.js';
import { fidelityCases } from './fidelity.js';

describe('docs/data-model.md on the server', () => {
  test.each(
    fidelityCases
      .filter(({ id }) => !notInMessages.includes(id))
      .map((one) => [one.id, one.title, one] as const),
  )('%s: %s', async (_id, _what, one) => {
    await runOnServer(one);
  });
});
