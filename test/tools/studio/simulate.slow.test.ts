/** The stream `simulate`: what `rowsmith simulate` computes, and a simulation that is stopped. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineWorkload } from '../../../src/cli/define-config.js';
import { buildModel } from '../../../src/entities/model/index.js';
import { conclusionOf, designMaps, packMaps } from '../../../src/tools/page/index.js';
import { compileWorkload, simulate } from '../../../src/tools/simulate/index.js';
import { simulateWorkload } from '../../../src/tools/studio/insight/simulate.js';
import { RequestFields } from '../../../src/tools/studio/request-fields.js';
import { Device } from './entities.js';
import { ofType, StudioClient } from './studio-client.js';

const segments = { tenant: { cardinality: 20 }, device: { cardinality: 1_000 } };
const options = { rows: 10_000, writesPerSecond: 100, segments, name: 'devices' };
const workload = defineWorkload(Device, options);
const small = { sampleRows: 500, minutes: 2 };

test('has the figures and the maps of the command', async () => {
  const client = await StudioClient.open('memory:', { workloads: [workload] });
  expect((await client.call('session', {})).workloads).toEqual([
    { name: 'devices', entity: 'Device', rows: 10_000 },
  ]);
  const request = {
    workload: 'devices',
    nodes: 3,
    storage: 'hdd',
    rows: 20_000,
    ...small,
  } as const;
  const [{ report }] = ofType(await client.lines('simulate', request), 'report');
  await client.close();
  const load = compileWorkload(buildModel(Device), { ...options, rows: 20_000 });
  const expected = await simulate([load], { nodes: 3, storage: 'hdd', ...small });
  expect(report.recommended).toBe(expected.recommendation.design);
  expect(report.conclusion).toEqual(conclusionOf(expected));
  expect(report.maps).toEqual(JSON.parse(packMaps(designMaps(expected), 4 << 20)));
  const { designs } = expected.workloads[0];
  expect(report.designs.length).toBeGreaterThan(1);
  expect(report.designs).toMatchObject(
    designs.map((each) => ({
      name: each.name,
      storedBytes: each.storedBytes,
      busiestNode: each.busiestNodeLoad,
      findings: each.findings.length,
    })),
  );
  expect(report.facts.map(({ name }) => name)).toEqual(['history', 'rows', 'storage']);
});

test('a workload that is not declared, and values that are refused', async () => {
  const client = await StudioClient.open('memory:', { workloads: [workload] });
  expect(await client.failure('simulate', { workload: 'device' })).toMatchObject({
    status: 404,
    fix: expect.stringContaining('devices'),
  });
  for (const [property, value] of [
    ['rows', 0],
    ['nodes', 1_001],
    ['storage', 'tape'],
  ])
    expect(
      await client.failure('simulate', { workload: 'devices', [property]: value }),
    ).toMatchObject({ status: 400, property });
  await client.close();
  const without = await StudioClient.open('memory:');
  expect((await without.call('session', {})).workloads).toEqual([]);
  expect(await without.failure('simulate', { workload: 'x' })).toMatchObject({
    status: 404,
    fix: 'list one in workloads of rowsmith.config.ts',
  });
  await without.close();
});

test('two workloads of the same name are refused, and nothing stays open', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-studio-'));
  const url = `file:${folder}`;
  await expect(StudioClient.open(url, { workloads: [workload, workload] })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    details: { property: 'name' },
  });
  const client = await StudioClient.open(url, { workloads: [workload] });
  await client.close();
  rmSync(folder, { recursive: true });
});

test('ends when the page goes', async () => {
  const page = new AbortController();
  let calls = 0;
  const value = (n: number): string => {
    if (++calls === 600) page.abort(new Error('the page has gone'));
    return `tenant${n}`;
  };
  const counting = defineWorkload(Device, {
    ...options,
    segments: { ...segments, tenant: { cardinality: 20, value } },
  });
  const run = async (signal: AbortSignal): Promise<void> => {
    const context = { workloads: [{ name: 'devices', workload: counting }] } as never;
    const request = new RequestFields({ workload: 'devices', ...small });
    for await (const line of simulateWorkload({ context, request, signal }))
      expect(line).toBeDefined();
  };
  await expect(run(page.signal)).rejects.toThrow('the page has gone');
  const stoppedAt = calls;
  await run(new AbortController().signal);
  expect(calls - stoppedAt).toBeGreaterThan(3 * stoppedAt);
});
