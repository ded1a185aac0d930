import fc from 'fast-check';
import protobuf from 'protobufjs';
import { messageCodec, type MessageShape } from '../../src/cell/index.js';
import { FileDescriptorSet } from '../../src/codegen/descriptor-messages.js';
import { descriptorBytes, fileDescriptorSet } from '../../src/codegen/file-descriptor-set.js';
import { protoFiles, messagesOfModels } from '../../src/codegen/proto-files.js';
import { protoOutput, protoText } from '../../src/codegen/proto-text.js';
import { RowsmithError } from '../../src/errors.js';
import { values } from '../cell/message-arbitrary.js';
import { peerForm } from '../cell/message-peer.js';
import { expectGolden } from '../support/golden.js';
import { protoShapes } from './proto-shapes.js';
import { reserved, rowModels, statusShape } from './proto-messages.js';
import { compileProto, testWithProtoc } from './protoc.js';

/** The files as protobufjs reads them, all in one root, with what it has of google/protobuf/timestamp.proto. */
function parsed(shapes: readonly MessageShape[]): protobuf.Root {
  const root = new protobuf.Root();
  root.addJSON(protobuf.common.get('google/protobuf/timestamp.proto')!.nested!);
  const files = protoFiles(shapes);
  for (const file of files) protobuf.parse(protoText(file, files), root, { keepCase: true });
  return root.resolveAll();
}

const bytesOf = (set: Buffer | Uint8Array): string => JSON.stringify(FileDescriptorSet.decode(set), undefined, 1);

test('the .proto files are the golden ones', () => {
  const files = protoOutput(rowModels, reserved);
  expect(files.map((file) => file.path)).toEqual(['proto/acme.geo.proto', 'proto/messages.proto', 'proto/telemetry.proto']);
  expectGolden('proto.txt', files.map((file) => `# ${file.path}\n${String(file.content)}`).join('\n'));
  expect(protoOutput(rowModels, reserved)).toEqual(files);
});

test("protobufjs's parser takes them, and its messages have our bytes", () => {
  const peer = parsed(messagesOfModels(rowModels)).lookupType('telemetry.Status');
  fc.assert(fc.property(values(statusShape), (value) => {
    const bytes = messageCodec(statusShape).encode(value);
    expect(peerForm(peer.toObject(peer.decode(bytes), { longs: String }))).toEqual(peerForm(value));
  }), { numRuns: 100 });
});

testWithProtoc('protoc makes the same descriptors of them', () => {
  const files = protoFiles(messagesOfModels(rowModels), reserved);
  expect(bytesOf(fileDescriptorSet(rowModels, reserved))).toBe(bytesOf(compileProto(files)));
  // Not only what our messages of descriptors know of: the bytes.
  expect(Buffer.from(fileDescriptorSet(rowModels, reserved)).toString('hex')).toBe(compileProto(files).toString('hex'));
});

testWithProtoc('of random messages too', () => {
  fc.assert(fc.property(protoShapes, (shapes) => {
    const files = protoFiles(shapes);
    expect(Buffer.from(descriptorBytes(files)).toString('hex')).toBe(compileProto(files).toString('hex'));
  }), { numRuns: 60 });
});

test('random messages are read by protobufjs', () => {
  fc.assert(fc.property(protoShapes, (shapes) => {
    const root = parsed(shapes);
    for (const { name, fields } of shapes) expect(root.lookupType(name).fieldsArray.map(({ id }) => id).sort()).toEqual(fields.map(({ number }) => number).sort());
  }), { numRuns: 60 });
});
