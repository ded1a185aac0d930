/** Engines that count their rows, for the suite of streams. */
import { type Engine, type RowCursor, type RowStream } from '../../src/data/store/index.js';

/** The object with some of its methods replaced; all other methods keep their own `this`. */
export function replacing<T extends object>(
  target: T,
  methods: Readonly<Record<string, unknown>>,
): T {
  return new Proxy(target, {
    get: (_target, name) => {
      const member = methods[name as string] ?? target[name as keyof T];
      return typeof member === 'function' ? (member as () => unknown).bind(target) : member;
    },
  });
}

/** The engine, counting the rows that it returns and its open reads. */
export function counting(engine: Engine): {
  readonly engine: Engine;
  readonly count: { rows: number; open: number };
} {
  const count = { rows: 0, open: 0 };
  const counted = (page: RowCursor): RowCursor =>
    replacing(page, { nextRow: () => page.nextRow() && ++count.rows > 0 });
  const readRows: Engine['readRows'] = (plan, options) => {
    const stream = engine.readRows(plan, options);
    let closed = false;
    count.open++;
    return {
      next: async () => {
        const page = await stream.next();
        return page === undefined ? undefined : counted(page);
      },
      close: async () => {
        if (!closed) count.open--;
        closed = true;
        await stream.close();
      },
    } satisfies RowStream;
  };
  return { engine: replacing(engine, { readRows }), count };
}

export const rowCount = 30_000;
