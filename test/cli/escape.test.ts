/** Control characters of names and values do not reach a terminal. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RowsmithError } from '../../src/base/index.js';
import { Terminal } from '../../src/cli/terminal/terminal.js';
import { command } from '../support/command.js';

/** Without files, whatever other programs leave in the folder of temporary files. */
const empty = mkdtempSync(join(tmpdir(), 'rowsmith-cli-'));
afterAll(() => rmSync(empty, { recursive: true }));

/** ESC [2J clears the screen; U+009B is CSI in one character; U+202E reverses what follows. */
const hostile = 'a\x1b[2Jb\x9b2Jc\rd\x07e\u202ef';
const visible = 'a\\x1b[2Jb\\x9b2Jc\\x0dd\\x07e\\u202ef';

function terminal(isTTY: boolean, json = false) {
  const written = { out: '', err: '' };
  const stream = (name: 'out' | 'err') => ({
    isTTY,
    write: (text: string | Uint8Array) => {
      written[name] += String(text);
      return true;
    },
  });
  const streams = { out: stream('out'), err: stream('err') };
  return { terminal: new Terminal({ ...streams, env: {}, json, colours: true }), written };
}

test.each([true, false])('control characters are escaped; is a terminal: %s', (isTTY) => {
  const { terminal: screen, written } = terminal(isTTY);
  screen.print(`${screen.style.bold('name')}: ${hostile}\tx\ny`);
  screen.note(hostile);
  screen.printError(new RowsmithError('INVALID_ARGUMENT', { property: hostile, problem: hostile }));
  screen.progress(hostile).done(1);
  const bold = isTTY ? '\x1b[1mname\x1b[22m' : 'name';
  expect(written.out).toBe(`${bold}: ${visible}\tx\ny\n`);
  expect(written.err.split(visible)).toHaveLength(5);
  expect(written.err).not.toContain('\x1b[2J');
  expect(written.err).not.toMatch(/[\x9b\x07\u202e]/);
});

test('styles of data are escaped where there are no styles', () => {
  const { terminal: screen, written } = terminal(false);
  screen.print('\x1b[31mred\x1b[39m');
  expect(written.out).toBe('\\x1b[31mred\\x1b[39m\n');
});

test('JSON has no control characters, and the same content', () => {
  const { terminal: screen, written } = terminal(true, true);
  screen.printJson({ [hostile]: hostile });
  expect(written.out).not.toMatch(/[\x1b\x9b\x7f]/);
  expect(JSON.parse(written.out)).toEqual({ [hostile]: hostile });
});

test('files are written as they are, except to a terminal', () => {
  for (const [isTTY, expected] of [
    [true, visible],
    [false, hostile],
  ] as const) {
    const { terminal: screen, written } = terminal(isTTY);
    screen.write(hostile);
    expect(written.out).toBe(expected);
  }
});

test('arguments in error messages', async () => {
  const { err } = await command(empty, [hostile], { isTTY: true });
  expect(err).toContain(visible);
  expect(err).not.toContain('\x1b[2J');
});

test.each([true, false])('rows on standard output; is a terminal: %s', (isTTY) => {
  // A value of a row cleared the screen of whoever exported it.
  const { terminal: screen, written } = terminal(isTTY);
  const json = `${JSON.stringify({ note: `${hostile}\x7f\u{1f600}` })}\n`;
  const output = screen.dataOutput('jsonl');
  expect(output === undefined).toBe(!isTTY);
  if (output === undefined) return;
  // Byte by byte: characters may be split between chunks.
  for (const byte of Buffer.from(json)) output.write(Uint8Array.of(byte));
  expect(written.out).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
  expect(JSON.parse(written.out)).toEqual(JSON.parse(json));
  written.out = '';
  screen.dataOutput('csv')!.write(Buffer.from(`"${hostile}",\u{1f600}\n`));
  expect(written.out).toBe(`"${visible}",\u{1f600}\n`);
});
