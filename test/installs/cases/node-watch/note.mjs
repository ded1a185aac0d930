import { column, defineEntity, rowKey } from 'rowsmith';

export class Note {}

defineEntity(Note, {
  table: 'notes',
  families: { n: {} },
  key: rowKey('id'),
  segments: { id: { kind: 'string', maxLength: 40 } },
  columns: { title: column('n', 'string') },
});

/** More values of a new note. */
export const extra = {};
