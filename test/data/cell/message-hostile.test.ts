/** Malformed bytes result in a CodecError or a message, never in another error. */
import { CodecError, type MessageShape } from '../../../src/data/cell/index.js';
import { messageCodec, type Compilation } from '../../../src/data/cell/message/message-codec.js';
import { everything, messageShape, shapes, values } from './message-arbitrary.js';
import fc from '../../support/fast-check.js';

const runs = Number(process.env.RUNS ?? 40);

/** The decoded message as re-encoded bytes, or the path and text of the error. */
function outcome(shape: MessageShape, compilation: Compilation, bytes: Uint8Array): string {
  const codec = messageCodec(shape, compilation);
  try {
    const decoded = codec.decode(bytes, 0, bytes.length);
    const again = codec.encode(decoded);
    // Decoding the re-encoded bytes returns the same message.
    expect(codec.decode(again, 0, again.length)).toEqual(decoded);
    return Buffer.from(again).toString('hex');
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    return `${error.path}: ${error.problem}`;
  }
}

const expectSameOutcome = (shape: MessageShape, bytes: Uint8Array): void =>
  expect(outcome(shape, 'source', bytes)).toBe(outcome(shape, 'closures', bytes));

test('an empty packed run creates no list, because the encoder would not write one', () => {
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
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => expectSameOutcome(everything, bytes)),
    { numRuns: 5 * runs },
  );
});

test('encoded messages with some bytes changed, dropped or duplicated', () => {
  const edits = fc.array(
    fc.record({
      at: fc.nat(),
      byte: fc.oneof(fc.nat(255), fc.constantFrom(0, 1, 0x7f, 0x80, 0xff)),
      kind: fc.constantFrom('change', 'drop', 'duplicate', 'truncate'),
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
          else if (kind === 'duplicate') bytes.splice(i, 0, ...bytes.slice(i, i + 20));
          else bytes = bytes.slice(0, i);
        }
        expectSameOutcome(shape, Uint8Array.from(bytes));
      },
    ),
    { numRuns: 2 * runs },
  );
});

test('a truncated message is an error or a shorter message, and nothing after its end is read', () => {
  fc.assert(
    fc.property(
      shapes(1).chain((shape) => fc.record({ shape: fc.constant(shape), value: values(shape) })),
      ({ shape, value }) => {
        const bytes = messageCodec(shape).encode(value);
        for (let end = 0; end < bytes.length; end += 1 + Math.floor(bytes.length / 20)) {
          // One buffer continues with the rest of the message, the other one ends.
          const codec = messageCodec(shape);
          const read = (buffer: Uint8Array): unknown => {
            try {
              return codec.decode(buffer, 0, end);
            } catch (error) {
              if (!(error instanceof CodecError)) throw error;
              return [error.path, error.problem];
            }
          };
          expect(read(bytes)).toEqual(read(bytes.slice(0, end)));
        }
      },
    ),
    { numRuns: runs },
  );
});
