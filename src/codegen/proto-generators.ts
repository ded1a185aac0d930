/** What `rowsmith generate` makes of message classes and of .proto files. */
import { fileDescriptorSet } from './proto/file-descriptor-set.js';
import type { Generator } from './output-file.js';
import { protoClassModules } from './proto/proto-class-module.js';
import { messagesOfModels } from './proto/proto-files.js';
import { protoOutput } from './proto/proto-text.js';
import { codecModule } from './proto/static-codecs.js';

/** In the order in which they are listed. Entities without messages give no files. */
export const protoGenerators: readonly Generator[] = [
  {
    name: 'proto',
    summary: 'proto/*.proto: the message classes for other languages, one file for each package',
    generate: ({ models, reserved }) => protoOutput(models, reserved),
  },
  {
    name: 'descriptors',
    summary: 'descriptors.pb: the same as a FileDescriptorSet, for a Bigtable schema bundle',
    generate: ({ models, reserved }) =>
      messagesOfModels(models).length === 0
        ? []
        : [{ path: 'descriptors.pb', content: fileDescriptorSet(models, reserved) }],
  },
  {
    name: 'codecs',
    summary: 'codecs.ts: the codecs of the message classes as code; used when it is imported',
    generate: ({ models }) =>
      messagesOfModels(models).length === 0
        ? []
        : [{ path: 'codecs.ts', content: codecModule(messagesOfModels(models)) }],
  },
  {
    name: 'classes',
    summary: 'protos/*.ts: classes and types of the .proto files that fromProto names',
    generate: ({ models }) => protoClassModules(models),
  },
];
