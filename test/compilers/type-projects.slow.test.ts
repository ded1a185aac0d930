/**
 * What the packed declarations cost a project (bench/type-projects.mjs, which also has the times).
 * Files, lines, types and instantiations depend on nothing but the declarations and the compiler.
 */
import { rmSync } from 'node:fs';
import { buildPackage, root, run } from '../support/built-package.js';

interface Result {
  readonly resolution: string;
  readonly program: 'empty' | 'import' | 'entities';
  readonly files: number;
  readonly lines: number;
  readonly types: number;
  readonly instantiations: number;
}

let results: readonly Result[] = [];
beforeAll(() => {
  const folder = buildPackage();
  const script = ['bench/type-projects.mjs', '--package', folder, '--runs', '1'];
  const { status, output } = run(root, process.execPath, script);
  rmSync(folder, { recursive: true, force: true });
  if (status !== 0) throw new Error(output);
  results = JSON.parse(output) as readonly Result[];
});

describe.each(['nodenext', 'bundler'])('%s', (resolution) => {
  const figuresOf = (program: Result['program']) =>
    results.find((result) => result.resolution === resolution && result.program === program)!;

  test('an import adds 20 files to an empty project, and the code of no other package', () => {
    const [empty, imported] = [figuresOf('empty'), figuresOf('import')];
    expect(imported.files - empty.files).toBeGreaterThan(2);
    // One of them is the program's own in both.
    expect(imported.files - empty.files).toBeLessThanOrEqual(20);
    expect(imported.lines - empty.lines).toBeLessThanOrEqual(5_850);
    expect(imported.instantiations).toBe(0);
  });

  test('50 entities add few types', () => {
    const { types, instantiations } = figuresOf('entities');
    expect(types).toBeLessThanOrEqual(6_300);
    expect(instantiations).toBeLessThanOrEqual(28_400);
    // Far fewer: the program did not compile as intended.
    expect(instantiations).toBeGreaterThan(10_000);
  });
});
