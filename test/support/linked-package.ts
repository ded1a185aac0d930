/**
 * A project folder outside the repository in which `rowsmith` is installed as its sources are now:
 * the ES half, built by esbuild in a moment, beside links to the packages of the repository. The
 * tarball itself is test/package's.
 */
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildSync } from 'esbuild';
import { type Ran, root, run } from './built-package.js';

interface PackageJson {
  readonly exports: Readonly<
    Record<string, string | { readonly import: { readonly default: string } }>
  >;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly bin: { readonly rowsmith: string };
}

/** Builds the package into a new folder and returns the folder that holds it. */
export function buildLinkedPackage(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-linked-'));
  const text = readFileSync(join(root, 'package.json'), 'utf8');
  const { exports, bin, dependencies } = JSON.parse(text) as PackageJson;
  const built = [
    bin.rowsmith,
    ...Object.values(exports).flatMap((door) =>
      typeof door === 'string' ? [] : [door.import.default],
    ),
  ];
  buildSync({
    absWorkingDir: root,
    entryPoints: built.map((path) =>
      path.replace(/^\.?\/?dist\/esm\//, '').replace(/\.js$/, '.ts'),
    ),
    outbase: '.',
    outdir: join(folder, 'dist/esm'),
    chunkNames: 'src/chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
    tsconfig: join(root, 'tsconfig.esm.json'),
  });
  writeFileSync(join(folder, 'package.json'), text);
  // Where its own imports look; peers are the project's.
  linkPackages(folder, Object.keys(dependencies));
  return folder;
}

/** Writes files into a folder, with the folders they lie in. */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/**
 * Puts links to packages of the repository into a folder; `typescript=typescript7` installs one
 * under another's name.
 */
function linkPackages(folder: string, packages: readonly string[]): void {
  for (const each of packages) {
    const [name, from = name] = each.split('=');
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true });
    symlinkSync(join(root, 'node_modules', from), join(folder, 'node_modules', name));
  }
}

/** Makes a project that has the linked package and these packages of the repository. */
export function makeProject(
  linked: string,
  files: Readonly<Record<string, string>>,
  packages: readonly string[] = ['esbuild'],
): string {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-project-'));
  linkPackages(folder, packages);
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  symlinkSync(linked, join(folder, 'node_modules/rowsmith'));
  writeFiles(folder, files);
  return folder;
}

/** Runs `rowsmith` in a project, without a terminal. */
export function rowsmith(
  linked: string,
  project: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): Ran {
  return run(project, process.execPath, [join(linked, 'dist/esm/src/cli/main.js'), ...args], env);
}
