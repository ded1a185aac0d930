/** Row <-> google.bigtable.v2.Row, for responses of ReadModifyWriteRow. */
import { equalBytes, noBytes } from '../../../base/index.js';
import type { Cell, Row } from '../../../data/store/index.js';
import type { RowMessage } from '../messages/data-messages.js';
import type { ContentOf } from '../../../data/cell/index.js';

type RowContent = ContentOf<typeof RowMessage>;
type FamilyContent = NonNullable<RowContent['families']>[number];
type ColumnContent = NonNullable<FamilyContent['columns']>[number];

/** The row as nested families, columns and cells. Cells of a column are adjacent. */
export function encodeRow({ key, cells }: Row): RowContent {
  const families: FamilyContent[] = [];
  let columns: ColumnContent[] = [];
  for (const { family, qualifier, timestamp, value } of cells) {
    if (families.at(-1)?.name !== family) {
      columns = [];
      families.push({ name: family, columns });
    }
    const last = columns.at(-1);
    const cell = { timestampMicros: timestamp, value };
    if (last !== undefined && equalBytes(last.qualifier!, qualifier)) last.cells!.push(cell);
    else columns.push({ qualifier, cells: [cell] });
  }
  return { key, families };
}

/** The row of a message. */
export function decodeRow({ key = noBytes, families = [] }: RowContent): Row {
  const cells = families.flatMap(({ name = '', columns = [] }) =>
    columns.flatMap(({ qualifier = noBytes, cells: versions = [] }) =>
      versions.map(({ timestampMicros: timestamp = 0n, value = noBytes }): Cell => ({
        family: name,
        qualifier,
        timestamp,
        value,
      })),
    ),
  );
  return { key, cells };
}
