/** Errors of TypeScript in the words of Java. */
import { isRowsmithError } from '../../../src/base/index.js';
import type { Answer } from './line-process.js';

/** The result of TypeScript in the form of Java's answers. */
export function attempted(call: () => unknown): Answer {
  try {
    return { ok: call() };
  } catch (error) {
    if (!isRowsmithError(error)) throw error;
    const { property = null, problem = '', fix = '' } = error.details;
    return { error: { code: error.code, property, problem: inJava(problem), fix: inJava(fix) } };
  }
}

/** The words of Java for what TypeScript says. */
export function inJava(text: string): string {
  return text
    .replace(/\b(the|a) Date\b/g, 'an Instant')
    .replace(/\ba bigint, such as 42n/, 'a whole number, such as 42')
    .replace(/\ba bigint\b/g, 'a whole number')
    .replace('a Uint8Array or a Buffer', 'a ByteString')
    .replace(/not decimal text/, 'not a BigDecimal')
    .replace(/^pass text such as '([\d.]+)'$/, 'pass one such as new BigDecimal("$1")')
    .replace(/4,096 bytes(?! of)/, '4096 bytes')
    .replace('an Instant cannot represent', 'an Instant of Rowsmith does not represent')
    .replace(/(does not contain JSON): .*/, '$1')
    .replace(', see String.prototype.isWellFormed', '');
}
