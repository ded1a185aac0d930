import { join } from 'node:path';
import { toHex } from '../../../src/base/index.js';
import { fieldLines, messageCodec } from '../../../src/data/cell/index.js';
import { fromProto } from '../../../src/entities/proto/from-proto.js';
import { protoClassModules } from '../../../src/tools/codegen/proto/proto-class-module.js';
import { messagesOfModels } from '../../../src/tools/codegen/proto/proto-files.js';
import { protoOutput } from '../../../src/tools/codegen/proto/proto-text.js';
import { RowsmithError } from '../../../src/index.js';
import { values } from '../../data/cell/message-arbitrary.js';
import { run } from '../../support/built-package.js';
import { expectGolden } from '../../support/golden.js';
import { rowModels, statusShape } from './proto-messages.js';
import fc from '../../support/fast-check.js';
import { modelOf, shapeOf } from './proto-files.js';
import { bundle, folder, write } from './proto-project.js';

test('the class of a .proto file is the class that the file was generated from', () => {
  const shape = shapeOf(join(folder, 'proto/telemetry.proto'), 'Status');
  expect([shape.name, shape.messageClass.name, fieldLines(shape)]).toEqual([
    'telemetry.Status',
    'Status',
    fieldLines(statusShape),
  ]);
  expect(
    messagesOfModels([
      modelOf(fromProto(join(folder, 'proto/telemetry.proto'), 'telemetry.Status')),
    ]).map(({ name }) => name),
  ).toEqual(['acme.geo.Point', 'telemetry.Position', 'telemetry.Status', 'telemetry.Status.Alarm']);
  // The same .proto files as from classes written by hand.
  const again = protoOutput([modelOf(fromProto(join(folder, 'proto/telemetry.proto'), 'Status'))]);
  expect(again.map((file) => [file.path, file.content])).toEqual(
    protoOutput(rowModels)
      .filter((file) => file.path !== 'proto/messages.proto')
      .map((file) => [file.path, file.content]),
  );
  fc.assert(
    fc.property(values(statusShape), (value) => {
      const bytes = messageCodec(shape).encode(value);
      expect(toHex(bytes)).toBe(toHex(messageCodec(statusShape).encode(value)));
      expect(messageCodec(shape).decode(bytes, 0, bytes.length)).toEqual(value);
    }),
    { numRuns: 50 },
  );
});

test('a message has one class, whatever name or file it is requested by', () => {
  const path = join(folder, 'proto/telemetry.proto');
  expect(fromProto(path, 'Position')()).toBe(fromProto(path, 'telemetry.Position')());
  expect(fromProto(join(folder, 'proto/acme.geo.proto'), 'Point')()).toBe(
    shapeOf(path, 'Position').fields[0].type.kind === 'message' ? pointClass(path) : undefined,
  );
});

function pointClass(path: string): unknown {
  const { type } = shapeOf(path, 'Position').fields[0];
  return type.kind === 'message' ? type.shape().messageClass : undefined;
}

test('hand-written proto3: plain fields, services, options, comments, nested names', () => {
  const path = write(
    'people/written.proto',
    `// A file.
/* syntax = "proto2"; */
syntax = "proto3";
package people;
option java_package = "com.example";
import "google/protobuf/timestamp.proto";
service Readings { rpc Get(Reading) returns (Reading); }
message Reading {
  int32 plain = 1; // implicit presence
  optional string note = 2;
  repeated double values = 3 [packed = false];
  Kind kind = 4;
  map<string, Inner> inner_by_id = 5;
  oneof choice { string text = 6; Inner inner = 7; }
  google.protobuf.Timestamp at = 8;
  reserved 9, 12 to max;
  enum Kind { KIND_UNKNOWN = 0; KIND_A = 1; }
  message Inner { Reading outer = 1; }
}
`,
  );
  expect(fieldLines(shapeOf(path, 'Reading'))).toEqual([
    '1 int32 plain',
    '2 string note',
    '3 repeated double values',
    '4 int32 kind',
    '5 map<string, people.Reading.Inner> inner_by_id',
    '6 oneof(choice) string text',
    '7 oneof(choice) people.Reading.Inner inner',
    '8 timestamp at',
  ]);
  expect(shapeOf(path, 'Reading.Inner').name).toBe('people.Reading.Inner');
});

describe('rejected, with the file and a fix', () => {
  const three = 'syntax = "proto3";\n';
  test.each<[string, string, string, RegExp, RegExp]>([
    [
      'proto2',
      'syntax = "proto2"; message M { optional int32 a = 1; }',
      'M',
      /it is not proto3/,
      /write syntax = "proto3"/,
    ],
    [
      'no syntax, which is proto2',
      'message M { required int32 a = 1; }',
      'M',
      /it is not proto3/,
      /write syntax = "proto3"/,
    ],
    [
      'an edition',
      'edition = "2023"; message M { int32 a = 1; }',
      'M',
      /it is not proto3/,
      /write syntax = "proto3"/,
    ],
    ['a group', `${three}message M { repeated group G = 1 { int32 a = 1; } }`, 'M', /./, /./],
    [
      'a message that does not exist',
      `${three}package p; message Status { int32 a = 1; }`,
      'Statsu',
      /declares no message Statsu/,
      /did you mean Status\?/,
    ],
    [
      'a service',
      `${three}message M { int32 a = 1; } service S { rpc Get(M) returns (M); }`,
      'S',
      /S is a service, not a message/,
      /name a message/,
    ],
    ['an enum', `${three}enum E { A = 0; }`, 'E', /E is an enum, not a message/, /name a message/],
    [
      'a type that is not declared',
      `${three}message M { Nobody a = 1; }`,
      'M',
      /no such Type or Enum 'Nobody'/,
      /declare the type, or import/,
    ],
    [
      'an import that does not exist',
      `${three}import "nobody.proto"; message M { int32 a = 1; }`,
      'M',
      /its import "nobody.proto" is neither in its folder nor in a folder above/,
      /put the file there/,
    ],
    [
      "protobuf's own messages",
      `${three}import "google/protobuf/duration.proto"; message M { google.protobuf.Duration a = 1; }`,
      'M',
      /M\.a: google\.protobuf\.Duration is not read/,
      /a message of your own/,
    ],
    [
      'a syntax error',
      `${three}message M { int32 = 1; }`,
      'M',
      /illegal name '=' .*line 2/,
      /correct the file/,
    ],
    [
      'a duplicate number',
      `${three}message M { int32 a = 1; int32 b = 1; }`,
      'M',
      /duplicate id 1/,
      /correct the file/,
    ],
    [
      'a number that protobuf reserves',
      `${three}message M { int32 a = 19000; }`,
      'M',
      /19000 is not a field number/,
      /1 to 536870911/,
    ],
    ['an enum without zero', `${three}message M { E e = 1; } enum E { A = 1; }`, 'M', /./, /./],
    [
      'a message without fields',
      `${three}message M { }`,
      'M',
      /the message has no fields/,
      /give it fields/,
    ],
  ])('%s', (what, text, message, problem, fix) => {
    const path = write(`rejected/${what.replace(/\W+/g, '-')}/r.proto`, text);
    let error: unknown;
    try {
      modelOf(fromProto(path, message));
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(RowsmithError);
    const { code, details } = error as RowsmithError;
    expect(code).toBe('INVALID_DECLARATION');
    expect(details.faults![0].problem).toMatch(problem);
    expect(details.faults![0].fix).toMatch(fix);
  });

  test('a file that does not exist', () => {
    expect(() => fromProto(join(folder, 'nobody.proto'), 'M')()).toThrow(
      expect.objectContaining({
        code: 'FILE_FAILED',
        details: expect.objectContaining({ problem: 'there is no such file' }) as unknown,
      }),
    );
  });

  test('protobufjs that is not installed', () => {
    write('a.proto', three);
    write(
      'without.cjs',
      "const Module = require('node:module'); const resolve = Module._resolveFilename; Module._resolveFilename = (name, ...rest) => { if (name === 'protobufjs') throw new Error('not here'); return resolve(name, ...rest); };",
    );
    const program = bundle(
      'missing',
      "import { fromProto } from 'rowsmith'; try { fromProto('a.proto', 'A')(); } catch (error) { console.log(error.code, error.details.fix); }",
      'esm',
    );
    expect(run(folder, process.execPath, ['--require', './without.cjs', program]).output).toMatch(
      /^MISSING_PACKAGE run npm install protobufjs, /,
    );
  });
});

describe('generated classes', () => {
  test('match the golden file', () => {
    const before = process.cwd();
    process.chdir(folder);
    try {
      const modules = protoClassModules([modelOf(fromProto('proto/telemetry.proto', 'Status'))]);
      expectGolden(
        'proto-classes.txt',
        modules.map((file) => `// === ${file.path}\n${String(file.content)}`).join('\n'),
      );
    } finally {
      process.chdir(before);
    }
  });

  test('are not written for hand-written message classes', () => {
    expect(protoClassModules(rowModels)).toEqual([]);
  });
});
