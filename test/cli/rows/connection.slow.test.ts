/** A database that cannot be reached. */
import { project } from './shop.js';

test('no connection', async () => {
  // Nobody listens on port 1.
  process.env.BIGTABLE_EMULATOR_HOST = '127.0.0.1:1';
  const shop = project('bigtable://p/instance-1');
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
    // A scan spoke of a write that may have been applied, after 20 seconds.
    expect(err).toContain('nobody listens at 127.0.0.1:1, which BIGTABLE_EMULATOR_HOST names');
    expect(err).toContain('start it: rowsmith serve');
    expect(err).not.toContain('may have been applied');
  }
  // What reads nothing needs no connection.
  expect(await shop.run(['keys', 'encode', 'Order', 'shop=a', 'n=1'])).toMatchObject({ status: 0 });
  delete process.env.BIGTABLE_EMULATOR_HOST;
  await shop.close();
});
