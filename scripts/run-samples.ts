/**
 * Type checks and runs the code in the documents: `npm run samples [-- FILE.md ...]`, by default
 * README.md, docs/cheat-sheet.md, docs/live.md and docs/guide/*.md. TypeScript 6 checks the types,
 * `--typescript7` before the files selects the native compiler, which is faster.
 *
 * How to write code in a document:
 * - The blocks fenced as ```ts in one file are one program, in order: later blocks use declarations
 *   of earlier ones. Top-level await is allowed. Any block may have imports, also repeated ones.
 * - ```ts fresh    starts a new program, without the blocks above.
 * - ```ts no-run   is type checked as part of the program, but does not run.
 * - Code that does not compile is fenced as ```typescript or ```text.
 *
 * Programs run in an empty directory of their own, so `file:./data` is safe, and as in development. A
 * program fails if it throws, does not exit with 0, or prints a warning of lint: what users paste
 * should not need a correction. Errors name the line of the document: line N of a program is line
 * N of its file.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import ts from 'typescript';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const typescript7 = process.argv[2] === '--typescript7';
const binOf = (path: string): string => join(root, 'node_modules', path);

interface Program {
  readonly document: string;
  /** As many lines as the document; blank outside of code blocks. */
  readonly lines: string[];
  blocks: number;
}

function documents(args: readonly string[]): readonly string[] {
  if (args.length > 0) return args;
  const guide = join(root, 'docs/guide');
  const guides = readdirSync(guide).filter((name) => name.endsWith('.md'));
  const names = [
    'README.md',
    'docs/cheat-sheet.md',
    'docs/live.md',
    ...guides.sort().map((name) => `docs/guide/${name}`),
  ];
  return names.map((name) => join(root, name));
}

/** Moves the import declarations of a block to `imports`; the line breaks stay. */
function withoutImports(code: string, imports: Set<string>): string {
  let rest = code;
  const block = ts.createSourceFile('block.ts', code, ts.ScriptTarget.Latest);
  for (const statement of block.statements) {
    if (!ts.isImportDeclaration(statement)) continue;
    const text = code.slice(statement.pos, statement.end);
    const clause = statement.importClause;
    const from = (statement.moduleSpecifier as ts.StringLiteral).text;
    const named = clause?.namedBindings;
    if (
      clause !== undefined &&
      clause.name === undefined &&
      named !== undefined &&
      ts.isNamedImports(named)
    ) {
      // One declaration for each name, so that a name imported by two blocks is imported once.
      const type = clause.phaseModifier === ts.SyntaxKind.TypeKeyword ? 'type ' : '';
      for (const name of named.elements)
        imports.add(`import { ${type}${name.getText(block)} } from '${from}';`);
    } else {
      imports.add(text.trim().replaceAll('\n', ' '));
    }
    rest = rest.slice(0, statement.pos) + text.replace(/[^\n]/g, ' ') + rest.slice(statement.end);
  }
  return rest;
}

function programsOf(document: string): readonly Program[] {
  const source = readFileSync(document, 'utf8').split('\n');
  const empty = (): Program => ({ document, lines: source.map(() => ''), blocks: 0 });
  const programs: { program: Program; imports: Set<string> }[] = [
    { program: empty(), imports: new Set() },
  ];
  for (let line = 0; line < source.length; line++) {
    const fence = /^(\s*)(```+)(\S*)\s*(.*?)\s*$/.exec(source[line]);
    if (fence === null) continue;
    const start = line;
    const closing = new RegExp(`^\\s*${fence[2]}\\s*$`);
    do line++;
    while (line < source.length && !closing.test(source[line]));
    if (line >= source.length)
      throw new Error(`${document}:${start + 1}: the code block has no end`);
    if (fence[3] !== 'ts') continue;
    if (!['', 'fresh', 'no-run'].includes(fence[4]))
      throw new Error(`${document}:${start + 1}: '${fence[4]}' is neither fresh nor no-run`);
    if (fence[4] === 'fresh') programs.push({ program: empty(), imports: new Set() });
    const { program, imports } = programs[programs.length - 1];
    const code = withoutImports(source.slice(start + 1, line).join('\n'), imports).split('\n');
    program.blocks++;
    code.forEach((text, i) => {
      program.lines[start + 1 + i] = fence[4] === 'no-run' ? text.replace(/^\s*export /, '') : text;
    });
    if (fence[4] === 'no-run') {
      program.lines[start] = `export async function sample${start + 1}(): Promise<void> {`;
      program.lines[line] = '}';
    }
  }
  for (const { program, imports } of programs) {
    // The first line of a document is its title or a fence, never code.
    program.lines[0] = `${[...imports].join(' ')} export {}; ${program.lines[0]}`;
  }
  return programs.map(({ program }) => program).filter((program) => program.blocks > 0);
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

/**
 * Compiles the programs into a folder beside them, with the sources of rowsmith that they share:
 * faster than a process of tsx for each.
 */
async function bundle(files: readonly string[], folder: string, tsconfig: string): Promise<string> {
  const outdir = join(folder, 'compiled');
  await build({
    entryPoints: [...files],
    outdir,
    bundle: true,
    keepNames: true,
    // package.json declares the side effects of dist/ only.
    ignoreAnnotations: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    sourcesContent: false,
    tsconfig,
    logLevel: 'error',
  });
  return outdir;
}

interface Ran {
  readonly status: number | null;
  readonly stderr: string;
  /** Standard output, standard error, and why the process did not start. */
  readonly output: string;
}

/** Runs a compiled program in a directory of its own. */
function runProgram(file: string): Promise<Ran> {
  const cwd = mkdtempSync(join(tmpdir(), 'rowsmith-sample-'));
  const child = spawn(process.execPath, ['--enable-source-maps', file], {
    cwd,
    timeout: 300_000,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_ENV: 'development' },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((done) => {
    const finish = (status: number | null, reason: string): void => {
      rmSync(cwd, { recursive: true, force: true });
      done({ status, stderr, output: `${stdout}${stderr}${reason}` });
    };
    child.on('error', (error) => finish(null, String(error)));
    child.on('close', (code, signal) =>
      finish(code, signal === null ? '' : `ended by ${signal}\n`),
    );
  });
}

async function main(): Promise<void> {
  const files = documents(process.argv.slice(typescript7 ? 3 : 2)).map((name) => resolve(name));
  for (const file of files)
    if (!existsSync(file)) fail(`FAILED ${relative(root, file)} does not exist`);
  mkdirSync(join(root, '.tmp'), { recursive: true });
  // Inside the repository, so that packages are resolved as for a file beside the document.
  const folder = mkdtempSync(join(root, '.tmp/samples-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  const tsconfig = join(folder, 'tsconfig.json');
  writeFileSync(
    tsconfig,
    JSON.stringify({
      extends: '../../tsconfig.json',
      compilerOptions: { types: ['node'], noUnusedLocals: false, noUnusedParameters: false },
      include: ['*.ts'],
      exclude: [],
    }),
  );

  const programs = files
    .flatMap((file) => {
      const found = programsOf(file);
      if (found.length === 0) fail(`FAILED ${relative(root, file)} has no \`\`\`ts block`);
      return found;
    })
    .map((program, i) => ({ ...program, file: join(folder, `program${i}.ts`) }));
  for (const { file, lines } of programs) writeFileSync(file, lines.join('\n'));
  /** Replaces the names of programs by those of their documents. */
  const inDocuments = (text: string): string =>
    programs.reduce(
      (all, { file, document }) =>
        all
          .replaceAll(file, relative(root, document))
          .replaceAll(relative(root, file), relative(root, document)),
      text,
    );

  const tsc = binOf(`${typescript7 ? 'typescript7' : 'typescript'}/bin/tsc`);
  const checked = spawnSync(process.execPath, [tsc, '-p', tsconfig, '--pretty', 'false'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (checked.status !== 0)
    fail(
      `FAILED the samples do not compile\n${inDocuments(checked.stdout + checked.stderr).trimEnd()}`,
    );

  const compiled = await bundle(
    programs.map(({ file }) => file),
    folder,
    tsconfig,
  );
  let failed = 0;
  const report = ({ document, blocks }: Program, { status, stderr, output }: Ran): void => {
    const title = `${relative(root, document)}  ${blocks} blocks`;
    const warned = stderr.includes('[ROWSMITH_LINT]');
    if (status === 0 && !warned) {
      console.log(`ok     ${title}`);
      return;
    }
    failed++;
    console.log(`FAILED ${title}`);
    console.log(inDocuments(output).trimEnd());
  };
  // Several at a time, reported in the order of the documents.
  const runs: Promise<Ran>[] = [];
  const lanes = availableParallelism();
  for (const [i, { file }] of programs.entries()) {
    const start = () => runProgram(join(compiled, basename(file).replace(/ts$/, 'js')));
    runs.push(i < lanes ? start() : runs[i - lanes].then(start));
  }
  for (const [i, program] of programs.entries()) report(program, await runs[i]);
  process.exitCode = failed === 0 ? 0 : 1;
}

await main();
