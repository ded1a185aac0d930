/**
 * The pages of the rules: each says what the rule says, the removed lines of its example give
 * exactly the finding that it prints, and the added ones none.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import type { Fault, RowsmithError } from '../../../src/base/index.js';
import * as rowsmith from '../../../src/index.js';
import { findingText, heldRules, lint, lintRules } from '../../../src/tools/lint/index.js';
import type { Constructor } from '../../../src/entities/model/index.js';
import { example, folder, pageOf } from './rule-pages.js';

/** The entities of an example, in order. */
function entitiesOf(code: string): Constructor[] {
  const names = [...code.matchAll(/^class (\w+)/gm)].map(([, name]) => name);
  const compiled = transformSync(`${code}\nexport { ${names.join(', ')} };`, {
    loader: 'ts',
    format: 'cjs',
    target: 'es2022',
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
  });
  const module = { exports: {} as Record<string, Constructor> };
  // In this realm, because the declarations hold Dates and byte arrays of it.
  // oxlint-disable-next-line typescript/no-implied-eval
  new Function('module', 'exports', 'require', compiled.code)(
    module,
    module.exports,
    () => rowsmith,
  );
  const isEntity = (name: string): boolean =>
    new RegExp(`@Entity\\([^;]*?class ${name}\\b`).test(code);
  return names.filter(isEntity).map((name) => module.exports[name]);
}

const findingsText = (code: string): string =>
  lint(entitiesOf(code)).findings.map(findingText).join('\n');

/** The faults that the declaration of an example has, as text. */
function faultsText(code: string): string {
  try {
    lint(entitiesOf(code));
  } catch (error) {
    const { code: name, details } = error as RowsmithError;
    return details
      .faults!.map(({ entity, property, problem, fix }: Fault) => {
        const subject = [entity, property].filter(Boolean).join('.');
        return `${name} ${subject}: ${problem}\n  ${fix}`;
      })
      .join('\n');
  }
  return 'no fault';
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ');

test('each rule has a page, and there are no other pages', () => {
  const ids = [...lintRules, ...heldRules].map(({ id }) => `${id}.md`);
  expect(readdirSync(folder).sort()).toEqual([...ids, 'README.md'].sort());
  const all = readFileSync(join(folder, 'README.md'), 'utf8');
  const listed = [...all.matchAll(/^\| \[(\w+)\]\(\1\.md\) \| (.*?) \| (.*?) \|$/gm)];
  expect(listed.map(([, ...columns]) => columns)).toEqual([
    ...lintRules.map(({ id, level, title }) => [id, level, title]),
    ...heldRules.map(({ id, title }) => [id, 'held', title]),
  ]);
  const atOpen = lintRules.filter((rule) => rule.atOpen === true).map(({ id }) => id);
  expect(oneLine(all)).toContain(
    `of errors of ${atOpen.join(', ').replace(/, (\w+)$/, ' and $1')}.`,
  );
});

describe.each(lintRules.map((rule) => [rule.id, rule] as const))('%s', (id, rule) => {
  const page = pageOf(id);

  test('the page gives title, level, source, reason and fix', () => {
    const start = oneLine(page.slice(0, page.indexOf('```diff')));
    expect(start).toBe(
      `# ${id}: ${rule.title} **${rule.level}**, <${rule.source}> ` +
        `${rule.reason} **Fix.** ${rule.fix} `,
    );
  });

  test('the bad example gives exactly this finding, the good one none', () => {
    const [bad, good] = [example(page, 'bad'), example(page, 'good')];
    expect(findingsText(bad.code)).toBe(bad.output);
    expect(bad.output).toMatch(new RegExp(`^(error|warning|info) ${id} [^\n]*\n  [^\n]*$`));
    expect(findingsText(good.code)).toBe('');
  });

  test('open warns of the bad example if it loses data or fails', async () => {
    const { code, output } = example(page, 'bad');
    const emitted = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const environment = process.env.NODE_ENV;
    process.env.NODE_ENV = 'development';
    const warned = process as unknown as Record<symbol, unknown>;
    const symbol = Symbol.for('rowsmith.lintWarned');
    try {
      delete warned[symbol];
      await (await rowsmith.open('memory:', { entities: entitiesOf(code) as never })).close();
      const texts = emitted.mock.calls.map(([text]) => String(text));
      const speaks = rule.atOpen === true && output.startsWith('error');
      expect(texts).toEqual(speaks ? [expect.stringContaining(output)] : []);
    } finally {
      delete warned[symbol];
      process.env.NODE_ENV = environment;
      emitted.mockRestore();
    }
  });
});

describe.each(heldRules.map((rule) => [rule.id, rule] as const))('%s', (id, rule) => {
  test('is held by the declaration', () => {
    const page = pageOf(id);
    expect(oneLine(page.slice(0, page.indexOf('```diff')))).toBe(
      `# ${id}: ${rule.title} **held**: \`INVALID_DECLARATION\`, <${rule.source}> ` +
        `${rule.reason} **Fix.** ${rule.fix} `,
    );
    const [bad, good] = [example(page, 'bad'), example(page, 'good')];
    expect(faultsText(bad.code)).toBe(bad.output);
    expect(findingsText(good.code)).toBe('');
  });
});
