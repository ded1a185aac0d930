/** How the columns of an entity are spelled. */
import type { ColumnModel } from '../../model/index.js';
import { messageSpelling } from './message-text-form.js';
import { bytes, scalarSpellings, type Spelling } from './text-form.js';

/**
 * The spelling of one cell of the column. Codecs of one's own are spelled as their bytes: nobody
 * else knows their values.
 */
export function cellSpelling({ codec, message }: ColumnModel): Spelling {
  if (message !== undefined) return messageSpelling(message);
  if (Object.hasOwn(scalarSpellings, codec.kind))
    return scalarSpellings[codec.kind as keyof typeof scalarSpellings];
  return {
    form: 'text',
    write: (value) => bytes.write(codec.encode(value)),
    read(said) {
      const cell = bytes.read(said) as Uint8Array;
      return codec.decode(cell, 0, cell.length);
    },
  };
}
