/** What the server keeps of earlier calls is bounded in number and in bytes. */
import { Operations } from '../../src/server/admin/operations.js';
import { clusterTrailer } from '../../src/server/data/response-params.js';
import { ResourceStore } from '../../src/server/resources/resource-store.js';
import { openMemoryEngine } from '../../src/engines/local/index.js';
import { Any } from '../../src/engines/protocol/messages/operation-messages.js';

const mebibyte = 1024 * 1024;

describe('operations', () => {
  const kept = (operations: Operations, names: readonly string[]) =>
    names.filter((name) => {
      try {
        return operations.get(name).name === name;
      } catch {
        return false;
      }
    });
  const add = (operations: Operations, bytes: number): string =>
    operations.finished(
      'projects/p/instances/i',
      [Any, { type_url: '', value: new Uint8Array(bytes) }],
      [Any, { type_url: '', value: new Uint8Array(0) }],
    ).name;

  test('the oldest are forgotten when they are more than 1,000', () => {
    const operations = new Operations();
    const names = Array.from({ length: 1003 }, () => add(operations, 1));
    expect(kept(operations, names)).toEqual(names.slice(3));
  });

  test('the oldest are forgotten when they have more than 16 MiB', () => {
    const operations = new Operations();
    const small = add(operations, 1);
    const large = Array.from({ length: 20 }, () => add(operations, mebibyte));
    expect(kept(operations, [small, ...large])).toEqual(large.slice(5));
    // What was forgotten does not count.
    const more = Array.from({ length: 100 }, () => add(operations, 1));
    expect(kept(operations, [...large, ...more])).toEqual([...large.slice(5), ...more]);
  });

  test('the newest is kept, however large', () => {
    const operations = new Operations();
    const first = add(operations, 20 * mebibyte);
    expect(kept(operations, [first])).toEqual([first]);
    const second = add(operations, 30 * mebibyte);
    expect(kept(operations, [first, second])).toEqual([second]);
    const third = add(operations, 1);
    expect(kept(operations, [second, third])).toEqual([third]);
  });
});

describe('trailers', () => {
  test('of many tables and of long names are not kept', async () => {
    const engine = await openMemoryEngine();
    const trailerOf = clusterTrailer(await ResourceStore.open(engine));
    const valueOf = (name: string, appProfileId?: string) =>
      trailerOf({ tableName: `projects/p/instances/i/tables/${name}`, appProfileId })!.value;
    const first = valueOf('first');
    expect(valueOf('first')).toBe(first);
    for (let n = 0; n < 3000; n++) valueOf(`t${n}`);
    expect(valueOf('first')).not.toBe(first);
    expect(valueOf('first')).toEqual(first);
    const long = 'x'.repeat(500);
    expect(valueOf(long)).not.toBe(valueOf(long));
    expect(valueOf('t', long)).not.toBe(valueOf('t', long));
    await engine.close();
  });
});
