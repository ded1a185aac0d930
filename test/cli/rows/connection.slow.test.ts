/** A database that cannot be reached. */
import { project } from './shop.js';

test('no connection', async () => {
  // Nobody listens on port 1.
  process.env.BIGTABLE_EMULATOR_HOST = '127.0.0.1:1';
  const shop = project('bigtable://p/instance-1');
  // Together, because each attempts it for 20 seconds.
  const lines = [
    'scan Order',
    'ls',
    'put Order shop=a n=1 status=x --yes',
    'schema plan',
    'schema apply',
    'gc --explain',
    'pull --table orders',
  ];
  const results = await Promise.all(lines.map((line) => shop.run(line.split(' '))));
  for (const { status, out, err } of results) {
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toContain('The storage service could not be reached');
    expect(err).toContain('127.0.0.1:1');
  }
  // What reads nothing needs no connection.
  expect(await shop.run(['keys', 'encode', 'Order', 'shop=a', 'n=1'])).toMatchObject({ status: 0 });
  delete process.env.BIGTABLE_EMULATOR_HOST;
  await shop.close();
});
