/**
 * Domain names with their labels reversed (`com.google.maps`), so that a domain and its subdomains
 * are adjacent.
 */
import type { FaultTexts } from '../../../base/index.js';
import { domainToASCII } from 'node:url';
import type { SegmentField } from '../fields/field.js';
import { notAValue, rejectValue } from '../encoding/segment-value-error.js';
import { rawDefaults } from '../fields/raw-field.js';

const label = /^[a-z0-9_-]{1,63}$/;

/** The longest domain name that DNS carries. */
const maxLength = 253;

/** Lower-case punycode without a trailing dot; undefined if the text is not a domain name. */
function canonicalDomain(text: string): string | undefined {
  const ascii = toAscii(text.replace(/\.$/, ''));
  const labels = ascii.split('.');
  // By the URL standard, a name with a number as its last label is an IPv4 address.
  if (
    ascii.length > maxLength ||
    !labels.every((part) => label.test(part)) ||
    /^([0-9]+|0x[0-9a-f]*)$/.test(labels[labels.length - 1])
  )
    return undefined;
  return ascii;
}

function toAscii(domain: string): string {
  if (/^[\x00-\x7f]*$/.test(domain)) return domain.toLowerCase();
  return domainToASCII(domain);
}

function reversed(domain: string): string {
  return domain.split('.').reverse().join('.');
}

/**
 * Serves equality, and a domain with its subdomains. The latter is two ranges, because `-` sorts
 * before `.`.
 */
export const domainField: SegmentField = {
  ...rawDefaults,
  write(out, value) {
    let domain: string | undefined;
    if (typeof value === 'string') domain = canonicalDomain(value);
    if (domain === undefined) rejectValue(faults.notADomainName, value);
    out.ascii(reversed(domain));
  },
  reader: () => (bytes, start, end) => {
    let text = '';
    for (let i = start; i < end; i++) {
      if (bytes[i] > 0x7f) return notAValue;
      text += String.fromCharCode(bytes[i]);
    }
    const domain = reversed(text);
    if (canonicalDomain(domain) !== domain) return notAValue;
    return domain;
  },
  minLength: 1,
  maxLength,
  minByte: 0x2d,
  subdomains: true,
  punctuation: '.',
  noRanges: 'domains are stored with their labels reversed, so keys do not sort by name',
  encoding: 'domain name, labels reversed',
};

const faults = {
  notADomainName: {
    problem: 'the value is not a domain name',
    fix: 'pass a name such as maps.google.com; for IP addresses, use a string segment',
  },
} satisfies FaultTexts;
