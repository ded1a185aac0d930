/** Commands that write rows: questions, what they show, and what is stored afterwards. */
import { backEnds, type Shop } from './shop.js';

describe.each(backEnds)('$name', ({ open }) => {
  let shop: Shop;
  beforeEach(async () => {
    shop = await open();
  });
  afterEach(() => shop.close());

  const run = async (line: string, input?: string) =>
    shop.run(words(line), input === undefined ? {} : { input });
  const row = async (key: string): Promise<unknown> => {
    const { status, out } = await run(`get Order ${key}`);
    return status === 0 ? (JSON.parse(out) as unknown) : undefined;
  };

  test('put: values, JSON and standard input', async () => {
    const written = await run(`put Order shop=oslo n=7 status=new total=12 at=2026-01-02 --yes`);
    expect({ status: written.status, err: written.err }).toEqual({ status: 0, err: '' });
    expect(JSON.parse(written.out)).toEqual({
      entity: 'Order',
      key: { shop: 'oslo', n: 7 },
      new: true,
      changes: [
        { property: 'at', after: '2026-01-02T00:00:00.000Z' },
        { property: 'status', after: 'new' },
        { property: 'total', after: '12' },
      ],
      written: true,
    });
    expect(await row('shop=oslo n=7')).toEqual({
      shop: 'oslo',
      n: 7,
      at: '2026-01-02T00:00:00.000Z',
      status: 'new',
      total: '12',
    });
    const json = '{"shop":"oslo","n":7,"tags":{"a":"b"},"extra":{"deep":[1]}}';
    expect(await run(`put Order ${json} --yes`)).toMatchObject({ status: 0 });
    expect(await row('shop=oslo n=7')).toEqual(JSON.parse(json));
    for (const args of ['put Order - --yes', 'put Order --yes']) {
      const input = JSON.stringify({ shop: 'oslo', n: 7, status: args });
      expect(await run(args, input)).toMatchObject({ status: 0 });
      expect(await row('shop=oslo n=7')).toEqual(JSON.parse(input));
    }
    expect(
      await run('put Order shop=oslo n=7 tags:={"x":"y"} extra={"a":null} --yes'),
    ).toMatchObject({
      status: 0,
    });
    expect(await row('shop=oslo n=7')).toEqual({
      shop: 'oslo',
      n: 7,
      tags: { x: 'y' },
      extra: { a: null },
    });
  });

  test('put of what get prints writes nothing', async () => {
    for (const key of [
      'Order shop=oslo n=2',
      'Order shop=oslo n=3',
      'Reading tenant=acme device=d1 at=2026-11-20T09:00:00Z',
    ]) {
      const cells = await run(`get ${key} --raw`);
      const { out } = await run(`get ${key}`);
      const [entity] = key.split(' ');
      const put = await run(`put ${entity} - --yes`, out);
      expect(put).toMatchObject({ status: 0, err: 'the row has these values already\n' });
      expect(JSON.parse(put.out)).toMatchObject({ changes: [], written: false });
      expect((await run(`get ${key} --raw`)).out).toBe(cells.out);
    }
  });

  test('a question on a terminal', async () => {
    const ask = (input: string, ...more: string[]) =>
      shop.onTerminal(['put', 'Order', 'shop=oslo', 'n=1', 'status=x', ...more], { input });
    const table = [
      'Order shop=oslo n=1',
      'property  before                    after',
      'at        2026-11-20T10:00:00.000Z',
      'code      a1',
      'status    failed                    x',
      'total     10',
      '',
    ].join('\n');
    const before = await row('shop=oslo n=1');
    for (const no of ['n\n', '', 'yesterday\n'])
      expect(await ask(no)).toEqual({
        status: 0,
        out: table,
        err: 'Write this row? [y/N] nothing was written\n',
      });
    expect(await ask('y\n', '--dry-run')).toEqual({
      status: 0,
      out: table,
      err: 'nothing was written: --dry-run\n',
    });
    expect(await row('shop=oslo n=1')).toEqual(before);
    expect(await ask('y\n')).toEqual({ status: 0, out: table, err: 'Write this row? [y/N] ' });
    expect(await row('shop=oslo n=1')).toEqual({ shop: 'oslo', n: 1, status: 'x' });
    // The row itself comes from standard input, which then has no answer.
    expect(await shop.onTerminal(['put', 'Order', '-'], { input: '{}' })).toMatchObject({
      status: 2,
    });
  });

  test('patch', async () => {
    const changed = await run(
      'patch Order shop=oslo n=3 status:=null total=8 tags:={"size":null,"kind":"new"} --yes',
    );
    expect(changed).toMatchObject({ status: 0, err: '' });
    expect(JSON.parse(changed.out)).toEqual({
      entity: 'Order',
      key: { shop: 'oslo', n: 3 },
      new: false,
      changes: [
        { property: 'status', before: 'open' },
        { property: 'total', before: '-5', after: '8' },
        {
          property: 'tags',
          before: { colour: 'red, green', size: 'large' },
          after: { colour: 'red, green', kind: 'new' },
        },
      ],
      written: true,
    });
    const after = {
      shop: 'oslo',
      n: 3,
      code: 'a3',
      extra: { big: [1, 'two'] },
      total: '8',
      tags: { colour: 'red, green', kind: 'new' },
    };
    expect(await row('shop=oslo n=3')).toEqual(after);
    expect(await run('patch Order shop=oslo n=3 total=8 --yes')).toMatchObject({
      status: 0,
      err: 'the row has these values already\n',
    });
    expect(await run('patch Order shop=oslo n=3 total=9 --dry-run')).toMatchObject({ status: 0 });
    expect(await row('shop=oslo n=3')).toEqual(after);
    expect(await run('patch Order - --yes', '{"shop":"oslo","n":3,"total":"9"}')).toMatchObject({
      status: 0,
    });
    expect(await row('shop=oslo n=3')).toEqual({ ...after, total: '9' });
    // The entries of a column map are merged; the value of another column is replaced.
    const replaced = await run('patch Order shop=oslo n=3 extra:={"a":null,"b":2} --yes');
    expect(JSON.parse(replaced.out)).toMatchObject({
      changes: [{ property: 'extra', before: { big: [1, 'two'] }, after: { a: null, b: 2 } }],
    });
    expect(await row('shop=oslo n=3')).toMatchObject({ extra: { a: null, b: 2 } });
    const restored = `patch Order shop=oslo n=3 extra:=${JSON.stringify(after.extra)} --yes`;
    expect(await run(restored)).toMatchObject({ status: 0 });
    const empty = await run('patch Order shop=oslo n=2 tags:={"x":"y","z":null} --dry-run');
    expect(JSON.parse(empty.out)).toMatchObject({
      changes: [{ property: 'tags', after: { x: 'y' } }],
    });
    // Another form of the same value is no change.
    await run('patch Order shop=oslo n=2 at=2026-01-02 --yes');
    expect(await run('patch Order shop=oslo n=2 {"at":"2026-01-02T01:00:00+01:00"} --yes')).toEqual(
      expect.objectContaining({ status: 0, err: 'the row has these values already\n' }),
    );
    await run('patch Order shop=oslo n=2 at:=null --yes');
    expect(await run('patch Order shop=oslo n=9 total=9 --yes')).toMatchObject({ status: 1 });
    expect(await run('patch Order shop=oslo n=9 total=9 --create --yes')).toMatchObject({
      status: 0,
    });
    expect(await row('shop=oslo n=9')).toEqual({ shop: 'oslo', n: 9, total: '9' });
  });

  test('counters', async () => {
    expect(await run('patch Order shop=oslo n=2 hits+=3 --yes')).toMatchObject({ status: 0 });
    expect(await run('patch Order shop=oslo n=2 views+=-2 --yes')).toMatchObject({ status: 0 });
    expect(await row('shop=oslo n=2')).toMatchObject({ hits: '8', views: '5' });
    // put keeps counters, also counters that it does not name.
    expect(await run('put Order shop=oslo n=2 status=x --yes')).toMatchObject({ status: 0 });
    expect(await row('shop=oslo n=2')).toEqual({
      shop: 'oslo',
      n: 2,
      hits: '8',
      status: 'x',
      views: '5',
    });
  });

  test('an index holds what was written', async () => {
    expect(await run('put Order shop=oslo n=9 status=x code=a1 --yes')).toMatchObject({
      status: 1,
      out: '',
      err: expect.stringContaining('unique index') as string,
    });
    expect(await row('shop=oslo n=9')).toBeUndefined();
    await run('patch Order shop=oslo n=1 code=b1 --yes');
    expect((await run('get Order --index byCode code=b1 --select code')).out).toBe(
      '{"shop":"oslo","n":1,"code":"b1"}\n',
    );
  });

  test('delete', async () => {
    const counts = async () => (await run('count Order')).out.trim();
    expect(await run('delete Order shop=oslo --dry-run')).toEqual({
      status: 0,
      out: '{"entity":"Order","rows":3,"deleted":0,"failed":0,"keys":[{"shop":"oslo","n":1},{"shop":"oslo","n":2},{"shop":"oslo","n":3}],"ranges":["[oslo# .. oslo$)"]}\n',
      err: 'nothing was written: --dry-run\n',
    });
    expect(await shop.onTerminal(['delete', 'Order', 'shop=oslo'], { input: 'no\n' })).toEqual({
      status: 0,
      out: '3 of Order\n  keys    shop=oslo n=1, shop=oslo n=2, shop=oslo n=3\n  ranges  [oslo# .. oslo$)\n',
      err: 'Delete 3 rows? [y/N] nothing was written\n',
    });
    expect(await counts()).toBe('4');
    const listed = async () => JSON.parse((await run('ls')).out.split('\n')[0]) as unknown;
    expect(await listed()).toMatchObject({ entity: 'Order', rows: 4, estimated: false });
    expect(await run('delete Order --key oslo#0003 --yes')).toMatchObject({
      status: 0,
      out: expect.stringContaining('"rows":1,"deleted":1,"failed":0') as string,
    });
    expect(await run('delete Order shop=oslo --from n=2 --yes')).toMatchObject({
      status: 0,
      out: expect.stringContaining('"rows":1,"deleted":1,"failed":0') as string,
    });
    expect(await row('shop=oslo n=1')).toBeDefined();
    expect(await run('delete Order --index byCode code=a1 --yes')).toMatchObject({ status: 0 });
    expect(await counts()).toBe('1');
    // Cells that the indexes keep of deleted rows are no rows.
    expect(await listed()).toMatchObject({ entity: 'Order', rows: 1, estimated: false });
    expect(
      await shop.onTerminal(['delete', 'Order', 'shop=rome', 'n=1'], { input: 'y\n' }),
    ).toEqual({
      status: 0,
      out: 'Order shop=rome n=1\n',
      err: 'Delete this row? [y/N] ',
    });
    expect(await counts()).toBe('0');
    expect(await run('delete Reading --all --yes')).toMatchObject({
      status: 0,
      out: expect.stringContaining('"rows":4,"deleted":4,"failed":0') as string,
    });
    // Another entity of the same table keeps its rows.
    expect((await run('count Device')).out).toBe('1\n');
    expect(await run('delete Reading --all --yes')).toMatchObject({
      status: 0,
      err: 'no Reading was found: nothing was deleted\n',
    });
  });
});

/** The words of a line; JSON in it has no blanks. */
function words(line: string): readonly string[] {
  return line.split(' ');
}
