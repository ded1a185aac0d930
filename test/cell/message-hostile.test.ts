/** Bytes that nobody's encoder wrote: a fault or a message, never another error, and soon. */
import { CellFault, type MessageShape } from '../../src/cell/index.js';
import { messageCodec, type Compilation } from '../../src/cell/message/message-codec.js';
import { leastGrowth } from '../support/growth.js';
import { everything, messageShape, shapes, values } from './message-arbitrary.js';
import fc from '../support/fast-check.js';

/** What decoding gives: the message as it is written again, or the words of the fault. */
function outcome(shape: MessageShape, compilation: Compilation, bytes: Uint8Array): string {
  const codec = messageCodec(shape, compilation);
  try {
    const decoded = codec.decode(bytes, 0, bytes.length);
    const again = codec.encode(decoded);
    // What was read once is read the same again.
    expect(codec.decode(again, 0, again.length)).toEqual(decoded);
    return Buffer.from(again).toString('hex');
  } catch (fault) {
    if (!(fault instanceof CellFault)) throw fault;
    return `${fault.path}: ${fault.problem}`;
  }
}

const same = (shape: MessageShape, bytes: Uint8Array): void =>
  expect(outcome(shape, 'source', bytes)).toBe(outcome(shape, 'closures', bytes));

test('a packed run of no values is no list, as the encoder would have it', () => {
  const shape = messageShape('Runs', [
    { name: 'many', number: 1, label: 'repeated', type: { kind: 'scalar', scalar: 'uint64' } },
  ]);
  for (const compilation of ['source', 'closures'] as const) {
    const codec = messageCodec(shape, compilation);
    expect(codec.decode(Uint8Array.of(0x0a, 0), 0, 2)).toEqual({});
    expect(codec.decode(Uint8Array.of(0x08, 5, 0x0a, 0), 0, 4)).toEqual({ many: [5n] });
  }
});

test('random bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => same(everything, bytes)),
    { numRuns: 2000 },
  );
});

test('bytes of messages with some of them changed, dropped or doubled', () => {
  const edits = fc.array(
    fc.record({
      at: fc.nat(),
      byte: fc.oneof(fc.nat(255), fc.constantFrom(0, 1, 0x7f, 0x80, 0xff)),
      kind: fc.constantFrom('change', 'drop', 'double', 'cut'),
    }),
    { minLength: 1, maxLength: 3 },
  );
  fc.assert(
    fc.property(
      shapes(1).chain((shape) => fc.record({ shape: fc.constant(shape), value: values(shape) })),
      edits,
      ({ shape, value }, changes) => {
        let bytes = [...messageCodec(shape).encode(value)];
        for (const { at, byte, kind } of changes) {
          const i = at % (bytes.length + 1);
          if (kind === 'change') bytes[Math.min(i, bytes.length)] = byte;
          else if (kind === 'drop') bytes.splice(i, 1);
          else if (kind === 'double') bytes.splice(i, 0, ...bytes.slice(i, i + 20));
          else bytes = bytes.slice(0, i);
        }
        same(shape, Uint8Array.from(bytes));
      },
    ),
    { numRuns: 500 },
  );
});

test('a message cut anywhere is a fault or a shorter message, and reads nothing past its end', () => {
  fc.assert(
    fc.property(
      shapes(1).chain((shape) => fc.record({ shape: fc.constant(shape), value: values(shape) })),
      ({ shape, value }) => {
        const whole = messageCodec(shape).encode(value);
        for (let end = 0; end < whole.length; end += 1 + Math.floor(whole.length / 20)) {
          // Followed by the rest in one buffer, and by nothing in the other.
          const codec = messageCodec(shape);
          const read = (bytes: Uint8Array): unknown => {
            try {
              return codec.decode(bytes, 0, end);
            } catch (fault) {
              if (!(fault instanceof CellFault)) throw fault;
              return [fault.path, fault.problem];
            }
          };
          expect(read(whole)).toEqual(read(whole.slice(0, end)));
        }
      },
    ),
    { numRuns: 100 },
  );
});

describe.each<Compilation>(['source', 'closures'])(
  'compiled into %s, the cost grows with the bytes',
  (compilation) => {
    const repeat = (part: readonly number[], times: number): Uint8Array =>
      Uint8Array.from({ length: part.length * times }, (_, i) => part[i % part.length]);
    // Squared costs would be 64 times as long for eight times the parts.
    test.each<[string, readonly number[], number]>([
      [
        'one message in many parts, each with an unknown field',
        [0xa2, 0x01, 0x03, 0xc8, 0x3e, 0x01],
        100_000,
      ],
      ['unknown fields among known ones', [0xc8, 0x3e, 0x01, 0x18, 0x01], 100_000],
      ['entries of one key', [0xb2, 0x01, 0x03, 0x0a, 0x01, 0x61], 100_000],
      [
        'messages in messages in many parts',
        [0xa2, 0x01, 0x06, 0xa2, 0x01, 0x03, 0xa2, 0x01, 0x00],
        60_000,
      ],
    ])('%s', (_name, part, times) => {
      const codec = messageCodec(everything, compilation);
      const growth = leastGrowth(
        (size) => {
          const bytes = repeat(part, size);
          codec.encode(codec.decode(bytes, 0, bytes.length));
        },
        [times / 8, times],
        20,
      );
      expect(growth).toBeLessThan(40);
    });
  },
);
