/** Generators for message classes and .proto files. */
import type { MessageShape } from '../../data/cell/index.js';
import type { EntityModel } from '../../entities/model/index.js';
import { fileDescriptorSet } from './proto/file-descriptor-set.js';
import type { Generator, OutputFile } from './output-file.js';
import { protoClassModules } from './proto/proto-class-module.js';
import { messagesOfModels } from './proto/proto-files.js';
import { protoOutput } from './proto/proto-text.js';
import { codecModule } from './proto/static-codecs.js';

/** In the order in which they are listed. Entities without messages produce no files. */
export const protoGenerators: readonly Generator[] = [
  {
    name: 'proto',
    summary: 'proto/*.proto: message classes for other languages, a file for each package',
    generate: ({ models, reserved }) => protoOutput(models, reserved),
  },
  {
    name: 'descriptors',
    summary: 'descriptors.pb: the same as a FileDescriptorSet, for a Bigtable schema bundle',
    generate: ({ models, reserved }) =>
      fileOfMessages(models, 'descriptors.pb', () => fileDescriptorSet(models, reserved)),
  },
  {
    name: 'codecs',
    summary: 'codecs.ts: precompiled codecs of the message classes, used once imported',
    generate: ({ models }) => fileOfMessages(models, 'codecs.ts', codecModule),
  },
  {
    name: 'classes',
    summary: 'protos/*.ts: classes and types of the .proto files used with fromProto',
    generate: ({ models }) => protoClassModules(models),
  },
];

/** One file with all messages; none when the entities have no messages. */
function fileOfMessages(
  models: readonly EntityModel[],
  path: string,
  contentOf: (messages: readonly MessageShape[]) => string | Uint8Array,
): readonly OutputFile[] {
  const messages = messagesOfModels(models);
  if (messages.length === 0) return [];
  return [{ path, content: contentOf(messages) }];
}
