/**
 * Projects outside the repository with the current sources of `rowsmith` installed: the ESM build,
 * bundled by esbuild because that is fast, and links to the packages of the repository. The tarball
 * itself is tested in test/package.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildSync } from 'esbuild';
import { cached } from './build-cache.js';
import { type ProcessResult, processEnv, root, run } from './built-package.js';
import { CommandThread } from './command-thread.js';

interface PackageJson {
  readonly exports: Readonly<
    Record<string, string | { readonly import: { readonly default: string } }>
  >;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly bin: { readonly rowsmith: string };
}

/** What a thread runs: the command without the process around it. */
const threadModule = 'dist/esm/src/cli/run.js';

/** Builds the package into a new folder and returns the folder that holds it. */
export function buildLinkedPackage(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-linked-'));
  const text = readFileSync(join(root, 'package.json'), 'utf8');
  const { dependencies } = JSON.parse(text) as PackageJson;
  cpSync(bundledPackage(text), folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), text);
  // Its own dependencies; peer dependencies are installed by the project.
  linkPackages(folder, Object.keys(dependencies));
  return folder;
}

/** The code of the package. Test files share one build of the same sources. */
function bundledPackage(packageJson: string): string {
  const inputs = ['src', 'decorators', 'package.json', 'tsconfig.base.json', 'tsconfig.esm.json'];
  inputs.push('node_modules/esbuild/package.json', 'test/support/linked-package.ts');
  return cached('linked', inputs, (folder) =>
    bundle(folder, JSON.parse(packageJson) as PackageJson),
  );
}

function bundle(folder: string, { exports, bin }: PackageJson): void {
  const outputs = [bin.rowsmith, threadModule];
  for (const entry of Object.values(exports))
    if (typeof entry !== 'string') outputs.push(entry.import.default);
  buildSync({
    absWorkingDir: root,
    entryPoints: outputs.map((path) =>
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
  const page = 'src/tools/page/browser';
  cpSync(join(root, page), join(folder, 'dist/esm/src/heatmap-page'), { recursive: true });
  for (const language of ['python', 'go', 'java']) {
    const runtime = join(root, 'src/tools/codegen/languages', language, 'runtime');
    cpSync(runtime, join(folder, `dist/esm/src/${language}-runtime`), { recursive: true });
  }
}

/** Writes files into a folder, and creates their folders. */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/**
 * Links packages of the repository into a folder. `typescript=typescript7` links typescript7 under
 * the name typescript.
 */
export function linkPackages(folder: string, packages: readonly string[]): void {
  for (const each of packages) {
    const [name, from = name] = each.split('=');
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true });
    symlinkSync(join(root, 'node_modules', from), join(folder, 'node_modules', name));
  }
}

/** Creates a project with the linked package and these packages of the repository. */
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

/** Threads by linked package. */
const threads = new Map<string, CommandThread>();
afterAll(async () => {
  for (const thread of threads.values()) await thread.end();
  threads.clear();
});

/**
 * Runs `rowsmith` in a project, without a terminal, in a thread that runs all commands of a test
 * file. What concerns the process itself is tested with `rowsmithProcess`.
 */
export function rowsmith(
  linked: string,
  project: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): ProcessResult {
  const thread = threads.get(linked) ?? new CommandThread(join(linked, threadModule));
  threads.set(linked, thread);
  const entries = Object.entries({ ...processEnv(), ...env });
  const defined = entries.filter(([, value]) => value !== undefined);
  return thread.run(args, project, Object.fromEntries(defined));
}

/** Runs `rowsmith` in a process of its own, without a terminal. */
export function rowsmithProcess(
  linked: string,
  project: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): ProcessResult {
  return run(project, process.execPath, [join(linked, 'dist/esm/src/cli/main.js'), ...args], env);
}
