/** The text form of cells. */
import type { ColumnModel } from '../../model/index.js';
import { messageTextForm } from './message-text-form.js';
import { bytes, scalarTextForms, type TextForm, timestampForm } from './text-form.js';

/**
 * The text form of one cell of a column. Custom codecs are written as the bytes of the cell. `zone`
 * is the offset of timestamps without one; fields of messages always have one.
 */
export function cellTextForm({ codec, message }: ColumnModel, zone?: string): TextForm {
  if (message !== undefined) return messageTextForm(message);
  if (codec.kind === 'timestamp') return timestampForm(zone);
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
