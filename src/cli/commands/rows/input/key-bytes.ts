/** Row keys as text: hexadecimal, base64, or printable with escapes. */
import { fromHex, type FaultTexts } from '../../../../base/index.js';
import { base64 } from '../../../../data/text/index.js';
import { UsageError } from '../../../command.js';

/** The forms of the bytes of a key. */
export const keyForms = ['text', 'hex', 'base64'] as const;

/** A form of the bytes of a key. */
export type KeyForm = (typeof keyForms)[number];

/** The bytes of a key in a form. Throws UsageError. */
export function keyBytes(text: string, form: KeyForm): Uint8Array {
  switch (form) {
    case 'hex': {
      const bytes = fromHex(text);
      if (bytes !== undefined) return bytes;
      throw new UsageError(faults.notHexadecimal(text));
    }
    case 'base64':
      if (base64.test(text)) return new Uint8Array(Buffer.from(text, 'base64'));
      throw new UsageError(faults.notBase64(text));
    case 'text':
      return textBytes(text);
  }
}

function textBytes(text: string): Uint8Array {
  const parts = text.split(/(\\x[0-9a-fA-F]{2}|\\\\)/);
  const bytes = parts.map((part, i) => {
    if (i % 2 === 1) return Buffer.from([part === '\\\\' ? 0x5c : parseInt(part.slice(2), 16)]);
    if (!part.includes('\\')) return Buffer.from(part);
    throw new UsageError(faults.loneBackslash(text));
  });
  return new Uint8Array(Buffer.concat(bytes));
}

const faults = {
  notHexadecimal: (text: string) => ({
    problem: `'${text}' is not hexadecimal`,
    fix: 'two digits for each byte',
  }),
  notBase64: (text: string) => ({ problem: `'${text}' is not base64 with padding` }),
  loneBackslash: (text: string) => ({
    problem: `'${text}': a backslash begins \\xNN, two hexadecimal digits`,
    fix: 'write \\x5c for the backslash',
  }),
} satisfies FaultTexts;
