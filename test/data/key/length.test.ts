/**
 * The maximum key length that declared limits allow: reached by escaped text and by text of three
 * bytes per character, exceeded by no text.
 */
import {
  buildKeyCodec,
  type KeyCodec,
  type KeyFormat,
  type SegmentOptions,
} from '../../../src/data/key/index.js';
import fc from '../../support/fast-check.js';

function codecOf(format: KeyFormat, options: SegmentOptions): KeyCodec {
  const built = buildKeyCodec(
    {
      format,
      parts: [
        { kind: 'segment', name: 'text', type: { kind: 'string', ...options } },
        { kind: 'literal', text: 'x' },
      ],
    },
    'Entity',
  );
  if ('faults' in built) throw new Error(JSON.stringify(built.faults));
  return built.codec;
}

test.each([
  ['escaped', '###'],
  ['three bytes each', '\u20ac\u20ac\u20ac'],
])('text: %s', (_what, text) => {
  const codec = codecOf('text', { maxLength: 3 });
  expect(codec.encode({ text }).length).toBe(codec.maxLength);
});

test.each<[KeyFormat, SegmentOptions]>([
  ['text', {}],
  ['text', { nullable: true }],
  ['ordered', {}],
  ['ordered', { nullable: true }],
  ['ordered', { order: 'desc' }],
  ['ordered', { order: 'desc', nullable: true }],
])('%s %j: no key is longer', (format, options) => {
  const character = fc.constantFrom(
    '\0',
    ' ',
    '#',
    '$',
    'a',
    '\x7f',
    '\u00ff',
    '\u07ff',
    '\u20ac',
    '\uffff',
    '\u{1f600}',
  );
  const codecs = [1, 2, 3, 4, 5].map((maxLength) => {
    return { maxLength, codec: codecOf(format, { ...options, maxLength }) };
  });
  fc.assert(
    fc.property(
      fc.constantFrom(...codecs),
      fc.array(character, { maxLength: 5 }),
      ({ maxLength, codec }, characters) => {
        const text = characters.join('');
        fc.pre(text.length <= maxLength);
        expect(codec.encode({ text }).length).toBeLessThanOrEqual(codec.maxLength);
      },
    ),
    { numRuns: 2000 },
  );
});
