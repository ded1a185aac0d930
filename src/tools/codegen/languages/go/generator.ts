/** `rowsmith generate go`: a package with a file for each entity, and one that they share. */
import { messagesOfModels, protoFiles } from '../../proto/proto-files.js';
import type { Generator, GeneratorInput, OutputFile } from '../../output-file.js';
import { entityDataOf } from '../entities.js';
import { featuresOf } from '../features.js';
import { fileText } from './file.js';
import { goNames, namesOfMessages } from './names.js';
import { runtimeNames, goRuntimeText } from './runtime.js';

const folder = 'go/rows';

/** The generator. */
export const goGenerator: Generator = {
  name: 'go',
  summary: 'go/: keys, readers and writers of rows in Go, once it was named',
  language: true,
  generate: goFiles,
};

function goFiles(input: GeneratorInput): readonly OutputFile[] {
  const entities = entityDataOf(input);
  const protos = protoFiles(messagesOfModels(input.models));
  const names = goNames(entities, new Set([...runtimeNames(), ...namesOfMessages(protos)]));
  const unsafeWriters = input.unsafeWriters === true;
  const context = { entities, names, unsafeWriters };
  const files = entities.map((entity) => fileText(entity, context));
  const paths = protos.map(({ path }) => path);
  const runtime = goRuntimeText(featuresOf(entities, unsafeWriters), files, paths);
  return [
    { path: `${folder}/runtime.go`, content: runtime },
    ...entities.map((entity, i) => ({
      path: `${folder}/${names.get(entity)!.file}.go`,
      content: files[i],
    })),
  ];
}
