/** The workflows run every supported version of Node, and only files that exist. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const text = (file: string): string => readFileSync(join(root, file), 'utf8');
const numbers = (list: string): string[] => list.match(/\d+/g)!;

test('a job for each version of Node that the matrix supports, from the oldest on', () => {
  const [, jobs] = /node: \[(.*)\]/.exec(text('.github/workflows/ci.yml'))!;
  const [, supported] = /const allVersions = \[(.*)\]/.exec(text('scripts/node-matrix.mjs'))!;
  expect(numbers(jobs)).toEqual(numbers(supported));
  const { engines } = JSON.parse(text('package.json')) as { engines: { node: string } };
  expect(engines.node).toBe(`>=${numbers(jobs)[0]}`);
});

test.each(['ci', 'release'])('the commands of %s.yml exist', (name) => {
  const { scripts } = JSON.parse(text('package.json')) as { scripts: Record<string, string> };
  const workflow = text(`.github/workflows/${name}.yml`);
  const commands = [...workflow.matchAll(/(bash|npm run) ([\w.:/-]+)/g)];
  expect(commands.length).toBeGreaterThan(0);
  for (const [, program, command] of commands)
    expect([
      command,
      program === 'bash' ? existsSync(join(root, command)) : command in scripts,
    ]).toEqual([command, true]);
});
