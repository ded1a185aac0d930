/** A temporary folder with the compiled library, in which fixtures are compiled and run. */
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildSync } from 'esbuild';

export const root = resolve(__dirname, '../..');
export const fixtures = ['telemetry', 'unnamed'] as const;

/** Runs a command and resolves to its output; rejects with the output if it fails. */
export function run(cwd: string, command: string, ...args: string[]): Promise<string> {
  return new Promise((resolveOutput, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1' },
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (part) => {
      out += part;
    });
    child.stderr.on('data', (part) => {
      err += part;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolveOutput(out);
      else reject(new Error(`${command} ${args.join(' ')} exited with ${code}\n${out}${err}`));
    });
  });
}

/**
 * Creates the folder. It is inside the repository, so that compilers find type packages as they
 * would in an application.
 */
export async function createWorkspace(): Promise<{ readonly folder: string; remove(): void }> {
  mkdirSync(join(root, '.tmp'), { recursive: true });
  const folder = mkdtempSync(join(root, '.tmp', 'compilers-'));
  const library = join(folder, 'node_modules/rowsmith-under-test');
  for (const [format, extension] of [
    ['esm', 'mjs'],
    ['cjs', 'cjs'],
  ] as const) {
    buildSync({
      entryPoints: [join(root, 'test/compilers/library.ts')],
      outfile: join(library, `index.${extension}`),
      bundle: true,
      platform: 'node',
      target: 'node20',
      format,
      packages: 'external',
      logLevel: 'error',
      keepNames: true,
    });
  }
  writeFileSync(
    join(library, 'package.json'),
    JSON.stringify({
      name: 'rowsmith-under-test',
      exports: {
        types: './types/test/compilers/library.d.ts',
        import: './index.mjs',
        require: './index.cjs',
      },
    }),
  );
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'fixtures', private: true, type: 'commonjs' }),
  );
  for (const name of fixtures)
    cpSync(join(root, `test/compilers/cases/${name}.ts`), join(folder, `${name}.ts`));
  for (const legacy of [true, false])
    writeFileSync(join(folder, configOf(legacy)), JSON.stringify(tsconfig(legacy), null, 2));
  // Only the declarations; TypeScript 7 emits the same ones as 6, in a fifth of the time.
  await run(
    root,
    process.execPath,
    join(root, 'node_modules/typescript7/bin/tsc'),
    ...[
      '--ignoreConfig',
      'test/compilers/library.ts',
      '--declaration',
      '--emitDeclarationOnly',
      '--strict',
      '--skipLibCheck',
      '--target',
      'es2022',
      '--lib',
      'es2023,es2024.string,esnext.disposable,esnext.decorators,decorators',
      '--module',
      'nodenext',
      '--moduleResolution',
      'nodenext',
      '--types',
      'node',
      '--rootDir',
      '.',
      '--outDir',
      join(library, 'types'),
    ],
  );
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The name of the tsconfig for legacy or standard decorators. */
export function configOf(legacy: boolean): string {
  return legacy ? 'tsconfig.legacy.json' : 'tsconfig.standard.json';
}

function tsconfig(legacy: boolean): object {
  return {
    compilerOptions: {
      target: 'ES2022',
      module: 'nodenext',
      moduleResolution: 'nodenext',
      strict: true,
      skipLibCheck: true,
      isolatedModules: true,
      types: ['node'],
      lib: ['ES2023', 'ESNext.Decorators', 'Decorators', 'ESNext.Disposable'],
      experimentalDecorators: legacy,
      emitDecoratorMetadata: legacy,
    },
    files: fixtures.map((name) => `${name}.ts`),
  };
}
