import { toHex } from '../../src/bytes/index.js';
import { messageCodec, type Compilation } from '../../src/cell/message/message-codec.js';
import { shapes, values } from './message-arbitrary.js';
import { holdsMap, peerForm, peerType } from './message-oracle.js';
import fc from '../support/fast-check.js';

const compilations: Compilation[] = ['source', 'closures'];
const shapeAndValue = shapes(2).chain((shape) =>
  fc.record({ shape: fc.constant(shape), value: values(shape) }),
);

describe.each(compilations)('compiled into %s', (compilation) => {
  test('what comes back is what was given', () => {
    fc.assert(
      fc.property(shapeAndValue, ({ shape, value }) => {
        const codec = messageCodec(shape, compilation);
        const bytes = codec.encode(value);
        const decoded = codec.decode(bytes, 0, bytes.length);
        expect(decoded).toBeInstanceOf(shape.messageClass);
        expect(decoded).toEqual(value);
        expect(toHex(codec.encode(decoded))).toBe(toHex(bytes));
      }),
      { numRuns: 300 },
    );
  });

  test('protobufjs reads what we write, and we read what it writes', () => {
    fc.assert(
      fc.property(shapeAndValue, ({ shape, value }) => {
        const codec = messageCodec(shape, compilation);
        const peer = peerType(shape);
        const bytes = codec.encode(value);
        const message = peer.decode(bytes);
        // Without `defaults`: what is absent stays absent. Enums as numbers.
        const seen = peer.toObject(message, { longs: String });
        expect(peerForm(seen)).toEqual(peerForm(value));
        const theirs = peer.encode(message).finish();
        expect(codec.decode(theirs, 0, theirs.length)).toEqual(value);
        if (!holdsMap(value)) expect(toHex(theirs)).toBe(toHex(bytes));
      }),
      { numRuns: 200 },
    );
  });

  test('messages of one writer do not touch each other', () => {
    fc.assert(
      fc.property(
        shapes(1).chain((shape) =>
          fc.record({ shape: fc.constant(shape), all: fc.array(values(shape), { maxLength: 20 }) }),
        ),
        ({ shape, all }) => {
          const codec = messageCodec(shape, compilation);
          const cells = all.map((value) => codec.encode(value));
          expect(cells.map((cell) => codec.decode(cell, 0, cell.length))).toEqual(all);
        },
      ),
      { numRuns: 50 },
    );
  });
});

test('both compilations write the same bytes', () => {
  fc.assert(
    fc.property(shapeAndValue, ({ shape, value }) => {
      expect(toHex(messageCodec(shape, 'closures').encode(value))).toBe(
        toHex(messageCodec(shape, 'source').encode(value)),
      );
    }),
  );
});
