/** The key vectors that declarations can express, in generated Python. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAscii, isSinceYearOne, keyVectors } from './support/key-vectors.js';
import { PythonProcess, pythonIsMissing, writePython } from './support/python.js';

const describePython = pythonIsMissing() ? describe.skip : describe;

describePython('key vectors', () => {
  const { all, cases: declared, models } = keyVectors();
  // Generated code refuses domain names that are not ASCII: docs/guide/python.md.
  const cases = declared.filter((each) => isAscii(each) && isSinceYearOne(each));
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-python-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('Python has all but a few', () => {
    expect(cases.length).toBeGreaterThan(100);
    expect(all - cases.length).toBeLessThan(12);
  });

  test('have their bytes in Python, and are read back', async () => {
    const python = await PythonProcess.start(await writePython(folder, models));
    const keys = cases.map(({ vector }) => `6b23${vector.hex}`);
    const requests = cases.map(({ name, value }) => ({
      module: name.toLowerCase(),
      values: { v: value },
    }));
    const encoded = await python.ask(requests.map((each) => ({ op: 'encode', ...each })));
    cases.forEach(({ vector }, i) =>
      expect([vector, encoded[i]]).toEqual([vector, { ok: keys[i] }]),
    );
    const parsed = await python.ask(
      requests.map(({ module }, i) => ({ op: 'parse', module, key: keys[i] })),
    );
    const again = await python.ask(
      parsed.map(({ ok }, i) => ({ op: 'encode', module: requests[i].module, values: ok })),
    );
    await python.close();
    expect(again).toEqual(encoded);
  });
});
