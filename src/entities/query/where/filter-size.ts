/** The size of a filter as a message: an upper bound, since the message is written elsewhere. */
import type { Filter } from '../../../data/store/index.js';

/** Tags and lengths of the nested messages that encode one step. */
const stepBytes = 32;

/** An upper bound of the serialized size of the filters of conditions. */
export function filterBytes(filter: Filter): number {
  switch (filter.kind) {
    case 'chain':
    case 'interleave':
      return filter.filters.reduce((sum, inner) => sum + filterBytes(inner), stepBytes);
    case 'columns':
      return filter.columns.reduce((sum, { family, qualifiers }) => {
        // Several qualifiers are a pattern, in which a byte may take four.
        const names = qualifiers === 'all' ? [] : qualifiers;
        return (
          sum + family.length + names.reduce((bytes, name) => bytes + 4 * name.length + 16, 16)
        );
      }, stepBytes);
    case 'valueEquals':
      return stepBytes + 2 * filter.value.length;
    case 'valueRange':
      return stepBytes + (filter.start?.value.length ?? 0) + (filter.end?.value.length ?? 0);
    case 'rowKeyRegex':
      return stepBytes + filter.pattern.length;
    default:
      return stepBytes;
  }
}
