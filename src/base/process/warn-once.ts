/** Process warnings about data that works now and will be a problem. */

const warned = new Set<string>();

/**
 * Emits a process warning of type RowsmithWarning, the first time in this process for the code and
 * the subject. Subjects are declared names, never keys or values.
 */
export function warnOnce(code: string, subject: string, message: string): void {
  const id = `${code} ${subject}`;
  if (warned.has(id)) return;
  warned.add(id);
  process.emitWarning(message, { type: 'RowsmithWarning', code });
}
