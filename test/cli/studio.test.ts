/** `rowsmith studio`: its link, signals that end it, and what it refuses. */
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { run } from '../../src/cli/run.js';
import { open } from '../../src/index.js';
import { command } from '../support/command.js';
import { sendTo } from '../tools/studio/studio-client.js';
import { buildExampleProject } from './example-project.js';
import { entities } from './example-entities.js';

let project: Awaited<ReturnType<typeof buildExampleProject>>;
beforeAll(async () => {
  project = await buildExampleProject();
});
afterAll(() => project.close());

const linkForm = /http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]+/;

/** Runs the command, and works with the link before a signal ends it. */
async function withStudio<T>(
  args: readonly string[],
  work: (link: URL) => Promise<T>,
  signal: NodeJS.Signals = 'SIGTERM',
) {
  const output = { out: '', err: '' };
  let found: (link: string) => void;
  const link = new Promise<string>((resolve) => (found = resolve));
  const stream = (name: 'out' | 'err') => ({
    write(text: string | Uint8Array) {
      output[name] += Buffer.from(text as Uint8Array).toString();
      const [shown] = linkForm.exec(output.out) ?? [];
      if (shown !== undefined) found(shown);
      return true;
    },
  });
  const context = { out: stream('out'), err: stream('err'), env: {}, folder: project.copy() };
  const running = run(['studio', ...args], context);
  const early = running.then((status) => {
    throw new Error(`ended with ${status}: ${output.err}`);
  });
  const result = await work(new URL(await Promise.race([link, early])));
  early.catch(() => undefined);
  process.emit(signal);
  return { status: await running, ...output, result };
}

const enter = (link: URL) => sendTo(Number(link.port), `${link.pathname}${link.search}`);

test.each<[NodeJS.Signals]>([['SIGTERM'], ['SIGINT'], ['SIGHUP']])(
  'it prints a link, serves, and ends with %s',
  async (signal) => {
    const work = async (link: URL) => ({ link, entered: await enter(link) });
    const { status, out, err, result } = await withStudio(['--port', '0'], work, signal);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toMatch(/^Studio of file:.*:\nhttp.*\n.*: closing\.\n$/);
    expect(result.entered.status).toBe(200);
    await expect(enter(result.link)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  },
);

test('--json has the link, and --write says so', async () => {
  const { out } = await withStudio(['--json', '--write', '--port=0', '--no-open'], enter);
  expect(JSON.parse(out)).toEqual({
    url: expect.stringMatching(/^file:/),
    port: expect.any(Number),
    link: expect.stringMatching(linkForm),
    write: true,
  });
});

test('a port that is taken is an error if it was asked for', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  expect(await command(project.copy(), ['studio', '--port', String(port)])).toEqual({
    status: 1,
    out: '',
    err: expect.stringContaining(`port ${port} cannot be used (EADDRINUSE)`),
  });
  taken.close();
});

test('beside the owner of a database it reads, and does not write', async () => {
  const folder = project.copy();
  const owner = await open(`file:${join(folder, 'data')}`, { entities, lint: false });
  const result = await command(folder, ['studio', '--write', '--port', '0']);
  expect(result).toMatchObject({
    status: 1,
    err: expect.stringContaining('leave out --write to read beside it'),
  });
  await owner.close();
});

test.each([
  [['--url', 'memory:'], 2, 'memory: is empty in every process'],
  [['--url', 'file:./none'], 1, 'there is no such directory'],
  [['--recording', 'none.heat'], 1, "there is no file 'none.heat'"],
  [['--port', '70000'], 2, '--port takes a whole number'],
])('%j is refused', async (args, status, text) => {
  expect(await command(project.copy(), ['studio', ...args])).toMatchObject({
    status,
    err: expect.stringContaining(text),
  });
});
