/** The text form of cells. */
import type { ColumnModel } from '../../model/index.js';
import { messageTextForm } from './message-text-form.js';
import { bytes, scalarTextForms, type TextForm } from './text-form.js';

/** The text form of one cell of a column. Custom codecs are written as the bytes of the cell. */
export function cellTextForm({ codec, message }: ColumnModel): TextForm {
  if (message !== undefined) return messageTextForm(message);
  if (Object.hasOwn(scalarTextForms, codec.kind))
    return scalarTextForms[codec.kind as keyof typeof scalarTextForms];
  return {
    kind: 'text',
    format: (value) => bytes.format(codec.encode(value)),
    parse(input) {
      const cell = bytes.parse(input) as Uint8Array;
      return codec.decode(cell, 0, cell.length);
    },
  };
}
