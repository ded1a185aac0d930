/** Row -> google.bigtable.v2.Row, for the answer of a read-modify-write. */
import { equalBytes } from '../bytes/index.js';
import type { Row } from '../store/index.js';
import type { RowMessage } from './data-messages.js';
import type { ContentOf } from './message-type.js';

type RowContent = ContentOf<typeof RowMessage>;
type FamilyContent = NonNullable<RowContent['families']>[number];
type ColumnContent = NonNullable<FamilyContent['columns']>[number];

/** The row as nested families, columns and cells. Its cells stand in order, so neighbours belong together. */
export function rowMessage({ key, cells }: Row): RowContent {
  const families: FamilyContent[] = [];
  let columns: ColumnContent[] = [];
  for (const { family, qualifier, timestamp, value } of cells) {
    if (families.at(-1)?.name !== family) families.push({ name: family, columns: columns = [] });
    const last = columns.at(-1);
    const cell = { timestampMicros: timestamp, value };
    if (last !== undefined && equalBytes(last.qualifier!, qualifier)) last.cells!.push(cell);
    else columns.push({ qualifier, cells: [cell] });
  }
  return { key, families };
}
