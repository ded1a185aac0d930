/** scripts/run-samples.ts, which runs the code in the documents, finds every kind of error. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { root, run, type ProcessResult } from './support/built-package.js';

let folder = '';
/** As deep in the repository as scripts/: the script finds the repository by its own path. */
const script = join(root, `.tmp/run-samples-${process.pid}.mjs`);
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rowsmith-samples-'));
  // Compiled once, because tsx would take half a second for each of the runs.
  buildSync({
    entryPoints: [join(root, 'scripts/run-samples.ts')],
    outfile: script,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  rmSync(script, { force: true });
});

function samples(text: string): ProcessResult {
  const file = join(folder, 'page.md');
  writeFileSync(file, text);
  return runScript('--typescript7', file);
}

const runScript = (...args: readonly string[]): ProcessResult =>
  run(root, process.execPath, [script, ...args]);
const fenced = (kind: string, code: string): string => `\`\`\`${kind}\n${code}\n\`\`\`\n`;

test('blocks of a page are one program; fresh starts another, no-run is only checked, other languages are ignored', () => {
  const page =
    '# Page\n' +
    fenced(
      'ts',
      "import { writeFileSync } from 'node:fs';\nimport { RowsmithError } from 'rowsmith';\nconst one: number = 1;",
    ) +
    fenced(
      'ts',
      "import { readdirSync, writeFileSync } from 'node:fs';\nimport type { Stats } from 'node:fs';\nlet stats: Stats | undefined;\nwriteFileSync('x', String(one));\n" +
        "if (readdirSync('.').join() !== 'x') throw new Error('not in a directory of its own');\nif (await Promise.resolve(!RowsmithError)) throw new Error();",
    ) +
    fenced('ts no-run', 'export const never: number = one;\nthrow new Error(`ran ${never}`);') +
    fenced('ts fresh', 'const one = "again";\nif (one.length !== 5) throw new Error();') +
    fenced('sh', 'exit 1') +
    fenced('typescript', 'this does not compile');
  const { status, output } = samples(page);
  expect(output).toMatch(/^ok +\S*page\.md {2}3 blocks\nok +\S*page\.md {2}1 blocks\n$/);
  expect(status).toBe(0);
});

test.each([
  [
    'a type error',
    '# Page\n\n' + fenced('ts', 'const a = 1;\nconst b: string = a;'),
    /page\.md\(5,7\): error TS2322/,
  ],
  [
    'a type error in a block that does not run',
    '# Page\n' + fenced('ts no-run', 'const b: string = 1;'),
    /page\.md\(3,7\): error TS2322/,
  ],
  [
    'a throw',
    '# Page\n\n' + fenced('ts', "const ok = true;\nif (ok) throw new Error('at run time');"),
    /at run time[\s\S]*page\.md:5/,
  ],
  ['an exit code', '# Page\n' + fenced('ts', 'process.exitCode = 3;'), /FAILED/],
  [
    'a warning of lint',
    '# Page\n' +
      fenced(
        'ts',
        "import { Entity, Segment, Versions, maxVersions, open, rowKey, type Version } from 'rowsmith';\n" +
          "@Entity({ table: 't', families: { m: { gc: maxVersions(1) } } })\nclass Log {\n" +
          "  static readonly key = rowKey('id');\n  @Segment('uuid') id!: string;\n" +
          "  @Versions('m', 'string') text?: Version<string>[];\n}\n" +
          "await (await open('memory:', { entities: [Log] })).close();",
      ),
    /FAILED[\s\S]*ROWSMITH_LINT[\s\S]*error F02 Log\.text/,
  ],
  [
    'an unknown mark',
    '# Page\n' + fenced('ts norun', 'throw new Error();'),
    /'norun' is neither fresh nor no-run/,
  ],
  [
    'a block without an end',
    '# Page\n```ts\nconst a = 1;\n',
    /page\.md:2: the code block has no end/,
  ],
  ['a page without samples', '# Page\n' + fenced('sh', 'true'), /has no ```ts block/],
])('%s fails with the line of the page', (_what, page, error) => {
  const { status, output } = samples(page);
  expect(output).toMatch(error);
  expect(status).toBe(1);
});

test('a missing document fails', () => {
  const { status, output } = runScript('no-such.md');
  expect(output).toMatch(/no-such\.md does not exist/);
  expect(status).toBe(1);
});
