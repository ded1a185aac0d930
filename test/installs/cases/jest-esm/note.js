import { column, defineEntity, rowKey } from 'rowsmith';

export class Note {}

defineEntity(Note, {
  table: 'notes',
  families: { n: {} },
  key: rowKey('list', 'id'),
  segments: {
    list: { kind: 'string', maxLength: 40 },
    id: { kind: 'string', maxLength: 40 },
  },
  columns: { title: column('n', 'string') },
});
