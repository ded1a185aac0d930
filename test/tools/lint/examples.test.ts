/**
 * The rules, and what they find in the entities of examples/ and demo/, as golden text. There are
 * no errors and no warnings: what is known is ignored with a reason beside the code.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as classValidator from 'class-validator';
import { transformSync } from 'esbuild';
import ts from 'typescript';
import * as rowsmith from '../../../src/index.js';
import { findingText, lintModels, lintRules } from '../../../src/tools/lint/index.js';
import { buildModel, declarationOf, type EntityModel } from '../../../src/entities/model/index.js';
import { expectGolden } from '../../support/golden.js';

const root = join(__dirname, '../../..');

/**
 * The statements of a program that declare entities: imports, classes, and constants that need no
 * more than these. The program itself does not run.
 */
function declarations(file: string): { readonly code: string; readonly names: string[] } {
  const text = readFileSync(file, 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const names: string[] = [];
  const kept = source.statements.filter((statement) => {
    if (ts.isImportDeclaration(statement)) return true;
    if (ts.isClassDeclaration(statement)) {
      names.push(statement.name!.text);
      return true;
    }
    const code = statement.getText(source);
    if (ts.isExpressionStatement(statement)) return /^define(Entity|Message)\(/.test(code);
    return (
      /^(export )?const \w+ = (table\(|\{|maxVersions)/.test(code) ||
      /^(export )?(const )?enum/.test(code)
    );
  });
  return { code: kept.map((statement) => statement.getText(source)).join('\n'), names };
}

function entitiesOf(file: string): readonly EntityModel[] {
  const { code, names } = declarations(file);
  const compiled = transformSync(`${code}\nmodule.exports = { ${names.join(', ')} };`, {
    loader: 'ts',
    format: 'cjs',
    target: 'es2022',
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
  });
  const module = { exports: {} as Record<string, new () => object> };
  // Declarations need nothing of other modules than the package and class-validator.
  const load = (name: string): unknown => {
    if (name === 'class-validator') return classValidator;
    return name.startsWith('rowsmith') || name.includes('src/index') ? rowsmith : {};
  };
  // oxlint-disable-next-line typescript/no-implied-eval
  new Function('module', 'exports', 'require', compiled.code)(module, module.exports, load);
  return Object.values(module.exports)
    .filter((each) => declarationOf(each).entity !== undefined)
    .map((each): EntityModel => buildModel(each));
}

const files = ['examples', 'demo'].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => /\.(ts|mjs)$/.test(name) && (folder === 'examples' || name === 'entities.ts'))
    .sort()
    .map((name) => `${folder}/${name}`),
);

test('entities of examples and of the demo', () => {
  const results = files.map((file) => [file, entitiesOf(join(root, file))] as const);
  const withEntities = results.filter(([, models]) => models.length > 0);
  expect(withEntities.length).toBeGreaterThan(20);
  const lines = withEntities.map(([file, models]) => {
    const { findings, suppressed } = lintModels(models);
    return [
      `${file}: ${models.map(({ name }) => name).join(', ')}`,
      ...findings.map((finding) => findingText(finding).replace(/^/gm, '  ')),
      ...suppressed.map(
        ({ rule, entity, property, ignored }) =>
          `  ${rule} ${[entity, property].filter(Boolean).join('.')} ignored: ${ignored}`,
      ),
    ].join('\n');
  });
  const text = `${lines.join('\n')}\n`;
  expect(text).not.toMatch(/^ {2}(error|warning) /m);
  expectGolden('lint-examples.txt', text);
});

test('the rules', () => {
  const texts = lintRules.map(({ id, level, title, reason, fix, source }) =>
    [`${id} ${level}: ${title}`, `  ${reason}`, `  Fix: ${fix}`, `  ${source}`].join('\n'),
  );
  expectGolden('lint-rules.txt', `${texts.join('\n\n')}\n`);
});
