/** The compiler's messages for each invalid use in compile-errors.ts, as readable text. */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import * as ts from 'typescript';

const file = join(__dirname, 'compile-errors.ts');

/** The messages for an invalid use. */
export interface UseDiagnostics {
  readonly name: string;
  readonly lines: readonly string[];
}

/** Decorators of `experimentalDecorators`, or standard ones. */
export type Dialect = 'legacy' | 'standard';

/** Compiles compile-errors.ts and collects the errors inside each `invalid('name', ...)`. */
export function diagnosticsOfUses(
  dialect: Dialect,
  options: ts.CompilerOptions = {},
): UseDiagnostics[] {
  const program = ts.createProgram([file], {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    experimentalDecorators: dialect === 'legacy',
    emitDecoratorMetadata: dialect === 'legacy',
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
    lib: [
      'lib.es2023.d.ts',
      'lib.es2024.string.d.ts',
      'lib.esnext.disposable.d.ts',
      'lib.esnext.decorators.d.ts',
      'lib.decorators.d.ts',
    ],
    ...options,
  });
  const source = program.getSourceFile(file);
  if (source === undefined) throw new Error(`${file} is missing`);
  const errors = [
    ...program.getSemanticDiagnostics(source),
    ...program.getSyntacticDiagnostics(source),
  ];
  const uses = usesIn(source);
  const diagnostics = uses.map(({ name, start, end }) => ({
    name,
    lines: errors
      .filter((error) => error.start !== undefined && error.start >= start && error.start < end)
      .flatMap(textOf),
  }));
  const outside = errors.filter(
    (error) =>
      !uses.some(
        ({ start, end }) => error.start !== undefined && error.start >= start && error.start < end,
      ),
  );
  if (outside.length > 0)
    throw new Error(`errors outside of invalid uses: ${outside.flatMap(textOf).join('\n')}`);
  return diagnostics;
}

/**
 * Names of the uses that TypeScript 7 accepts. Its messages may differ, but it must reject each
 * use. It has no API, so its command is run.
 */
export function acceptedByTypeScript7(dialect: Dialect): string[] {
  const tsc = join(dirname(require.resolve('typescript7/package.json')), 'bin/tsc');
  const options = [
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--strict',
    ...(dialect === 'legacy' ? ['--experimentalDecorators', '--emitDecoratorMetadata'] : []),
    '--noEmit',
    '--skipLibCheck',
    '--types',
    'node',
    '--pretty',
    'false',
    '--lib',
    'es2023,es2024.string,esnext.disposable,esnext.decorators,decorators',
    '--ignoreConfig',
  ];
  const { stdout } = spawnSync(process.execPath, [tsc, ...options, file], { encoding: 'utf8' });
  const source = ts.createSourceFile(
    file,
    ts.sys.readFile(file) ?? '',
    ts.ScriptTarget.ES2022,
    true,
  );
  const positions = [...stdout.matchAll(/compile-errors\.ts\((\d+),(\d+)\): error/g)].map(
    ([, line, column]) =>
      source.getPositionOfLineAndCharacter(Number(line) - 1, Number(column) - 1),
  );
  if (positions.length === 0) throw new Error(`TypeScript 7 found nothing: ${stdout}`);
  return usesIn(source)
    .filter(({ start, end }) => !positions.some((each) => each >= start && each < end))
    .map(({ name }) => name);
}

function usesIn(source: ts.SourceFile): { name: string; start: number; end: number }[] {
  const uses: { name: string; start: number; end: number }[] = [];
  const visit = (node: ts.Node): void => {
    if (
      ts.isCallExpression(node) &&
      node.expression.getText(source) === 'invalid' &&
      ts.isStringLiteral(node.arguments[0])
    ) {
      uses.push({ name: node.arguments[0].text, start: node.getStart(source), end: node.end });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return uses;
}

function textOf(error: ts.Diagnostic): string[] {
  return ts
    .flattenDiagnosticMessageText(error.messageText, '\n')
    .split('\n')
    .map((line, i) => (i === 0 ? `TS${error.code}: ${line}` : `  ${line}`));
}
