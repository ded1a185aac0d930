/** `rowsmith generate java`: a record for each entity, and a class that all of them share. */
import { messagesOfModels, protoFiles } from '../../proto/proto-files.js';
import type { Generator, GeneratorInput, OutputFile } from '../../output-file.js';
import { entityDataOf } from '../entities.js';
import { featuresOf } from '../features.js';
import { classText, javaPackage } from './class-file.js';
import { messageClasses } from './messages.js';
import { javaNames } from './names.js';
import { javaRuntimeText } from './runtime.js';

const folder = `java/${javaPackage.replaceAll('.', '/')}`;

/** The generator. */
export const javaGenerator: Generator = {
  name: 'java',
  summary: 'java/: keys, readers and writers of rows in Java, once it was named',
  language: true,
  generate: javaFiles,
};

function javaFiles(input: GeneratorInput): readonly OutputFile[] {
  const entities = entityDataOf(input);
  const names = javaNames(entities);
  const unsafeWriters = input.unsafeWriters === true;
  const context = {
    entities,
    names,
    messages: messageClasses(protoFiles(messagesOfModels(input.models))),
    unsafeWriters,
  };
  const records = entities.map((entity) => classText(entity, context));
  const runtime = javaRuntimeText(featuresOf(entities, unsafeWriters), records);
  return [
    { path: `${folder}/Rows.java`, content: runtime },
    ...entities.map((entity, i) => ({
      path: `${folder}/${names.get(entity)!.rowClass}.java`,
      content: records[i],
    })),
  ];
}
