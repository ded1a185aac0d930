/**
 * The questions that the README calls impossible are refused from JavaScript too, in the words that
 * stand above them.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import * as rowsmith from '../../src/index.js';

const text = readFileSync(join(__dirname, '../../README.md'), 'utf8');
const [program, refused] = [...text.matchAll(/^```ts(?: no-run)?\n([\s\S]*?)^```$/gm)].map(
  ([, block]) => block,
);

/** What a call throws, now or later. */
type Attempt = () => unknown;

/**
 * The calls of the second block, on the repository of the first; nothing of the first is printed.
 */
async function attempts(): Promise<readonly Attempt[]> {
  const calls = refused
    .split('\n')
    .filter((line) => line.startsWith('readings.'))
    .map((line) => `() => ${line.replace(/;$/, '')}`);
  const declared = program.slice(program.indexOf(';\n') + 1, program.indexOf('const device ='));
  const source = `async function attempts(names: any, given: any) { const { ${Object.keys(rowsmith).join(', ')} } = names; ${declared}; given.push(${calls.join(', ')}); }`;
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, experimentalDecorators: true },
  });
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  const run = new Function(`${outputText}; return attempts;`)() as (
    names: typeof rowsmith,
    given: Attempt[],
  ) => Promise<void>;
  const given: Attempt[] = [];
  await run(rowsmith, given);
  return given;
}

test('the commands it gives are there: scripts, and the name of the packed package', () => {
  const { name, version, scripts } = JSON.parse(
    readFileSync(join(__dirname, '../../package.json'), 'utf8'),
  ) as {
    readonly name: string;
    readonly version: string;
    readonly scripts: Readonly<Record<string, string>>;
  };
  const used = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, script]) => script);
  expect(used).toEqual(expect.arrayContaining(['build', 'demo']));
  expect(used.filter((script) => scripts[script] === undefined)).toEqual([]);
  expect([...new Set(text.match(/[\w.-]+\.tgz/g))]).toEqual([`${name}-${version}.tgz`]);
});

test('each with its problem', async () => {
  const comments = [...refused.matchAll(/^\/\/ @ts-expect-error (.*)$/gm)].map(
    ([, comment]) => comment,
  );
  const told: string[] = [];
  for (const attempt of await attempts()) {
    const { details } = await Promise.resolve()
      .then(attempt)
      .then(
        () => {
          throw new Error('it was answered');
        },
        (error: rowsmith.RowsmithError) => error,
      );
    // The compiler's own words where a key lacks a property.
    told.push(
      details.problem === 'the segment is missing'
        ? `Property '${details.property!}' is missing`
        : details.problem!,
    );
  }
  expect(told).toEqual(comments);
  expect(told).toHaveLength(4);
});
