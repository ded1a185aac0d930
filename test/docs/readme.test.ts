/**
 * The queries that do not compile in the README are also rejected at run time, with the messages in
 * the comments above them.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import * as rowsmith from '../../src/index.js';

const text = readFileSync(join(__dirname, '../../README.md'), 'utf8');
const [program, rejected] = [...text.matchAll(/^```ts(?: no-run)?\n([\s\S]*?)^```$/gm)].map(
  ([, block]) => block,
);

/** A call that throws or rejects. */
type Attempt = () => unknown;

/** The calls of the second block, on the repository of the first; the first prints nothing. */
async function collectAttempts(): Promise<readonly Attempt[]> {
  const calls = rejected
    .split('\n')
    .filter((line) => line.startsWith('readings.'))
    .map((line) => `() => ${line.replace(/;$/, '')}`);
  const declared = program.slice(program.indexOf(';\n') + 1, program.indexOf('const device ='));
  const source = `async function collect(names: any, attempts: any) { const { ${Object.keys(rowsmith).join(', ')} } = names; ${declared}; attempts.push(${calls.join(', ')}); }`;
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, experimentalDecorators: true },
  });
  // oxlint-disable-next-line typescript/no-implied-eval
  const run = new Function(`${outputText}; return collect;`)() as (
    names: typeof rowsmith,
    attempts: Attempt[],
  ) => Promise<void>;
  const attempts: Attempt[] = [];
  await run(rowsmith, attempts);
  return attempts;
}

test('the commands in it exist: scripts, and the name of the packed package', () => {
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

test('each rejected query has its message', async () => {
  const comments = [...rejected.matchAll(/^\/\/ @ts-expect-error (.*)$/gm)].map(
    ([, comment]) => comment,
  );
  const messages: string[] = [];
  for (const attempt of await collectAttempts()) {
    const { details } = await Promise.resolve()
      .then(attempt)
      .then(
        () => {
          throw new Error('the query was accepted');
        },
        (error: rowsmith.RowsmithError) => error,
      );
    // For a missing property of a key the comment has the compiler's message.
    messages.push(
      details.problem === 'the segment is missing'
        ? `Property '${details.property!}' is missing`
        : details.problem!,
    );
  }
  expect(messages).toEqual(comments);
  expect(messages).toHaveLength(4);
});
