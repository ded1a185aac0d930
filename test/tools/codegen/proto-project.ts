/** A folder with the .proto files of the test messages, for programs that read them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildSync } from 'esbuild';
import { protoOutput } from '../../../src/tools/codegen/proto/proto-text.js';
import { root } from '../../support/built-package.js';
import { rowModels } from './proto-messages.js';

/** Each suite has a new one. */
export let folder = '';
beforeAll(() => {
  // Inside the repository, so that protobufjs and the compilers are resolved.
  mkdirSync(join(root, '.tmp'), { recursive: true });
  folder = mkdtempSync(join(root, '.tmp/from-proto-'));
  write('package.json', '{ "private": true, "type": "module" }');
  for (const file of protoOutput(rowModels)) write(file.path, String(file.content));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a file into the folder; returns its path. */
export function write(path: string, text: string): string {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
  return join(folder, path);
}

/** Bundles a program against the sources. */
export function bundle(name: string, text: string, format: 'esm' | 'cjs'): string {
  const outfile = join(folder, `${name}.${format === 'esm' ? 'mjs' : 'cjs'}`);
  write(`${name}.ts`, text);
  buildSync({
    entryPoints: [join(folder, `${name}.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    format,
    packages: 'external',
    logLevel: 'error',
    keepNames: true,
    alias: {
      rowsmith: join(root, 'src/index.ts'),
      'rowsmith/wire': join(root, 'src/wire.ts'),
      'reflect-metadata/lite': join(root, 'node_modules/reflect-metadata/ReflectLite.js'),
    },
  });
  return outfile;
}
