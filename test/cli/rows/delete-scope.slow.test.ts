/** rowsmith delete-scope: what it shows and asks, and what is left. */
import { type Shop, shops } from './shop.js';

const telemetry = [
  { entity: 'Device', kind: 'rows', table: 'telemetry', how: 'ranges', rows: 1 },
  { entity: 'Reading', kind: 'rows', table: 'telemetry', how: 'ranges', rows: 4 },
];

describe.each(shops)('$name', ({ open }) => {
  let shop: Shop;
  beforeEach(async () => {
    shop = await open();
  });
  afterEach(() => shop.close());

  const run = (line: string) => shop.run(line.split(' '));
  const countOf = async (entity: string): Promise<number> => {
    const { out } = await run(`count ${entity} --json`);
    return (JSON.parse(out) as { readonly count: number }).count;
  };

  test('a dry run, then the deletion', async () => {
    const dry = await run('delete-scope tenant=acme --dry-run');
    expect(dry).toMatchObject({ status: 0, err: 'nothing was written: --dry-run\n' });
    const planned = { scope: { tenant: 'acme' }, rows: 5, parts: telemetry, deleted: false };
    expect(JSON.parse(dry.out)).toEqual(planned);
    expect(await countOf('Reading')).toBe(4);

    const done = await run('delete-scope tenant=acme --yes --json');
    expect(done).toMatchObject({ status: 0, err: '' });
    expect(JSON.parse(done.out)).toEqual({ ...planned, deleted: true });
    expect([await countOf('Device'), await countOf('Reading')]).toEqual([0, 0]);
    expect(await countOf('Order')).toBe(4);

    const again = await run('delete-scope tenant=acme --yes');
    expect(again).toMatchObject({
      status: 0,
      err: 'no rows of tenant=acme were found: nothing was deleted\n',
    });
    expect(JSON.parse(again.out)).toMatchObject({ rows: 0, deleted: false });
  });

  test('a question on a terminal', async () => {
    const ask = (input: string) => shop.onTerminal(['delete-scope', 'shop=oslo'], { input });
    const table = [
      'shop=oslo',
      'entity  what            table         rows  how',
      'Order   rows            orders        3     rows',
      'Order   index byStatus  orders_index  3     follows',
      'Order   index byCode    orders_index  2     follows',
      '',
    ].join('\n');
    const question = 'Delete 3 rows of shop=oslo, and what follows from them? [y/N] ';
    expect(await ask('n\n')).toEqual({
      status: 0,
      out: table,
      err: `${question}nothing was written\n`,
    });
    expect(await countOf('Order')).toBe(4);
    const agreed = await ask('y\n');
    expect(agreed).toMatchObject({ status: 0, out: table });
    expect(agreed.err).toContain(question);
    expect(await countOf('Order')).toBe(1);
    expect((await run('derived verify Order')).status).toBe(0);
  });

  test.each([
    ['delete-scope --yes', 'no scope was named'],
    ['delete-scope Device --yes', "takes SEGMENT=VALUE, not 'Device'"],
    ['delete-scope tenant>=a --yes', "takes SEGMENT=VALUE, not 'tenant>=a'"],
    ['delete-scope tenant=a tenant=b --yes', 'one value for each segment'],
    ['delete-scope device=d1 --yes', 'no entity has a key that begins with device'],
    ['delete-scope region=eu --yes', 'keys begin with shop, tenant'],
    ['delete-scope shop:=5 --yes', 'shop:=5'],
    ['delete-scope tenant=acme', 'needs --yes where nobody can be asked'],
    ['delete-scope tenant=acme --force', '--force'],
  ])('%s', async (line, problem) => {
    const { status, out, err } = await run(line);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toContain(problem);
    expect([await countOf('Order'), await countOf('Reading')]).toEqual([4, 4]);
  });
});
