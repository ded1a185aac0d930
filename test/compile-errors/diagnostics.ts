/** What the compiler says of each mistake in compile-errors.ts, as readable text. */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import * as ts from 'typescript';

const file = join(__dirname, 'compile-errors.ts');

/** The complaints about one mistake. */
export interface Complaint {
  readonly mistake: string;
  readonly lines: readonly string[];
}

/** Compiles compile-errors.ts and gathers, for each `mistake('name', ...)`, the errors inside it. */
export function complaints(): Complaint[] {
  const program = ts.createProgram([file], {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
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
  });
  const source = program.getSourceFile(file);
  if (source === undefined) throw new Error(`${file} is missing`);
  const errors = [
    ...program.getSemanticDiagnostics(source),
    ...program.getSyntacticDiagnostics(source),
  ];
  const found = mistakesIn(source).map(({ name, start, end }) => ({
    mistake: name,
    lines: errors
      .filter((error) => error.start !== undefined && error.start >= start && error.start < end)
      .flatMap(textOf),
  }));
  const outside = errors.filter(
    (error) =>
      !mistakesIn(source).some(
        ({ start, end }) => error.start !== undefined && error.start >= start && error.start < end,
      ),
  );
  if (outside.length > 0)
    throw new Error(`errors outside mistakes: ${outside.flatMap(textOf).join('\n')}`);
  return found;
}

/**
 * Names of the mistakes that TypeScript 7 lets through. Its words may differ; that it complains may
 * not. It has no API, so its command is run.
 */
export function acceptedByTypeScript7(): string[] {
  const tsc = join(dirname(require.resolve('typescript7/package.json')), 'bin/tsc');
  const options = [
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--strict',
    '--experimentalDecorators',
    '--emitDecoratorMetadata',
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
  const places = [...stdout.matchAll(/compile-errors\.ts\((\d+),(\d+)\): error/g)].map(
    ([, line, column]) =>
      source.getPositionOfLineAndCharacter(Number(line) - 1, Number(column) - 1),
  );
  if (places.length === 0) throw new Error(`TypeScript 7 found nothing: ${stdout}`);
  return mistakesIn(source)
    .filter(({ start, end }) => !places.some((place) => place >= start && place < end))
    .map(({ name }) => name);
}

function mistakesIn(source: ts.SourceFile): { name: string; start: number; end: number }[] {
  const found: { name: string; start: number; end: number }[] = [];
  const visit = (node: ts.Node): void => {
    if (
      ts.isCallExpression(node) &&
      node.expression.getText(source) === 'mistake' &&
      ts.isStringLiteral(node.arguments[0])
    ) {
      found.push({ name: node.arguments[0].text, start: node.getStart(source), end: node.end });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function textOf(error: ts.Diagnostic): string[] {
  return ts
    .flattenDiagnosticMessageText(error.messageText, '\n')
    .split('\n')
    .map((line, i) => (i === 0 ? `TS${error.code}: ${line}` : `  ${line}`));
}
