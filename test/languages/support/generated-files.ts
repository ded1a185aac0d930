/** The files that the generators write for a language. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { EntityModel } from '../../../src/entities/model/index.js';
import { generators } from '../../../src/tools/codegen/index.js';

/** Writes the files of a language, and returns the paths of the .proto files beside them. */
export async function writeGenerated(
  language: string,
  folder: string,
  models: readonly EntityModel[],
  unsafeWriters = false,
): Promise<readonly string[]> {
  const protos: string[] = [];
  for (const name of ['proto', language]) {
    const generator = generators.find((each) => each.name === name)!;
    for (const { path, content } of await generator.generate({ models, unsafeWriters })) {
      const file = join(folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      if (name === 'proto') protos.push(file);
    }
  }
  return protos;
}
