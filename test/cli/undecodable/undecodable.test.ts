/**
 * Rows that no entity decodes: after `max: 9999` became `max: 99999`, scan, ls and count left the
 * old rows out without a word, and schema plan said that all was as declared.
 */
import { backEnds, type Project } from './back-ends.js';

describe.each(backEnds)('$name', ({ start }) => {
  let project: Project;
  beforeAll(async () => {
    project = await start();
  });
  afterAll(() => project.close());

  const old = {
    table: 'orders',
    rows: 2,
    more: false,
    key: 'oslo#0001',
    reason: expect.stringContaining("not a value of segment 'n'") as string,
  };
  const note =
    /^rowsmith: 2 rows of table orders left out: no entity decodes the key, such as oslo#000[12] \(.*\); rowsmith scan Order --undecodable shows them, and rowsmith migrate .*\n$/;

  test('reads count them, with a key and the commands that help', async () => {
    for (const [line, out] of [
      ['scan Order', '{"shop":"oslo","n":10,"status":"open"}\n'],
      ['scan Order shop=oslo --reverse', '{"shop":"oslo","n":10,"status":"open"}\n'],
      ['count Order', '1\n'],
      ['count Order shop=oslo', '1\n'],
      ['ls Order', '{"segment":"shop","value":"oslo","rows":1,"more":false}\n'],
      ['ls Order shop=oslo', '{"segment":"n","value":10,"rows":1,"more":false}\n'],
    ]) {
      const result = await project.run(line);
      expect({ line, ...result }).toEqual({
        line,
        status: 4,
        out,
        err: expect.stringMatching(note) as string,
      });
    }
    const ls = await project.run('ls');
    expect(ls).toMatchObject({ status: 4, err: expect.stringMatching(note) as string });
    expect(JSON.parse(ls.out.split('\n')[0])).toMatchObject({ rows: 1, undecodable: old });
  });

  test('a read of another range says it, and has left nothing out itself', async () => {
    expect(await project.run('scan Order shop=rome')).toMatchObject({
      status: 0,
      err: expect.stringMatching(note) as string,
    });
    // Old keys are not in the range of the new ones.
    const range = await project.run('scan Order shop=oslo n<5');
    expect([range.out, range.err]).toEqual(['', expect.stringMatching(note)]);
    const missing = await project.run('get Order shop=oslo n=1');
    expect(missing.status).toBe(1);
    expect(missing.err).toContain('no entity decodes the key, such as oslo#0001');
    expect(await project.run('get Order shop=oslo n=10')).toMatchObject({ status: 0, err: '' });
    const deleted = await project.run('delete Order shop=oslo n<10 --dry-run');
    expect(deleted.err).toContain('no entity decodes the key, such as oslo#0001');
  });

  test('JSON', async () => {
    const json = async (line: string) => {
      const { out } = await project.run(`${line} --json`);
      return JSON.parse(out.trimEnd().split('\n').at(-1)!) as unknown;
    };
    expect(await json('count Order')).toEqual({ entity: 'Order', count: 1, undecodable: old });
    expect(await json('scan Order')).toEqual({ '@undecodable': old });
    expect(await json('ls Order')).toEqual({ '@undecodable': old });
    expect(await json('get Order shop=oslo n=1')).toMatchObject({
      error: { code: 'ROW_NOT_FOUND', undecodable: old },
    });
    expect(await json('count Note shop=oslo')).toMatchObject({ count: 1 });
  });

  test('schema plan, and doctor', async () => {
    const plan = await project.run('schema plan');
    expect(plan.status).toBe(3);
    expect(plan.out).toContain('2 rows of table orders left out');
    expect(plan.out).toContain('(4 keys read)');
    const { out } = await project.run('schema plan --json');
    expect(JSON.parse(out)).toMatchObject({
      changes: [],
      undecodable: [{ ...old, entity: 'Order', read: 4 }],
    });
    const { findings } = JSON.parse((await project.run('doctor --json')).out) as {
      readonly findings: readonly { readonly name: string; readonly text: string }[];
    };
    const found = findings.find(({ name }) => name === 'rows');
    expect(found?.text).toContain('2 rows of table orders left out');
  });

  test('their stored cells', async () => {
    const { status, out } = await project.run('scan Order --undecodable');
    const keys = out
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { key: string }).key);
    expect({ status, keys }).toEqual({ status: 0, keys: ['oslo#0001', 'oslo#0002'] });
    const one = await project.run('scan Order --undecodable --limit 1');
    expect(one.out).toBe(`${out.split('\n')[0]}\n`);
    expect((await project.run('get Order --key oslo#0001 --raw')).out).toBe(one.out);
    const none = await project.run('get Order --key oslo#7 --raw');
    expect([none.status, none.err]).toEqual([1, expect.stringContaining('no row with the key')]);
    const values = await project.run('scan Order shop=oslo --undecodable');
    expect([values.status, values.err]).toEqual([2, expect.stringContaining('whole table')]);
  });
});
