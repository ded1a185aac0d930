/** Every field of every published request: a request that sets it shows what is claimed of it. */
import { status } from '@grpc/grpc-js';
import {
  checkClaim,
  claimsOf,
  keys,
  merged,
  outcomeOf,
  services,
  stable,
  untouchedState,
} from './outcomes.js';

let untouched = '';
beforeAll(async () => {
  untouched = await untouchedState();
});

describe.each(keys)('%s', (key) => {
  const [, claims] = services[key];

  test.each(Object.keys(claims))('%s', async (method) => {
    const { base, fields } = claimsOf(key)[method];
    const expected = await outcomeOf(key, method, base);
    expect(expected.code).toBe(status.OK);
    for (const [path, [claim, change, , from]] of Object.entries(fields)) {
      const compared =
        from === undefined ? expected : await outcomeOf(key, method, merged(base, from));
      const changed = await outcomeOf(key, method, merged(base, change));
      try {
        checkClaim(claim, compared, changed, untouched);
      } catch (cause) {
        throw new Error(`${method} ${path} is not '${claim}'`, { cause });
      }
    }
  });

  const masked = Object.entries(claims).filter(([, { base }]) => 'updateMask' in base);
  if (masked.length > 0)
    test.each(masked)(
      '%s: fields that the mask does not name',
      async (method, { base, fields }) => {
        const { updateMask } = base as { updateMask: object };
        const expected = await outcomeOf(key, method, base);
        const changes = Object.entries(fields).filter(
          ([, [, change]]) =>
            'updateMask' in change && stable(change.updateMask) !== stable(updateMask),
        );
        expect(changes.length).toBeGreaterThan(1);
        for (const [path, [, change]] of changes) {
          if (path === 'updateMask') continue;
          const outcome = await outcomeOf(key, method, merged(base, { ...change, updateMask }));
          if (outcome.code === status.OK)
            expect({ path, outcome }).toEqual({ path, outcome: expected });
          else expect(outcome.state).toBe(untouched);
        }
      },
    );
});
