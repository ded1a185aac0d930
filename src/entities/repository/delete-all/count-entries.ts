/** Counts the entries that rows of a scope have in indexes that do not begin with its segments. */
import { latin1Text } from '../../../base/index.js';
import { pagesOf } from '../../derived/index.js';
import type { EntityModel } from '../../model/index.js';
import type { Engine, Filter } from '../../../data/store/index.js';
import type { StoredPart } from './survey.js';

function tokensOf({ indexes }: EntityModel): Filter {
  const families = [...new Set(indexes.map(({ own }) => own.tokens))];
  return {
    kind: 'chain',
    filters: [
      { kind: 'families', families },
      { kind: 'cellsPerColumn', count: 1 },
      { kind: 'stripValue' },
    ],
  };
}

/** Each row has a token for each of its entries. The result is by the id of the index. */
export async function countEntries(
  engine: Engine,
  { inScope }: StoredPart,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const decode = inScope.key.decoder();
  const tokens = tokensOf(inScope);
  for await (const rows of pagesOf(engine, inScope, tokens, { signal }))
    for (const { key, cells } of rows) {
      if (!decode(key, 0, key.length, {})) continue;
      for (const { qualifier } of cells) {
        const id = latin1Text(qualifier);
        counts.set(id, (counts.get(id) ?? 0) + 1);
      }
    }
  return counts;
}
