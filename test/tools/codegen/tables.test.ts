/**
 * The cbt script, run against our server and Google's emulator, creates exactly the declared
 * tables. The other outputs are compared with golden files and read by their own parsers.
 */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cbtScript } from '../../../src/tools/codegen/tables/cbt-script.js';
import {
  cbtLimitation,
  gcloudRule,
  gcSentence,
  terraformGcRules,
} from '../../../src/tools/codegen/tables/gc-forms.js';
import { gcloudScript } from '../../../src/tools/codegen/tables/gcloud-script.js';
import { hclText } from '../../../src/tools/codegen/tables/hcl.js';
import { tablesOf } from '../../../src/tools/codegen/tables/tables.js';
import { terraformTables } from '../../../src/tools/codegen/tables/terraform.js';
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import {
  buildModels,
  intersection,
  maxAge,
  maxVersions,
  union,
} from '../../../src/entities/model/index.js';
import { decodeValueType } from '../../../src/engines/protocol/admin/value-type.js';
import { startServer } from '../../../src/server/index.js';
import type { Engine, FamilySchema, GcRule } from '../../../src/data/store/index.js';
import { RawClient } from '../../server/raw-client.js';
import { findEmulator } from '../../support/emulator.js';
import { expectGolden } from '../../support/golden.js';
import { startEmulator } from './emulator-process.js';
import { all, Total } from './entities.js';

const tables = tablesOf(buildModels(all));
const named = { project: 'p', instance: 'i' };
const script = cbtScript(tables, named);
const found = (program: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

/**
 * A rule as text, equal for equivalent rules: terms are sorted, a rule over one rule is that rule,
 * nested rules of the same kind are flattened.
 */
function normalised(rule: GcRule | undefined): string {
  if (rule === undefined) return 'never';
  if (rule.kind === 'maxVersions') return `versions ${rule.versions}`;
  if (rule.kind === 'maxAge') return `age ${rule.micros}`;
  const terms = (each: GcRule): string[] =>
    each.kind === rule.kind ? each.rules.flatMap(terms) : [normalised(each)];
  const flat = [...new Set(terms(rule))].sort();
  return flat.length === 1 ? flat[0] : `${rule.kind}(${flat.join(', ')})`;
}
const familyText = (families: Iterable<readonly [string, FamilySchema]>): Record<string, string> =>
  Object.fromEntries(
    [...families].map(([name, { gc, aggregate }]) => [
      name,
      `${aggregate ?? 'plain'} ${normalised(gc)}`,
    ]),
  );
const declared = Object.fromEntries(
  tables.map(({ schema }) => [schema.name, familyText(schema.families)]),
);

interface PublishedRule {
  maxNumVersions?: number;
  maxAge?: { seconds?: string; nanos?: number };
  union?: { rules?: PublishedRule[] };
  intersection?: { rules?: PublishedRule[] };
}
function ruleOf({
  maxNumVersions,
  maxAge: age,
  union: any,
  intersection: each,
}: PublishedRule = {}): GcRule | undefined {
  if (maxNumVersions !== undefined) return maxVersions(maxNumVersions);
  if (age !== undefined) return maxAge(Number(age.seconds ?? 0) * 1e3 + (age.nanos ?? 0) / 1e6);
  const rules = (any ?? each)?.rules?.map((inner) => ruleOf(inner)!);
  if (rules === undefined) return undefined;
  return any === undefined ? intersection(...rules) : union(...rules);
}

describe('the cbt script', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-tables-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /**
   * Runs the script with the installed cbt. The credentials file keeps cbt from calling gcloud at
   * every start.
   */
  async function run(address: string): Promise<void> {
    writeFileSync(join(folder, 'credentials.json'), '{}');
    writeFileSync(join(folder, 'tables.cbt.sh'), script);
    const cbt = spawnSync('sh', ['-c', 'command -v cbt'], { encoding: 'utf8' }).stdout.trim();
    writeFileSync(
      join(folder, 'cbt'),
      `#!/bin/sh\nexec ${cbt} -creds ${join(folder, 'credentials.json')} "$@"\n`,
      { mode: 0o755 },
    );
    const env = {
      ...process.env,
      BIGTABLE_EMULATOR_HOST: address,
      PATH: `${folder}:${process.env.PATH}`,
    };
    await new Promise<void>((resolve, reject) => {
      execFile(
        'sh',
        [join(folder, 'tables.cbt.sh')],
        { env, timeout: 500_000 },
        (error, stdout, stderr) =>
          error === null ? resolve() : reject(new Error(`${stdout}${stderr}`)),
      );
    });
  }

  /** The families of every table as the server returns them in Google's published messages. */
  async function stored(address: string): Promise<Record<string, Record<string, string>>> {
    const client = new RawClient(address);
    try {
      const families: Record<string, Record<string, string>> = {};
      for (const { schema } of tables) {
        const table = (await client.unary('tables', 'GetTable', {
          name: `projects/p/instances/i/tables/${schema.name}`,
        })) as { columnFamilies: Record<string, { gcRule?: PublishedRule; valueType?: object }> };
        const tableFamilies = Object.entries(table.columnFamilies).map(
          ([name, { gcRule, valueType }]) =>
            [name, { gc: ruleOf(gcRule), aggregate: decodeValueType(valueType) }] as const,
        );
        families[schema.name] = familyText(tableFamilies);
      }
      return families;
    } finally {
      client.close();
    }
  }

  if (!found('cbt')) {
    if (process.env.CI_REQUIRE_EMULATOR === '1') throw new Error('cbt is not installed');
    console.warn('SKIPPED: cbt is not on the PATH');
    test.skip('cbt', () => undefined);
    return;
  }

  test('creates the declared tables on our server, with their splits', async () => {
    const engine: Engine = await openMemoryEngine();
    const server = await startServer(engine);
    try {
      await run(server.address);
      expect(await stored(server.address)).toEqual(declared);
      const splits = Object.fromEntries(
        (await engine.listTables()).map(({ name, splitKeys = [] }) => [
          name.split('/').pop(),
          splitKeys.map((key) => Buffer.from(key).toString()),
        ]),
      );
      expect(splits).toMatchObject({ telemetry: [], 'kinds-ordered': ['1', '2', '3'] });
      expect(splits.events).toEqual(
        Array.from({ length: 15 }, (_, i) => `${String(i + 1).padStart(2, '0')}#`),
      );
    } finally {
      await server.close({ graceMs: 500 });
      await engine.close();
    }
  });

  const emulator = findEmulator();
  (emulator === undefined ? test.skip : test)(
    "creates the declared tables on Google's emulator",
    async () => {
      const running = await startEmulator(emulator!);
      try {
        await run(running.address);
        expect(await stored(running.address)).toEqual(declared);
      } finally {
        await running.stop();
      }
    },
  );
});

test('golden files', () => {
  expectGolden('codegen/tables.cbt.sh', script);
  expectGolden(
    'codegen/tables.gcloud.sh',
    gcloudScript(tables, {}, (table) =>
      table === 'shop' ? undefined : `${table}.row-key-schema.yaml`,
    ),
  );
  expectGolden('codegen/tables.tf', terraformTables(tables, named));
});

test('sh accepts the scripts, and terraform the definitions if it is installed', () => {
  for (const text of [script, gcloudScript(tables, named, () => 'it is.yaml')])
    expect(spawnSync('sh', ['-n'], { input: text, encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    });
  if (!found('terraform'))
    return console.warn(
      'SKIPPED: terraform is not on PATH, so its formatter does not check the definitions',
    );
  // terraform parses the text, and formats it the same way.
  const definitions = terraformTables(tables, named);
  expect(
    spawnSync('sh', ['-c', 'terraform fmt -'], { input: definitions, encoding: 'utf8' }),
  ).toMatchObject({ status: 0, stdout: definitions });
});

test('the order of entities does not matter', () => {
  const other = tablesOf(buildModels([...all].reverse()));
  expect(cbtScript(other, named)).toBe(script);
  expect(terraformTables(other, named)).toBe(terraformTables(tables, named));
});

test('the gcloud script creates a table of aggregates with cbt', () => {
  expect(
    gcloudScript(tablesOf(buildModels([Total])), {}, () => 'total.yaml')
      .split('\n')
      .slice(-6),
  ).toEqual([
    '# totals: Total',
    'cbt createtable totals',
    'cbt createfamily totals total:never:intsum',
    expect.stringContaining('gcloud bigtable tables update totals'),
    '  --row-key-schema-definition-file=total.yaml',
    '',
  ]);
});

test('strings of Terraform', () => {
  // Each is what Terraform reads back: a backslash before a letter is not an escape.
  expect(hclText([{ name: 'a', value: 'C:\\bin\\f\b\f' }])).toBe(
    'a = "C:\\\\bin\\\\f\\u0008\\u000c"\n',
  );
  expect(hclText([{ name: 'a', value: '${x}%{y}"\\n\n\\\\b' }])).toBe(
    'a = "$${x}%%{y}\\"\\\\n\\n\\\\\\\\b"\n',
  );
});

describe('rules', () => {
  const deep = union(maxVersions(1), intersection(maxAge('10h'), maxVersions(3)));
  test.each([
    [
      'one',
      maxVersions(2),
      { rules: [{ max_version: 2 }] },
      'maxversions=2',
      'Deletes a cell when 2 newer ones are in its column.',
    ],
    [
      'an age',
      maxAge('30d'),
      { rules: [{ max_age: '720h' }] },
      'maxage=2592000s',
      'Deletes a cell when it is older than 30 days.',
    ],
    [
      'microseconds',
      { kind: 'maxAge', micros: 1001 },
      { rules: [{ max_age: '1001us' }] },
      undefined,
      'Deletes a cell when it is older than 1001 microseconds.',
    ],
    [
      'a union of one',
      union(maxAge('90m')),
      { rules: [{ max_age: '90m' }] },
      'maxage=5400s',
      'Deletes a cell when it is older than 90 minutes.',
    ],
    [
      'two',
      intersection(maxAge('1s'), maxVersions(1)),
      { mode: 'intersection', rules: [{ max_age: '1s' }, { max_version: 1 }] },
      'maxage=1s&&maxversions=1',
      'Deletes a cell when it is older than 1 second and a newer one is in its column.',
    ],
    [
      'nested',
      deep,
      {
        mode: 'union',
        rules: [
          { max_version: 1 },
          { mode: 'intersection', rules: [{ max_age: '10h' }, { max_version: 3 }] },
        ],
      },
      undefined,
      'Deletes a cell when a newer one is in its column or (it is older than 10 hours and 3 newer ones are in its column).',
    ],
    [
      'a union inside a union of one',
      intersection(union(union(maxAge('1d'), maxVersions(5))), maxVersions(1)),
      {
        mode: 'intersection',
        rules: [
          { mode: 'union', rules: [{ max_age: '24h' }, { max_version: 5 }] },
          { max_version: 1 },
        ],
      },
      undefined,
      'Deletes a cell when (it is older than 1 day or 5 newer ones are in its column) and a newer one is in its column.',
    ],
  ] as const)('%s', (_what, rule, terraform, gcloud, words) => {
    expect(terraformGcRules(rule)).toEqual(terraform);
    expect(gcloudRule(rule)).toBe(gcloud);
    expect(gcSentence({ gc: rule })).toBe(words);
  });

  test('a rule that cbt cannot express has a reason', () => {
    expect(cbtLimitation(union(maxVersions(65_536), maxAge('1d')))).toBe(
      'cbt takes at most 65535 versions, not 65536',
    );
    expect(cbtLimitation(intersection(maxVersions(1), maxAge(1.5)))).toBe(
      'cbt takes ages in whole milliseconds, not 1500 us',
    );
    expect(cbtLimitation(deep)).toBeUndefined();
  });
});
