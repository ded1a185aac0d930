/** How the columns of an entity are spelled. */
import type { ColumnModel } from '../../model/index.js';
import { messageTextForm } from './message-text-form.js';
import { bytes, scalarTextForms, type TextForm } from './text-form.js';

/**
 * The spelling of one cell of the column. Codecs of one's own are spelled as their bytes: nobody
 * else knows their values.
 */
export function cellTextForm({ codec, message }: ColumnModel): TextForm {
  if (message !== undefined) return messageTextForm(message);
  if (Object.hasOwn(scalarTextForms, codec.kind))
    return scalarTextForms[codec.kind as keyof typeof scalarTextForms];
  return {
    form: 'text',
    write: (value) => bytes.write(codec.encode(value)),
    read(said) {
      const cell = bytes.read(said) as Uint8Array;
      return codec.decode(cell, 0, cell.length);
    },
  };
}
