/**
 * The Dockerfile: its steps run in a temporary folder, as this user, and the command, the health
 * check and the volume of the image do what they say. Where Docker runs, the image is built, too.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPackage, processEnv, root, run } from '../support/built-package.js';

const text = readFileSync(join(root, 'Dockerfile'), 'utf8');
/** The instructions of each stage: `['RUN', 'npm ci']`. */
const [build, image] = text
  .split(/^FROM .*$/m)
  .slice(1)
  .map((stage) => [...stage.matchAll(/^([A-Z]+) (.*)$/gm)].map(([, name, rest]) => [name, rest]));
const valueOf = (name: string): string => image.find(([each]) => each === name)![1];
const commandOf = (name: string): string[] => JSON.parse(/\[.*\]/.exec(valueOf(name))![0]);

let scratch = '';
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'rowsmith-container-'));
  for (const folder of ['tmp', 'data']) mkdirSync(join(scratch, folder));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** The folders of the image, in the temporary folder. */
const here = (words: string): string =>
  words.replaceAll(/(?<![\w.])\/(tmp|app|data)\b/g, `${scratch}/$1`);

test('the steps of the build install the package', () => {
  const steps = build.filter(([name]) => name === 'RUN').map(([, command]) => command);
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  // These two take minutes, and CI runs them on the repository.
  expect(steps.slice(0, 2)).toEqual([
    'npm ci --ignore-scripts --no-audit --no-fund',
    'npm run build',
  ]);
  expect(scripts.build).toBeDefined();
  const built = buildPackage();
  try {
    for (const step of steps.slice(2)) {
      const env = { npm_config_prefer_offline: 'true' };
      const { status, output } = run(built, 'sh', ['-ec', here(step)], env);
      expect(status === 0 ? '' : output).toBe('');
    }
  } finally {
    rmSync(built, { recursive: true });
  }
  expect(existsSync(here(commandOf('ENTRYPOINT')[0]))).toBe(true);
}, 600_000);

test('the command serves the volume, the health check finds it, and SIGTERM ends it', async () => {
  expect(valueOf('USER')).toBe('node');
  expect(valueOf('VOLUME')).toBe('/data');
  expect(image).toContainEqual(['RUN', 'mkdir /data && chown node:node /data']);
  const [program, ...args] = [...commandOf('ENTRYPOINT'), ...commandOf('CMD')].map(here);
  // On a port that is free; of options given twice the last one counts.
  const server = spawn(program, [...args, '--host', '127.0.0.1', '--port', '0'], {
    env: { ...processEnv(), NODE_ENV: 'production' },
  });
  let output = '';
  server.stdout.on('data', (bytes: Buffer) => void (output += String(bytes)));
  while (!output.includes('BIGTABLE_EMULATOR_HOST=')) await once(server.stdout, 'data');
  const address = /BIGTABLE_EMULATOR_HOST=(\S+)/.exec(output)![1];
  const [health, ...words] = commandOf('HEALTHCHECK').map(here);
  const check = () => run(scratch, health, [...words, address]);
  expect(check()).toEqual({ status: 0, output: `${address} serves.\n` });
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(existsSync(join(scratch, 'data'))).toBe(true);
  const after = check();
  expect(after.status).toBe(1);
  expect(after.output).toContain(`the server at ${address} does not answer`);
});

const hasDocker = run(root, 'docker', ['info']).status === 0;
if (!hasDocker) console.warn('SKIPPED: Docker does not run here, so the image is not built');
(hasDocker ? test : test.skip)(
  'the image builds',
  () => {
    const { status, output } = run(root, 'docker', ['build', '--quiet', '.']);
    expect(status === 0 ? '' : output).toBe('');
  },
  600_000,
);
