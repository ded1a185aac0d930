/** Delays the first read of an index until it is known that its entries are complete. */
import { abortable } from '../../../base/index.js';
import type { Stage } from '../../../data/store/index.js';

/** Reads reject as `assertReady` does. */
export function whenReady(assertReady: () => Promise<void>): Stage {
  return {
    read(request, send) {
      const stream = send(request);
      let checked = false;
      return {
        async next() {
          if (!checked) await abortable(assertReady(), request.options?.signal);
          checked = true;
          return stream.next();
        },
        close: () => stream.close(),
      };
    },
  };
}
