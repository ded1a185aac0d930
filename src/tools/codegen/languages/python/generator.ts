/** `rowsmith generate python`: a package with a module for each entity, and one that they share. */
import type { Generator, GeneratorInput, OutputFile } from '../../output-file.js';
import { entityDataOf } from '../entities.js';
import { featuresOf } from '../features.js';
import { moduleText } from './module.js';
import { pythonNames } from './names.js';
import { pythonRuntimeText } from './runtime.js';

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
  const unsafeWriters = input.unsafeWriters === true;
  const context = { entities, names, unsafeWriters };
  const modules = entities.map((entity) => moduleText(entity, context));
  const runtime = pythonRuntimeText(featuresOf(entities, unsafeWriters), modules);
  return [
    { path: `${folder}/__init__.py`, content: '"""Rows of the entities: see the modules."""\n' },
    { path: `${folder}/runtime.py`, content: runtime },
    ...entities.map((entity, i) => ({
      path: `${folder}/${names.get(entity)!.module}.py`,
      content: modules[i],
    })),
  ];
}
