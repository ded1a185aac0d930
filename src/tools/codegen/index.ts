/** Generators: files for other tools, written from the entity models. */
import { javaGenerator } from './languages/java/generator.js';
import { pythonGenerator } from './languages/python/generator.js';
import { goGenerator } from './languages/go/generator.js';
import type { Generator } from './output-file.js';
import { protoGenerators } from './proto-generators.js';
import { schemaGenerators } from './schema-generators.js';

export type { Generator, GeneratorInput, OutputFile } from './output-file.js';

/** Every generator of `rowsmith generate`, in the order in which its help lists them. */
export const generators: readonly Generator[] = [
  ...protoGenerators,
  ...schemaGenerators,
  pythonGenerator,
  goGenerator,
  javaGenerator,
];

export { shellWord } from './tables/instance.js';
export { rowKeySchema } from './tables/row-key-schema.js';
