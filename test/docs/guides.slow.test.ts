/**
 * The guides match the code: their tables are complete, their bytes are right, and their links are
 * valid. scripts/run-samples.ts runs their samples.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, resolve } from 'node:path';
import { runInNewContext } from 'node:vm';
import { type ErrorCode, errorMessages, RowsmithError, statusCode } from '../../src/base/index.js';
import { column, defineEntity, open, rowKey } from '../../src/index.js';
import {
  buildKeyCodec,
  type KeyFormat,
  type SegmentOptions,
  type SegmentType,
} from '../../src/data/key/index.js';
import {
  scalarDesignTypes,
  fieldDesignTypes,
  segmentDesignTypes,
} from '../../src/entities/model/declaration/design-type.js';

const root = resolve(__dirname, '../..');
const documents = ['.', 'docs', 'docs/guide', 'docs/decisions'].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => posix.join(folder, name)),
);
const textOf = (document: string): string => readFileSync(join(root, document), 'utf8');

/** The rows of the table with these titles of its first columns; cells without backticks. */
function table(document: string, ...head: string[]): string[][] {
  const lines = textOf(document).split('\n');
  const cellsOf = (line: string): string[] =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim());
  const start = lines.findIndex(
    (line) => line.startsWith('|') && head.every((cell, i) => cellsOf(line)[i] === cell),
  );
  if (start < 0) throw new Error(`${document} has no table with ${head.join(', ')}`);
  const end = lines.findIndex((line, i) => i > start && !line.startsWith('|'));
  return lines
    .slice(start + 2, end)
    .map((line) => cellsOf(line).map((cell) => cell.replace(/^`(.*)`$/, '$1')));
}

test('errors.md lists every error code in the order of errors.ts, with its cause', () => {
  const rows = table('docs/guide/errors.md', 'Code', 'Thrown when');
  expect(rows.map(([code]) => code)).toEqual(Object.keys(errorMessages));
  expect(rows.filter((row) => row.length !== 2 || row.some((cell) => cell.length < 5))).toEqual([]);
});

test('errors.md gives the statuses of every code', () => {
  const rows = table('docs/guide/errors.md', 'gRPC', '`grpcStatus`', '`httpStatus`', 'Codes');
  const namesIn = (cell: string): string[] =>
    cell.match(/[A-Z]+(_[A-Z]+)+|UNSUPPORTED|UNAVAILABLE|CONTENTION/g) ?? [];
  const listed = rows
    .slice(0, -1)
    .flatMap(([name, grpc, http, cell]) =>
      namesIn(cell).map((code) => [code, name, Number(grpc), Number(http)]),
    );
  const others = Object.keys(errorMessages).filter(
    (code) => !listed.some(([each]) => each === code),
  );
  const [name, grpc, http, examples] = rows.at(-1)!;
  expect(others).toEqual(expect.arrayContaining(namesIn(examples)));
  const documented = [...listed, ...others.map((code) => [code, name, Number(grpc), Number(http)])];
  const nameOf = (status: number): string | undefined =>
    Object.entries(statusCode).find(([, code]) => code === status)?.[0];
  const actual = documented.map(([code]) => {
    const { grpcStatus, httpStatus } = new RowsmithError(code as ErrorCode);
    return [code, nameOf(grpcStatus), grpcStatus, httpStatus];
  });
  expect(documented).toEqual(actual);
});

// queries.md said that there is no secondary index, aggregation.md kept sums by hand, and gc was said
// to need no command.
test('no document denies indexes, rollups or compaction', () => {
  const denial =
    /no (secondary )?index\b|the only index|collects by itself|update it with each write/i;
  const denying = documents.filter(
    (document) => !document.startsWith('docs/decisions/') && denial.test(textOf(document)),
  );
  expect(denying).toEqual([]);
  const refers = (from: string, to: string): boolean => textOf(from).includes(`](${to})`);
  expect(refers('docs/guide/queries.md', 'derived-rows.md')).toBe(true);
  expect(refers('docs/guide/aggregation.md', 'rollups-and-counters.md#rollups')).toBe(true);
});

function codecOf(format: KeyFormat, type: SegmentType): ReturnType<typeof buildKeyCodec> {
  return buildKeyCodec({ format, parts: [{ kind: 'segment', name: 'value', type }] }, 'Guide');
}

describe('keys.md', () => {
  const examples = table('docs/guide/keys.md', '`@Segment(...)`', 'Value', 'text');

  test.each(examples)('%s of %s', (declared, literal, text) => {
    // Date and Uint8Array of this realm, so that instanceof works.
    const [kind, options] = runInNewContext(`[${declared}]`) as [
      SegmentType['kind'],
      SegmentOptions?,
    ];
    const value: unknown = runInNewContext(literal, { Date, Uint8Array });
    const built = codecOf('text', { kind, ...options });
    if ('faults' in built) throw new Error(JSON.stringify(built.faults));
    expect(Buffer.from(built.codec.encode({ value })).toString()).toBe(text);
  });

  const kinds = Object.keys(segmentDesignTypes);
  const rows = table('docs/guide/keys.md', 'Kind', 'TypeScript', 'Options', 'Rejected');

  test('every kind has its row and an example', () => {
    expect(rows.map(([kind]) => kind).sort()).toEqual([...kinds].sort());
    expect(new Set(examples.map(([declared]) => /^'(\w+)'/.exec(declared)?.[1]))).toEqual(
      new Set(kinds),
    );
  });

  test.each(rows)('%s: exactly its options are listed', (kind, _type, options) => {
    const built = codecOf('text', { kind, noSuchOption: true } as unknown as SegmentType);
    const fix =
      'faults' in built
        ? (built.faults.find(({ problem }) => problem.includes('noSuchOption'))?.fix ?? '')
        : '';
    const known = fix
      .replace(/^.*its options are /, '')
      .split(', ')
      .filter((option) => option !== 'order' && option !== 'nullable');
    expect(options.match(/\w+/g) ?? []).toEqual(known);
  });
});

test('columns.md has every kind of scalar column and of field', () => {
  expect(
    table('docs/guide/columns.md', 'Kind', 'TypeScript', 'Cell')
      .map(([kind]) => kind)
      .sort(),
  ).toEqual(Object.keys(scalarDesignTypes).sort());
  const fields = table('docs/guide/columns.md', 'Field kinds', 'TypeScript').flatMap(
    ([listed]) => listed.match(/\w+/g) ?? [],
  );
  expect(fields.sort()).toEqual(Object.keys(fieldDesignTypes).sort());
});

describe('queries.md', () => {
  class Reading {
    tenant = '';
    device = '';
    at = new Date(0);
    temperature?: number;
  }
  const entity = defineEntity(Reading, {
    table: 'telemetry',
    families: { m: {} },
    key: rowKey('tenant', 'device', 'at'),
    segments: {
      tenant: { kind: 'string', maxLength: 40 },
      device: { kind: 'string', maxLength: 40 },
      at: { kind: 'timestamp' },
    },
    columns: { temperature: column('m', 'double') },
  });
  const rejected = table('docs/guide/queries.md', 'Query', 'Error', 'Instead');

  test.each(rejected)('%s: %s', async (query, message) => {
    const db = await open('memory:', { entities: [entity] });
    const readings = db.repository(entity);
    const key = { tenant: 'acme', device: 'd1', at: new Date(0) };
    const reading = readings.create(key);
    // oxlint-disable-next-line typescript/no-implied-eval
    const call = new Function(
      'readings',
      '{ tenant, device, at, reading }',
      `const t = at; return readings.${query};`,
    ) as (from: typeof readings, values: object) => unknown;
    expect(() => call(readings, { ...key, reading })).toThrow(
      expect.objectContaining({
        code: 'INVALID_QUERY',
        details: expect.objectContaining({ problem: message }),
      }),
    );
    await db.close();
  });
});

/** Anchors of Markdown headings: lower case, only letters, digits, - and _, spaces as -. */
function anchorsOf(text: string): string[] {
  const headings = text.replace(/^```[\s\S]*?^```/gm, '').match(/^#+ .*$/gm) ?? [];
  return headings.map((heading) =>
    heading
      .replace(/^#+ /, '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The targets of links in a document that are not URLs, as written. */
const linksOf = (document: string): readonly string[] =>
  [...textOf(document).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link]) => link)
    .filter((link) => !/^https?:/.test(link));

test.each(documents)(
  '%s: every link inside the repository leads to a file and a heading',
  (document) => {
    const broken = linksOf(document).filter((link) => {
      const [path, anchor] = link.split('#');
      const file = path === '' ? join(root, document) : resolve(root, dirname(document), path);
      if (!existsSync(file) || relative(root, file).startsWith('..')) return true;
      return anchor !== undefined && !anchorsOf(readFileSync(file, 'utf8')).includes(anchor);
    });
    expect(broken).toEqual([]);
  },
);

const formats = ['data/key', 'engines/local', 'entities/derived', 'tools/heat'].map(
  (folder) => `src/${folder}/FORMAT.md`,
);

// "at most the end of the year" and, on the next line, "9999. An entry" were an item of a list.
test.each([...documents, ...formats])(
  '%s: no number at the start of a line makes a list',
  (document) => {
    expect(textOf(document).match(/^ *\d{3,}[.)] .*$/gm)).toBeNull();
  },
);

test('every link in the documents of the package leads to a file in the package', () => {
  const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
  });
  const [{ files }] = JSON.parse(stdout) as [{ readonly files: readonly { path: string }[] }];
  const packed = files.map(({ path }) => path);
  expect(packed).toEqual(expect.arrayContaining(documents));
  const missing = documents.flatMap((document) =>
    linksOf(document)
      .map((link) => posix.join(posix.dirname(document), link.split('#')[0]))
      .filter((path) => !packed.some((each) => each === path || each.startsWith(`${path}/`)))
      .filter((path) => path !== posix.dirname(document))
      .map((path) => `${document}: ${path}`),
  );
  expect(missing).toEqual([]);
});
