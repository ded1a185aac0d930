/** Patterns of row keys for conditions on segments. */
import type { Filter } from '../../../data/store/index.js';
import type { Check } from './condition.js';
import type { SegmentTest } from './test-subject.js';

/** A longer pattern costs the storage more than it saves. */
const maxPatternBytes = 1024;

/**
 * A pattern that every key with one of the values matches: it contains the bytes of the value
 * between delimiters. Undefined if the checks name no values.
 */
export function keyPattern(segment: SegmentTest, checks: readonly Check[]): Filter | undefined {
  for (const check of checks) {
    if (check.kind !== 'oneOf' || check.orAbsent || check.values.length === 0) continue;
    const texts: string[] = [];
    for (const value of check.values) {
      const bytes = segment.keyBytes(value);
      if (bytes === undefined) return undefined;
      texts.push(quoted(bytes));
    }
    const pattern = `(\\C*#)?(${texts.join('|')})(#\\C*)?`;
    if (pattern.length > maxPatternBytes) return undefined;
    return { kind: 'rowKeyRegex', pattern: new Uint8Array(Buffer.from(pattern, 'latin1')) };
  }
  return undefined;
}

/** Everything but letters and digits as `\xNN`, which RE2 reads as a byte. */
function quoted(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => {
    const character = String.fromCharCode(byte);
    if (/[A-Za-z0-9]/.test(character)) return character;
    return `\\x${byte.toString(16).padStart(2, '0')}`;
  }).join('');
}
