/** Generated codecs in projects of users: strict options, and no code from strings. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { messagesOfModels } from '../../../src/tools/codegen/proto/proto-files.js';
import { codecModule } from '../../../src/tools/codegen/proto/static-codecs.js';
import { root, run } from '../../support/built-package.js';
import { rowModels } from './proto-messages.js';

const shipped = messagesOfModels(rowModels);

describe('in a project', () => {
  let folder = '';
  beforeAll(() => {
    mkdirSync(join(root, '.tmp'), { recursive: true });
    folder = mkdtempSync(join(root, '.tmp/static-'));
    const library = join(folder, 'node_modules/rowsmith');
    const emitted = run(root, process.execPath, [
      'node_modules/typescript7/bin/tsc',
      '--ignoreConfig',
      'src/wire.ts',
      '--declaration',
      '--emitDeclarationOnly',
      '--strict',
      '--skipLibCheck',
      '--stripInternal',
      '--target',
      'es2022',
      '--lib',
      'es2023,es2024.string,esnext.disposable',
      '--module',
      'nodenext',
      '--moduleResolution',
      'nodenext',
      '--types',
      'node',
      '--rootDir',
      'src',
      '--outDir',
      join(library, 'types'),
    ]);
    if (emitted.status !== 0) throw new Error(emitted.output);
    writeFileSync(
      join(library, 'package.json'),
      JSON.stringify({
        name: 'rowsmith',
        exports: { './wire': { types: './types/wire.d.ts' } },
      }),
    );
    // A separate package.json, because the repository's lists files with side effects.
    writeFileSync(join(folder, 'package.json'), '{ "private": true }');
    for (const form of ['module', 'commonjs']) {
      mkdirSync(join(folder, form));
      writeFileSync(join(folder, form, 'package.json'), JSON.stringify({ type: form }));
      writeFileSync(join(folder, form, 'codecs.ts'), codecModule(shipped));
    }
    // Every option that strict projects add to `strict`, except verbatimModuleSyntax, which forbids
    // `import` in CommonJS.
    const strictest = {
      noEmit: true,
      strict: true,
      noUnusedLocals: true,
      noUnusedParameters: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      noImplicitReturns: true,
      isolatedModules: true,
      noFallthroughCasesInSwitch: true,
      noPropertyAccessFromIndexSignature: true,
      allowUnreachableCode: false,
      target: 'es2022',
      module: 'nodenext',
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
    };
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: strictest,
        files: ['module/codecs.ts', 'commonjs/codecs.ts'],
      }),
    );
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  // TypeScript 7, because it is fast; test/package compiles them with the other compilers.
  test('the module compiles with the strictest options, as ESM and as CommonJS', () => {
    const { output } = run(folder, process.execPath, [
      join(root, 'node_modules/typescript7/bin/tsc'),
      '-p',
      '.',
      '--pretty',
      'false',
    ]);
    expect(output).toBe('');
  });

  test.each(['esm', 'cjs'] as const)(
    'the codecs are used where code from strings is disallowed, in %s',
    (format) => {
      const extension = format === 'esm' ? 'mjs' : 'cjs';
      // Counts the decoders that are created.
      const decoderStart = 'return (earlier, b, at, end, depth)';
      expect(codecModule(shipped)).toContain(decoderStart);
      writeFileSync(
        join(folder, 'codecs.ts'),
        codecModule(shipped).replaceAll(
          decoderStart,
          `++(globalThis as unknown as { used: number }).used; ${decoderStart}`,
        ),
      );
      writeFileSync(
        join(folder, 'used.ts'),
        '(globalThis as unknown as { used: number }).used = 0;',
      );
      writeFileSync(
        join(folder, 'main.ts'),
        `
      import './used.js';
      import { messageCodec } from ${JSON.stringify(join(root, 'src/data/cell/index.ts'))};
      import { rowModels } from ${JSON.stringify(join(root, 'test/tools/codegen/proto-messages.ts'))};
      import './codecs.js';
      const codec = rowModels[0]!.columns.find((column) => column.property === 'status')!.codec;
      const bytes = codec.encode({ firmware: '1', position: { at: new Date(5) }, probes: new Map([['a', 1.5]]) });
      const read = codec.decode(bytes, 0, bytes.length) as { position: { at: Date }; probes: Map<string, number> };
      console.log(Buffer.from(bytes).toString('hex'), read.position.at.getTime(), read.probes.get('a'), (globalThis as unknown as { used: number }).used);`,
      );
      buildSync({
        entryPoints: [join(folder, 'main.ts')],
        outfile: join(folder, `main.${extension}`),
        bundle: true,
        platform: 'node',
        format,
        packages: 'external',
        logLevel: 'error',
        alias: { 'rowsmith/wire': join(root, 'src/wire.ts') },
      });
      const { output } = run(folder, process.execPath, [
        '--disallow-code-generation-from-strings',
        `main.${extension}`,
      ]);
      expect(output).toBe('0a0131a20107120510c096b102b2010c0a016111000000000000f83f 5 1.5 2\n');
    },
  );
});
