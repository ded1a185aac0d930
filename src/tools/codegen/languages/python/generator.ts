/** `rowsmith generate python`: a package with a module for each entity, and one that they share. */
import type { Generator, GeneratorInput, OutputFile } from '../../output-file.js';
import { entityDataOf } from '../entities.js';
import { moduleText } from './module.js';
import { pythonNames } from './names.js';
import { runtimeText } from './runtime.js';

const folder = 'python/rowsmith_rows';

/** The generator. */
export const pythonGenerator: Generator = {
  name: 'python',
  summary: 'python/: keys, readers and writers of rows in Python, once it was named',
  language: true,
  generate: pythonFiles,
};

function pythonFiles(input: GeneratorInput): readonly OutputFile[] {
  const entities = entityDataOf(input);
  const names = pythonNames(entities);
  const context = { entities, names, unsafeWriters: input.unsafeWriters === true };
  return [
    { path: `${folder}/__init__.py`, content: '"""Rows of the entities: see the modules."""\n' },
    { path: `${folder}/runtime.py`, content: runtimeText() },
    ...entities.map((entity) => ({
      path: `${folder}/${names.get(entity)!.module}.py`,
      content: moduleText(entity, context),
    })),
  ];
}
