import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Reading } from '../../../examples/static-codec/reading.js';
import { RowsmithError, toHex } from '../../../src/base/index.js';
import {
  CodecError,
  messageCodec,
  type CellCodec,
  type MessageShape,
  type StaticCodec,
} from '../../../src/data/cell/index.js';
import * as compile from '../../../src/data/cell/message/message-codec.js';
import { registerCodec } from '../../../src/wire.js';
import { messagesOfModels } from '../../../src/tools/codegen/proto/proto-files.js';
import { codecModule } from '../../../src/tools/codegen/proto/static-codecs.js';
import { buildModels } from '../../../src/entities/model/index.js';
import { everything, messageShape, shapes, values } from '../../data/cell/message-arbitrary.js';
import { expectGolden } from '../../support/golden.js';
import { root } from '../../support/built-package.js';
import { rowModels } from './proto-messages.js';
import { loadCodecs, renamed, staticCodec } from './static-codec.js';
import fc from '../../support/fast-check.js';

const runs = Number(process.env.RUNS ?? 15);

type Value = Record<string, unknown>;
const shapeAndValue = shapes(2).chain((shape) =>
  fc.record({ shape: fc.constant(shape), value: values(shape) }),
);
const reflective = (shape: MessageShape): CellCodec => compile.messageCodec(shape, 'closures');

/** The decoded message, or the fault. */
function decoded(codec: CellCodec, bytes: Uint8Array): unknown {
  try {
    return codec.decode(bytes, 0, bytes.length);
  } catch (fault) {
    if (!(fault instanceof CodecError)) throw fault;
    return { path: fault.path, problem: fault.problem, fix: fault.fix };
  }
}
function encoded(codec: CellCodec, value: object): unknown {
  try {
    return toHex(codec.encode(value));
  } catch (fault) {
    if (!(fault instanceof CodecError)) throw fault;
    return { path: fault.path, problem: fault.problem, fix: fault.fix };
  }
}

describe('a generated codec behaves as the reflective one', () => {
  test('in the bytes it writes and the values it reads', () => {
    fc.assert(
      fc.property(shapeAndValue, ({ shape: any, value }) => {
        const shape = renamed(any);
        const codec = staticCodec<Value>(shape);
        const bytes = codec.encode(value);
        expect(toHex(bytes)).toBe(encoded(reflective(shape), value));
        const message = codec.decode(bytes, 0, bytes.length);
        expect(message).toBeInstanceOf(shape.messageClass);
        expect(message).toEqual(value);
      }),
      { numRuns: runs },
    );
  });

  test('in the faults of values', () => {
    const wrong = fc.constantFrom<unknown>(
      null,
      undefined,
      'x',
      1.5,
      -1,
      2 ** 40,
      5n,
      -(2n ** 70n),
      true,
      [],
      [undefined],
      new Map<unknown, unknown>([['a', 'b']]),
      new Date(NaN),
      {},
      { strange: 1 },
      new Uint8Array(1),
    );
    fc.assert(
      fc.property(
        shapeAndValue,
        fc.array(fc.record({ at: fc.nat(), put: wrong }), { minLength: 1, maxLength: 3 }),
        ({ shape: any, value }, faults) => {
          const shape = renamed(any);
          const broken: Value = { ...value };
          for (const { at, put } of faults)
            broken[
              at % 5 === 4 ? 'nobody' : (shape.fields[at % shape.fields.length]?.name ?? 'nobody')
            ] = put;
          expect(encoded(staticCodec(shape), broken)).toEqual(encoded(reflective(shape), broken));
        },
      ),
      { numRuns: runs },
    );
  });

  const all = renamed(everything);
  test('in random bytes', () => {
    const codec = staticCodec(all);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) =>
        expect(decoded(codec, bytes)).toEqual(decoded(reflective(all), bytes)),
      ),
      { numRuns: 5 * runs },
    );
  });

  test('in changed and truncated bytes', () => {
    const edits = fc.array(
      fc.record({
        at: fc.nat(),
        byte: fc.oneof(fc.nat(255), fc.constantFrom(0, 1, 0x7f, 0x80, 0xff)),
        kind: fc.constantFrom('change', 'drop', 'double', 'cut'),
      }),
      { minLength: 1, maxLength: 3 },
    );
    const codec = staticCodec(all);
    fc.assert(
      fc.property(values(all, 1), edits, (value, changes) => {
        let bytes = [...codec.encode(value)];
        for (const { at, byte, kind } of changes) {
          const i = at % (bytes.length + 1);
          if (kind === 'change') bytes[i] = byte;
          else if (kind === 'drop') bytes.splice(i, 1);
          else if (kind === 'double') bytes.splice(i, 0, ...bytes.slice(i, i + 20));
          else bytes = bytes.slice(0, i);
        }
        const changed = Uint8Array.from(bytes);
        expect(decoded(codec, changed)).toEqual(decoded(reflective(all), changed));
      }),
      { numRuns: runs },
    );
  });
});

describe('registering', () => {
  const shapeOf = (name: string, type: 'int32' | 'string' = 'int32'): MessageShape =>
    messageShape(name, [
      { name: 'n', number: 1, label: 'singular', type: { kind: 'scalar', scalar: type } },
    ]);
  const errorOf = (run: () => unknown): RowsmithError => {
    try {
      run();
    } catch (error) {
      if (error instanceof RowsmithError) return error;
      throw error;
    }
    throw new Error('no error was thrown');
  };
  /** A codec with results that show that it was used. */
  const marked = (message: string, more: Partial<StaticCodec>): StaticCodec => ({
    message,
    format: 2,
    fields: ['1 int32 n'],
    decoder: () => (earlier) => Object.assign(earlier ?? {}, { n: 42 }),
    encoder: () => (w) => w.raw(Uint8Array.of(8, 42)),
    ...more,
  });

  test('a codec that is registered before the first value is used', () => {
    const codec = messageCodec<Value>(shapeOf('late.Message'));
    registerCodec(marked('late.Message', {}));
    expect(codec.decode(Uint8Array.of(8, 1), 0, 2)).toEqual({ n: 42 });
    expect(toHex(codec.encode({ n: 1 }))).toBe('082a');
  });

  test('a codec with other fields than the class is rejected, with the difference', () => {
    registerCodec(marked('stale.Message', {}));
    const codec = messageCodec<Value>(shapeOf('stale.Message', 'string'));
    const error = errorOf(() => codec.encode({ n: 'a' }));
    expect([error.code, error.details.entity, error.details.problem]).toEqual([
      'INVALID_DECLARATION',
      'stale.Message',
      'the generated codec of stale.Message does not match its class: the class has "1 string n", the codec has "1 int32 n"',
    ]);
    expect(error.details.fix).toMatch(/^run `rowsmith generate`/);
    expect(errorOf(() => codec.decode(Uint8Array.of(10, 0), 0, 2)).code).toBe(
      'INVALID_DECLARATION',
    );
  });

  test('a codec of another format version is rejected', () => {
    registerCodec(marked('old.Message', { format: 1 }));
    expect(
      errorOf(() => messageCodec<Value>(shapeOf('old.Message')).encode({ n: 1 })).details.problem,
    ).toMatch(/another version of rowsmith \(format 1, this version has 2\)$/);
  });
});

test('field names are data, not code', () => {
  const names = ['"];throw 1;//', 'constructor', 'a\u2028b', 'cursor', 'n = 1', 'x\ny'];
  const shape = renamed(
    messageShape(
      'Odd',
      names.map((name, i) => ({
        name,
        number: i + 1,
        label: 'singular',
        type: { kind: 'scalar', scalar: 'int32' },
      })),
    ),
  );
  const codec = staticCodec<Value>(shape);
  const value = Object.fromEntries(names.map((name, i) => [name, i]));
  const bytes = codec.encode(value);
  expect({ ...codec.decode(bytes, 0, bytes.length) }).toEqual(value);
});

const shipped = messagesOfModels(rowModels);

test('the module matches the golden file, and is the same each time', () => {
  const shown = shipped.filter(
    ({ name }) => name === 'telemetry.Position' || name === 'telemetry.Status.Alarm',
  );
  expectGolden('codecs.txt', codecModule(shown));
  expect(codecModule(shipped)).toBe(codecModule(shipped));
  loadCodecs(codecModule(shipped));
});

test('the codec of the example is up to date: run `rowsmith generate codecs` in examples/static-codec', () => {
  const printed = readFileSync(join(root, 'examples/static-codec/generated/codecs.ts'), 'utf8');
  expect(printed).toBe(codecModule(messagesOfModels(buildModels([Reading]))));
});
