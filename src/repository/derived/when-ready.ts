/** Delays the first read of an index until it is known that its entries are complete. */
import { abortable } from '../../base/index.js';
import type { Engine, ReadOptions, ReadPlan, RowStream } from '../../store/index.js';

/** `engine`, whose reads reject as `assertReady` does. */
export function whenReady(engine: Engine, assertReady: () => Promise<void>): Engine {
  const readRows = (plan: ReadPlan, options?: ReadOptions): RowStream => {
    const stream = engine.readRows(plan, options);
    let checked = false;
    return {
      async next() {
        if (!checked) await abortable(assertReady(), options?.signal);
        checked = true;
        return stream.next();
      },
      close: () => stream.close(),
    };
  };
  return new Proxy(engine, {
    get(target, name) {
      if (name === 'readRows') return readRows;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
