/** Which parts of an error may hold values and row keys: docs/guide/observe.md, Values and keys. */
import { open, RowsmithError } from '../../../src/index.js';
import { errorMessages } from '../../../src/base/index.js';
import { Reading } from '../../entities/repository/support/entities.js';

const secret = 'secret-device';

test('details may hold values and row keys; code, message and observers do not', async () => {
  const lines: string[] = [];
  const observe = { log: (line: string) => void lines.push(line) };
  await using db = await open('memory:', { entities: [Reading], observe });
  const readings = db.repository(Reading);
  const reading = (device: string, n: number, value: unknown = 1) =>
    readings.create({ tenant: 'acme', device, n, value: value as number });
  await readings.insert(reading(secret, 1));
  const failed: unknown[] = [];
  for (const call of [
    () => readings.insert(reading(secret, 1)),
    async () => readings.save(reading('x', 2, secret)),
    async () => readings.save(reading('x', secret as never)),
    async () => readings.get({ tenant: 'acme', device: secret, n: -1 }),
  ])
    await call().then(
      () => undefined,
      (error: unknown) => failed.push(error),
    );
  const errors = failed.filter((error) => error instanceof RowsmithError);
  expect(errors.length).toBe(failed.length);
  expect(errors.length).toBeGreaterThanOrEqual(3);
  for (const { code, message, details } of errors) {
    expect(message).toBe(errorMessages[code]);
    expect(`${message} ${details.entity} ${details.property}`).not.toContain(secret);
  }
  // Without the row key the error could not be found.
  expect(errors[0].code).toBe('ROW_EXISTS');
  expect(errors[0].explain()).toContain(secret);
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.join('\n')).not.toContain(secret);
});
