/** JSON values that are read as they are written, unlike the fields of CSV files. */
import { isDate } from '../../base/index.js';
import { wrongTypeError } from '../cell/index.js';
import type { TextForm } from './text-form.js';

/** Changes the form of single values, such as the fields of a message. */
export type FormOf = (form: TextForm) => TextForm;

/** The form itself, for files. */
export const asInFiles: FormOf = (form) => form;

/** A Date holds milliseconds: what is finer would be lost. */
const exactTime = /^([+-]\d\d)?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3}0*)?(Z|[+-]\d\d:\d\d)$/;

const cache = new WeakMap<TextForm, TextForm>();

/**
 * The form without what files are forgiven: digits for a number, a number for digits, `true` as
 * text, and blanks around values. A timestamp may have another zone, and seconds without fraction.
 */
export const exactly: FormOf = (form) => {
  const cached = cache.get(form);
  if (cached !== undefined) return cached;
  const exact: TextForm = { ...form, parse: (input) => parseExactly(form, input) };
  cache.set(form, exact);
  return exact;
};

function parseExactly(form: TextForm, input: unknown): unknown {
  const value = form.parse(input);
  if (form.kind === 'json') return value;
  // JSON holds -0 as a number, which is written as text.
  if (typeof input === 'number' && typeof value === 'number') return value;
  const written = form.format(value);
  if (written === input) return value;
  if (isDate(value) && typeof input === 'string' && exactTime.test(input)) return value;
  throw wrongTypeError(
    `${JSON.stringify(written)}`,
    input,
    'write it as toJSON() does',
    'write it as rowsmith get prints it',
  );
}
