/**
 * Domain names with their labels reversed (`com.google.maps`), so that a domain and its sub-domains
 * stand together.
 */
import { domainToASCII } from 'node:url';
import type { Field } from './field.js';
import { notAValue, rejectValue } from '../encoding/segment-value-error.js';
import { rawDefaults } from './raw-field.js';

const label = /^[a-z0-9_-]{1,63}$/;

/** Lower-case punycode without a trailing dot; undefined when the text is no domain name. */
function canonicalDomain(text: string): string | undefined {
  const plain = text.endsWith('.') ? text.slice(0, -1) : text;
  const ascii = /^[\x00-\x7f]*$/.test(plain) ? plain.toLowerCase() : domainToASCII(plain);
  const labels = ascii.split('.');
  // A last label of digits is how the URL standard tells an IPv4 address; 253 is the longest name
  // DNS carries.
  if (
    ascii.length > 253 ||
    !labels.every((part) => label.test(part)) ||
    /^([0-9]+|0x[0-9a-f]*)$/.test(labels[labels.length - 1])
  )
    return undefined;
  return ascii;
}

function reversed(domain: string): string {
  return domain.split('.').reverse().join('.');
}

/**
 * The field: equality, and a domain with its sub-domains as two ranges, because `-` sorts before
 * `.`.
 */
export const domainField: Field = {
  ...rawDefaults,
  write(out, value) {
    const domain = typeof value === 'string' ? canonicalDomain(value) : undefined;
    if (domain === undefined)
      rejectValue(
        'the value is not a domain name',
        'pass a name such as maps.google.com; IP addresses belong in a string segment',
        value,
      );
    out.ascii(reversed(domain));
  },
  reader: () => (bytes, start, end) => {
    let text = '';
    for (let i = start; i < end; i++) {
      if (bytes[i] > 0x7f) return notAValue;
      text += String.fromCharCode(bytes[i]);
    }
    const domain = reversed(text);
    return canonicalDomain(domain) === domain ? domain : notAValue;
  },
  minLength: 1,
  maxLength: 253,
  leastByte: 0x2d,
  subdomains: true,
  punctuation: '.',
  noRanges: 'domains are kept with their labels reversed, so keys do not sort by name',
  encoding: 'domain name, labels reversed',
};
