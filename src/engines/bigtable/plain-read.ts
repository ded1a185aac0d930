/** A read in one call: no resumption. */
import { ChunkReader, writeFilter, writePlan } from '../../protocol/index.js';
import type { ReadOptions, ReadPlan, RowCursor, RowStream } from '../../store/index.js';
import type { Calls } from './calls.js';
import type { MessageStream } from './channel.js';

/** Rows of a page. */
const pageRowsDefault = 256;

/** Reads the plan. */
export function plainRead(calls: Calls, plan: ReadPlan, { signal, pageRows = pageRowsDefault }: ReadOptions): RowStream {
  const reader = new ChunkReader(plan.reversed);
  let stream: MessageStream | undefined;
  let ended = false;
  const start = (): MessageStream | undefined => {
    calls.check();
    const filter = plan.filter === undefined ? undefined : writeFilter(plan.filter);
    const request = writePlan(plan, { tableName: calls.tableName(plan.table), appProfile: calls.channel.appProfile, filter });
    if (request === undefined) return undefined;
    return calls.channel.stream('/google.bigtable.v2.Bigtable/ReadRows', request, { routing: calls.routing(plan.table), ...(signal === undefined ? {} : { signal }) });
  };
  const next = async (): Promise<RowCursor | undefined> => {
    for (;;) {
      signal?.throwIfAborted();
      const page = ended ? undefined : reader.page(pageRows);
      if (page !== undefined || ended) return page;
      stream ??= start();
      const messages = await stream?.read();
      if (messages === undefined) {
        reader.end();
        ended = true;
        return undefined;
      }
      for (const message of messages) reader.add(message);
    }
  };
  return {
    next: () => next().catch((error: unknown) => { throw calls.error(error, { table: plan.table }); }),
    close: async () => {
      ended = true;
      stream?.cancel();
    },
  };
}
