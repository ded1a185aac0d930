/**
 * Google's clients in Go, Java and Python, as applications use them, against our server in memory and
 * on disk, and against Google's emulator where it is installed.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '../../src/data/store/index.js';
import { openDiskEngine, openMemoryEngine } from '../../src/engines/local/index.js';
import { startServer } from '../../src/server/index.js';
import { findEmulator } from '../support/emulator.js';
import { expectGolden } from '../support/golden.js';
import { startGoogleEmulator } from '../support/google-emulator.js';
import { languages, runProgram, type CheckResult, type Language } from './programs.js';

const emulator = findEmulator();
const folder = mkdtempSync(join(tmpdir(), 'rowsmith-clients-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Our server over the engine; a restart keeps its port, and takes the engine as it is. */
async function onRowsmith(
  command: readonly string[],
  engine: Engine,
): Promise<readonly CheckResult[]> {
  let server = await startServer(engine);
  const { port, address } = server;
  const restart = async (): Promise<void> => {
    await server.close({ graceMs: 0 });
    server = await startServer(engine, { port });
  };
  try {
    return await runProgram(command, address, restart);
  } finally {
    await server.close({ graceMs: 1000 });
    await engine.close();
  }
}

/** Google's emulator keeps nothing across a restart. */
async function onEmulator(command: readonly string[]): Promise<readonly CheckResult[]> {
  const running = await startGoogleEmulator(emulator!);
  try {
    return await runProgram(command, running.address, undefined);
  } finally {
    await running.close();
  }
}

/** `ok`, the status, or what was found instead of what was expected. */
function outcome({ ok, detail }: CheckResult): string {
  return ok ? 'ok' : (/^[A-Z_]{3,}(?=:)/.exec(detail)?.[0] ?? detail);
}

const lines = (results: readonly CheckResult[]): readonly string[] =>
  results.map((result) => `${result.check}: ${outcome(result)}`);

function expectOutcomes(golden: string, results: readonly CheckResult[]): void {
  const shown = `${lines(results).join('\n')}\n`;
  // The messages, which the golden file leaves out.
  if (process.env.SHOW_CLIENTS === '1') console.info(results);
  expectGolden(golden, shown);
}

function describeLanguage({ name, missing, build }: Language): void {
  if (missing !== undefined) {
    if (process.env.CI_REQUIRE_LANGUAGES === '1')
      throw new Error(`CI_REQUIRE_LANGUAGES is set, and ${missing} was not found`);
    console.warn(`SKIPPED: ${missing} is not installed, so Google's ${name} client is not tested`);
    describe.skip(name, () => void test('is installed', () => undefined));
    return;
  }
  describe(name, () => {
    let command: readonly string[];
    beforeAll(async () => void (command = await build()));

    test('our server in memory', async () => {
      const results = await onRowsmith(command, await openMemoryEngine());
      expectOutcomes(`clients/${name}-rowsmith.txt`, results);
    });

    test('our server on disk', async () => {
      const results = await onRowsmith(command, await openDiskEngine(join(folder, name)));
      expect(lines(results)).toEqual(
        readFileSync(join(__dirname, `../golden/clients/${name}-rowsmith.txt`), 'utf8')
          .trim()
          .split('\n'),
      );
    });

    (emulator === undefined ? test.skip : test)("Google's emulator", async () => {
      expectOutcomes(`clients/${name}-emulator.txt`, await onEmulator(command));
    });
  });
}

languages.forEach(describeLanguage);
