/** A cursor over rows in memory. */
import { noBytes } from '../../../src/base/index.js';
import { noLabels, type Row, type RowCursor } from '../../../src/data/store/index.js';

export function listCursor(rows: readonly Row[]): RowCursor {
  let row = -1;
  let cell = -1;
  const cursor: RowCursor = {
    keyBytes: noBytes,
    keyStart: 0,
    keyEnd: 0,
    family: '',
    qualifierBytes: noBytes,
    qualifierStart: 0,
    qualifierEnd: 0,
    valueBytes: noBytes,
    valueStart: 0,
    valueEnd: 0,
    labels: noLabels,
    nextRow() {
      if (++row >= rows.length) return false;
      cell = -1;
      // Not at the start of the buffer, like the keys in an engine's records.
      cursor.keyBytes = Buffer.concat([Buffer.from('<'), rows[row].key, Buffer.from('>')]);
      cursor.keyStart = 1;
      cursor.keyEnd = 1 + rows[row].key.length;
      return true;
    },
    nextCell() {
      if (++cell >= rows[row].cells.length) return false;
      const { family, qualifier, value, labels } = rows[row].cells[cell];
      cursor.family = family;
      cursor.qualifierBytes = cursor.valueBytes = Buffer.concat([
        Buffer.from('?'),
        qualifier,
        value,
        Buffer.from('!'),
      ]);
      cursor.qualifierStart = 1;
      cursor.qualifierEnd = cursor.valueStart = 1 + qualifier.length;
      cursor.valueEnd = 1 + qualifier.length + value.length;
      cursor.labels = labels ?? noLabels;
      return true;
    },
    timestamp: () => rows[row].cells[cell].timestamp,
  };
  return cursor;
}
