import { createFileRegistry, fromBinary, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import protobuf from 'protobufjs';
import 'protobufjs/ext/descriptor.js';
import {
  messageCodec,
  type FieldShape,
  type FieldType,
  type MessageShape,
} from '../../../src/data/cell/index.js';
import { FileDescriptorSet } from '../../../src/tools/codegen/proto/descriptor-messages.js';
import {
  descriptorBytes,
  fileDescriptorSet,
} from '../../../src/tools/codegen/proto/file-descriptor-set.js';
import { protoFiles, messagesOfModels } from '../../../src/tools/codegen/proto/proto-files.js';
import { protoOutput, protoText } from '../../../src/tools/codegen/proto/proto-text.js';
import { RowsmithError } from '../../../src/base/index.js';
import { messageShape, values } from '../../data/cell/message-arbitrary.js';
import { oracleForm } from '../../data/cell/message-oracle.js';
import { expectGolden } from '../../support/golden.js';
import { protoShapes } from './proto-shapes.js';
import { reserved, rowModels, statusShape } from './proto-messages.js';
import { compileProto, testWithProtoc } from './protoc.js';
import fc from '../../support/fast-check.js';

/**
 * The files as protobufjs parses them, in one root, with its own copy of
 * google/protobuf/timestamp.proto.
 */
function parsed(shapes: readonly MessageShape[]): protobuf.Root {
  const root = new protobuf.Root();
  root.addJSON(
    (
      protobuf.common.get('google/protobuf/timestamp.proto') as {
        nested: Record<string, protobuf.AnyNestedObject>;
      }
    ).nested,
  );
  const files = protoFiles(shapes);
  for (const file of files) protobuf.parse(protoText(file, files), root, { keepCase: true });
  root.resolveAll();
  return root;
}

/** What ext/descriptor adds to protobufjs's Root; its typings leave it out. */
const descriptors = protobuf as unknown as {
  Root: { fromDescriptor(set: Uint8Array): protobuf.Root };
};
const bytesOf = (set: Buffer | Uint8Array): string =>
  JSON.stringify(FileDescriptorSet.decode(set), undefined, 1);

test('the .proto files match the golden file', () => {
  const files = protoOutput(rowModels, reserved);
  expect(files.map((file) => file.path)).toEqual([
    'proto/acme.geo.proto',
    'proto/messages.proto',
    'proto/telemetry.proto',
  ]);
  expectGolden(
    'proto.txt',
    files.map((file) => `# ${file.path}\n${String(file.content)}`).join('\n'),
  );
  expect(protoOutput(rowModels, reserved)).toEqual(files);
});

test("protobufjs's parser accepts them, and its messages have our bytes", () => {
  const oracle = parsed(messagesOfModels(rowModels)).lookupType('telemetry.Status');
  fc.assert(
    fc.property(values(statusShape), (value) => {
      const bytes = messageCodec(statusShape).encode(value);
      expect(oracleForm(oracle.toObject(oracle.decode(bytes), { longs: String }))).toEqual(
        oracleForm(value),
      );
    }),
    { numRuns: 40 },
  );
});

testWithProtoc('protoc compiles them to the same descriptors', () => {
  const files = protoFiles(messagesOfModels(rowModels), reserved);
  expect(bytesOf(fileDescriptorSet(rowModels, reserved))).toBe(bytesOf(compileProto(files)));
  // The bytes too: our descriptor messages do not declare every field.
  expect(Buffer.from(fileDescriptorSet(rowModels, reserved)).toString('hex')).toBe(
    compileProto(files).toString('hex'),
  );
});

testWithProtoc('protoc compiles random messages to the same descriptors', () => {
  fc.assert(
    fc.property(protoShapes, (shapes) => {
      const files = protoFiles(shapes);
      expect(Buffer.from(descriptorBytes(files)).toString('hex')).toBe(
        compileProto(files).toString('hex'),
      );
    }),
    { numRuns: 30 },
  );
});

test('protobufjs reads the files of random messages', () => {
  fc.assert(
    fc.property(protoShapes, (shapes) => {
      const root = parsed(shapes);
      for (const { name, fields } of shapes)
        expect(new Set(root.lookupType(name).fieldsArray.map(({ id }) => id))).toEqual(
          new Set(fields.map(({ number }) => number)),
        );
    }),
    { numRuns: 30 },
  );
});

test('bufbuild reads the descriptors, and its messages have our bytes', () => {
  const registry = createFileRegistry(
    fromBinary(FileDescriptorSetSchema, fileDescriptorSet(rowModels, reserved)),
  );
  const schema = registry.getMessage('telemetry.Status')!;
  expect(schema.fields.map(({ number }) => number).sort((a, b) => a - b)).toEqual(
    statusShape.fields.map(({ number }) => number),
  );
  expect([
    schema.file.dependencies.map(({ name }) => name),
    registry.getEnum('telemetry.State')?.values.map(({ name }) => name),
  ]).toEqual([
    ['acme.geo', 'google/protobuf/timestamp'],
    ['STATE_UNKNOWN', 'STATE_DOWN', 'STATE_UP'],
  ]);
  fc.assert(
    fc.property(values(statusShape), (value) => {
      const bytes = messageCodec(statusShape).encode(value);
      const theirs = toBinary(schema, fromBinary(schema, bytes));
      expect(messageCodec(statusShape).decode(theirs, 0, theirs.length)).toEqual(value);
    }),
    { numRuns: 40 },
  );
});

test('protobufjs reads the descriptors', () => {
  const root = descriptors.Root.fromDescriptor(fileDescriptorSet(rowModels, reserved)).resolveAll();
  const oracle = root.lookupType('telemetry.Status');
  expect(Object.values(oracle.fields).find(({ id }) => id === 23)).toMatchObject({
    id: 23,
    map: true,
    keyType: 'sint64',
  });
  expect(root.lookupEnum('telemetry.Status.Mode').values).toEqual({
    MODE_UNKNOWN: 0,
    MODE_OFF: -1,
    MODE_AUTO: 1,
    MODE_MANUAL: 2,
    MODE_BY_HAND: 2,
  });
});

describe('what protobuf would reject is rejected with all faults', () => {
  const int32 = { kind: 'scalar', scalar: 'int32' } as const;
  const one = (name: string, number: number, type: FieldType = int32): FieldShape => ({
    name,
    number,
    label: 'singular',
    type,
  });
  const message = (name: string, ...fields: FieldShape[]): MessageShape => ({
    ...messageShape(name, fields),
    messageClass: { [name.split('.').at(-1)!]: class {} }[name.split('.').at(-1)!],
  });
  const holds = (shape: () => MessageShape): FieldType => ({ kind: 'message', shape });
  const enumeration = (name: string, values: Record<string, number>): FieldType => ({
    kind: 'enum',
    name,
    values: new Map(Object.entries(values)),
  });
  const a: MessageShape = message(
    'a.A',
    one(
      'b',
      1,
      holds(() => b),
    ),
  );
  const b: MessageShape = message(
    'b.B',
    one(
      'a',
      1,
      holds(() => a),
    ),
  );
  const inside = message('p.M.Inner', one('x', 1));

  test.each<[string, readonly MessageShape[], readonly string[]]>([
    [
      'a name that is not an identifier',
      [message('p.M', one('$size', 1), one('größe', 2))],
      [
        'M.$size: "$size" is not a valid name of a protobuf field',
        'M.größe: "größe" is not a valid name of a protobuf field',
      ],
    ],
    [
      'names that differ in case',
      [message('p.M', one('userId', 1), one('user_id', 2))],
      [
        'M.userId: userId and user_id differ only in case and underscores, which protobuf rejects',
        'M.user_id: user_id and userId differ only in case and underscores, which protobuf rejects',
      ],
    ],
    [
      'a reserved number',
      [message('p.Reserved', one('x', 7))],
      ['Reserved.x: field number 7 is reserved: it was used before'],
    ],
    [
      'a reserved name',
      [message('p.Reserved', one('removed', 1))],
      ['Reserved.removed: the name removed is reserved: it was used before with another number'],
    ],
    [
      'a field and a nested message of the same name',
      [message('p.M', one('Inner', 1)), inside],
      [
        'M: two declarations are called p.M.Inner in protobuf, where fields, oneofs, enums, enum members, map entries and nested messages share one scope',
      ],
    ],
    [
      'an enum with the name of its field',
      [message('p.M', one('Mode', 1, enumeration('p.M.Mode', { ZERO: 0 })))],
      [
        'M: two declarations are called p.M.Mode in protobuf, where fields, oneofs, enums, enum members, map entries and nested messages share one scope',
      ],
    ],
    [
      'members that differ in case',
      [message('p.M', one('mode', 1, enumeration('p.M.Mode', { ON: 0, O_N: 1 })))],
      [
        'p.M.Mode.MODE_ON: MODE_ON and MODE_O_N differ only in case and underscores',
        'p.M.Mode.MODE_O_N: MODE_O_N and MODE_ON differ only in case and underscores',
      ],
    ],
    [
      'a member that is not an identifier',
      [message('p.M', one('mode', 1, enumeration('p.M.Mode', { ON: 0, 'a-b': 1 })))],
      ['p.M.Mode.MODE_A-B: "MODE_A-B" is not a valid name of a member of a protobuf enum'],
    ],
    [
      'packages in a cycle',
      [a, b],
      [
        "a: packages use each other's messages in a cycle: a -> b -> a; protobuf files cannot import each other",
      ],
    ],
    [
      "protobuf's own package",
      [message('google.protobuf.Mine', one('x', 1))],
      ["google.protobuf: google.protobuf is protobuf's own package"],
    ],
  ])('%s', (_what, shapes, problems) => {
    let reported: readonly string[] = [];
    try {
      protoFiles(shapes, (name) =>
        name === 'p.Reserved' ? { numbers: [7], names: ['removed'] } : { numbers: [], names: [] },
      );
    } catch (error) {
      if (!(error instanceof RowsmithError)) throw error;
      expect(error.code).toBe('INVALID_DECLARATION');
      for (const { fix } of error.details.faults!) expect(fix).not.toBe('');
      reported = error.details.faults!.map(
        ({ entity, property, problem }) =>
          `${property === undefined ? entity : `${entity}.${property}`}: ${problem}`,
      );
    }
    expect(reported).toEqual(problems);
  });
});

test('messages of one package may contain themselves and each other', () => {
  const loop: MessageShape = messageShape('p.Loop', [
    { name: 'inner', number: 1, label: 'singular', type: { kind: 'message', shape: () => other } },
  ]);
  const other: MessageShape = messageShape('p.Other', [
    { name: 'loops', number: 1, label: 'repeated', type: { kind: 'message', shape: () => loop } },
  ]);
  const files = protoFiles([loop, other]);
  expect(protoText(files[0], files)).toContain('  Other inner = 1;');
});
