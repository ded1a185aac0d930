import { toHex } from '../../../src/base/index.js';
import { messageCodec, type Compilation } from '../../../src/data/cell/message/message-codec.js';
import { shapes, values } from './message-arbitrary.js';
import { containsMap, oracleForm, oracleType } from './message-oracle.js';
import fc from '../../support/fast-check.js';

const runs = process.env.RUNS === undefined ? undefined : Number(process.env.RUNS);
const compilations: Compilation[] = ['source', 'closures'];
const shapeAndValue = shapes(2).chain((shape) =>
  fc.record({ shape: fc.constant(shape), value: values(shape) }),
);

describe.each(compilations)('compiled to %s', (compilation) => {
  test('decoding an encoded value returns the value', () => {
    fc.assert(
      fc.property(shapeAndValue, ({ shape, value }) => {
        const codec = messageCodec(shape, compilation);
        const bytes = codec.encode(value);
        const decoded = codec.decode(bytes, 0, bytes.length);
        expect(decoded).toBeInstanceOf(shape.messageClass);
        expect(decoded).toEqual(value);
        expect(toHex(codec.encode(decoded))).toBe(toHex(bytes));
      }),
      { numRuns: runs ?? 40 },
    );
  });

  test('protobufjs decodes our bytes, and we decode its bytes', () => {
    fc.assert(
      fc.property(shapeAndValue, ({ shape, value }) => {
        const codec = messageCodec(shape, compilation);
        const oracle = oracleType(shape);
        const bytes = codec.encode(value);
        const message = oracle.decode(bytes);
        // Without `defaults`, absent fields stay absent. Enums are numbers.
        const decodedByOracle = oracle.toObject(message, { longs: String });
        expect(oracleForm(decodedByOracle)).toEqual(oracleForm(value));
        const theirs = oracle.encode(message).finish();
        expect(codec.decode(theirs, 0, theirs.length)).toEqual(value);
        if (!containsMap(value)) expect(toHex(theirs)).toBe(toHex(bytes));
      }),
      { numRuns: runs ?? 25 },
    );
  });

  test('messages encoded with one writer do not affect each other', () => {
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
      { numRuns: runs ?? 10 },
    );
  });
});

test('both compilations encode the same bytes', () => {
  fc.assert(
    fc.property(shapeAndValue, ({ shape, value }) => {
      expect(toHex(messageCodec(shape, 'closures').encode(value))).toBe(
        toHex(messageCodec(shape, 'source').encode(value)),
      );
    }),
  );
});
