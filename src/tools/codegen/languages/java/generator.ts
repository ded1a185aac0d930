/** `rowsmith generate java`: a record for each entity, and classes that all of them share. */
import { messagesOfModels, protoFiles } from '../../proto/proto-files.js';
import type { Generator, GeneratorInput, OutputFile } from '../../output-file.js';
import { entityDataOf } from '../entities.js';
import { classText, javaPackage } from './class-file.js';
import { messageClasses } from './messages.js';
import { javaNames } from './names.js';
import { runtimeTexts, withNotice } from './runtime.js';

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
  const context = {
    entities,
    names,
    messages: messageClasses(protoFiles(messagesOfModels(input.models))),
    unsafeWriters: input.unsafeWriters === true,
  };
  return [
    ...[...runtimeTexts()].map(([name, source]) => ({
      path: `${folder}/${name}.java`,
      content: withNotice(source),
    })),
    ...entities.map((entity) => ({
      path: `${folder}/${names.get(entity)!.rowClass}.java`,
      content: classText(entity, context),
    })),
  ];
}
