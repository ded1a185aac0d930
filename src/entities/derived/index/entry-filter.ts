/** What is read of entries to find their rows. */
import { entryColumns, type IndexModel } from '../../model/index.js';
import type { Filter } from '../../../data/store/index.js';

const newest: Filter = { kind: 'cellsPerColumn', count: 1 };

/** The tokens and holders of the entries of an index. */
export function entryFilter({ own }: IndexModel): Filter {
  const cells: Filter = { kind: 'families', families: [own.token.family] };
  return { kind: 'chain', filters: [cells, newest] };
}

/** The same for an index without a known declaration. */
export const anyEntryFilter: Filter = Object.freeze<Filter>({
  kind: 'chain',
  filters: [{ kind: 'familyRegex', pattern: `${entryColumns.token.family}.*` }, newest],
});
