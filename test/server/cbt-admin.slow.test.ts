/**
 * All commands of `cbt help` that administer instances, clusters, app profiles and tables, against
 * our server. Skipped with a warning if cbt is not installed, and failed if CI_REQUIRE_EMULATOR is
 * set.
 */
import { cbtFor, cbtIsInstalled, type CbtCommand } from './cbt-command.js';
import { serveMemory, type TestServer } from './raw-client.js';

/** Commands that read and write rows (cbt.test.ts), and commands that need no server. */
const otherCommands =
  'addtocell count deletecolumn deleterow import lookup read set doc help mddoc notices version';

if (!cbtIsInstalled) {
  if (process.env.CI_REQUIRE_EMULATOR === '1')
    test('cbt is installed', () => expect(cbtIsInstalled).toBe(true));
  else {
    console.warn('SKIPPED: cbt is not on the PATH');
    test.skip('cbt', () => undefined);
  }
} else {
  describe('cbt', () => {
    let served: TestServer;
    let command: CbtCommand;
    const ran = new Set<string>();
    beforeAll(async () => {
      served = await serveMemory();
      command = cbtFor(served.server.address, 'p', 'instance-1');
    });
    afterAll(async () => {
      command.close();
      await served.close();
    });

    const cbt = (name: string, ...args: readonly string[]): Promise<string> => {
      ran.add(name);
      return command.run(name, ...args);
    };
    const cluster = (id: string) =>
      served.client.unary('instances', 'GetCluster', {
        name: `projects/p/instances/instance-1/clusters/${id}`,
      });

    test('instances and clusters', async () => {
      await cbt('createinstance', 'instance-1', 'First one', 'cluster-1', 'zone-a', '3', 'SSD');
      expect(await cbt('listinstances')).toMatch(/instance-1\s+First one/);
      await cbt('createcluster', 'cluster-2', 'zone-b', '4', 'HDD');
      expect(await cbt('listclusters')).toMatch(
        /cluster-1\s+zone-a[^\n]*3[^]*cluster-2\s+zone-b[^\n]*4/,
      );
      // The mask names autoscaling, which is unset: it is removed.
      await cbt('updatecluster', 'cluster-1', 'num-nodes=5');
      expect(await cluster('cluster-1')).toMatchObject({
        serveNodes: 5,
        defaultStorageType: 'SSD',
      });
      await served.client.unary('instances', 'PartialUpdateCluster', {
        cluster: {
          name: 'projects/p/instances/instance-1/clusters/cluster-1',
          clusterConfig: {
            clusterAutoscalingConfig: {
              autoscalingLimits: { minServeNodes: 6, maxServeNodes: 9 },
              autoscalingTargets: { cpuUtilizationPercent: 50 },
            },
          },
        },
        updateMask: { paths: ['cluster_config.cluster_autoscaling_config'] },
      });
      expect(await cluster('cluster-1')).toMatchObject({ serveNodes: 5 });
      await cbt('updatecluster', 'cluster-1', 'num-nodes=2');
      const updated = await cluster('cluster-1');
      expect(updated).toMatchObject({ serveNodes: 2 });
      expect(updated.clusterConfig).toBeUndefined();
    });

    test('app profiles', async () => {
      const text = 'A profile of the test';
      await cbt('createappprofile', 'instance-1', 'any', text, 'route-any');
      await cbt(
        'createappprofile',
        'instance-1',
        'one',
        text,
        'route-to=cluster-2',
        'transactional-writes=true',
      );
      await expect(
        cbt('createappprofile', 'instance-1', 'none', text, 'route-to=nowhere'),
      ).rejects.toThrow('InvalidArgument');
      expect(await cbt('listappprofile', 'instance-1')).toMatch(/any[^]*default[^]*one/);
      expect(await cbt('getappprofile', 'instance-1', 'one')).toContain('cluster-2');
      await cbt('updateappprofile', 'instance-1', 'any', 'Changed', 'route-to=cluster-1');
      const changed = await cbt('getappprofile', 'instance-1', 'any');
      expect(changed).toContain('Changed');
      expect(changed).toContain('cluster-1');
      await expect(cbt('deletecluster', 'cluster-2')).rejects.toThrow('FailedPrecondition');
      await cbt('deleteappprofile', 'instance-1', 'one', '-force');
      await cbt('deletecluster', 'cluster-2');
      await expect(cbt('deletecluster', 'cluster-1')).rejects.toThrow('FailedPrecondition');
      expect(await cbt('listclusters')).not.toContain('cluster-2');
    });

    test('tables, families and value types', async () => {
      await cbt('createtable', 't', 'families=f:maxversions=1,sum:never:intsum', 'splits=g,m');
      await cbt('createfamily', 't', 'g');
      await cbt('setgcpolicy', 't', 'g', 'maxversions=2');
      await cbt('setvaluetype', 't', 'f', 'stringutf8bytes');
      const table = await served.client.unary('tables', 'GetTable', {
        name: 'projects/p/instances/instance-1/tables/t',
        view: 'FULL',
      });
      expect(table).toMatchObject({
        columnFamilies: {
          f: {
            gcRule: { maxNumVersions: 1 },
            valueType: { stringType: { encoding: { utf8Raw: {} } } },
          },
        },
        clusterStates: { 'cluster-1': { replicationState: 'READY' } },
      });
      await expect(cbt('setvaluetype', 't', 'sum', 'stringutf8bytes')).rejects.toThrow(
        'InvalidArgument',
      );
      expect(await cbt('ls', 't')).toMatch(/sum/);
      await cbt('waitforreplication', 't');
      await cbt('deletefamily', 't', 'g');
      await command.run('set', 't', 'row', 'f:q=v');
      await cbt('deleteallrows', 't');
      expect(await command.run('count', 't')).toContain('0');
      await cbt('createtable', 'u');
      await cbt('deletetable', 'u');
      expect((await cbt('ls')).trim()).toBe('t');
    });

    test('an instance is deleted with its tables', async () => {
      await cbt('deleteinstance', 'instance-1');
      expect(await cbt('listinstances')).not.toContain('instance-1');
      expect((await cbt('ls')).trim()).toBe('');
    });

    test('every command of `cbt help` was run here, or is in the list of the rest', async () => {
      const help = await command.run('help');
      const names = [...help.matchAll(/^cbt ([a-z]+)\t/gm)].map(([, name]) => name);
      expect(names.length).toBeGreaterThan(30);
      expect([...ran, ...otherCommands.split(' ')].sort()).toEqual(names.sort());
    });
  });
}
