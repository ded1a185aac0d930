/** FORMAT.md is the specification: every row of its tables is encoded and decoded. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromHex, toHex } from '../../../src/base/index.js';
import { buildKeyCodec } from '../../../src/data/key/index.js';
import type { SegmentType } from '../../../src/data/key/index.js';

const document = readFileSync(join(__dirname, '../../../src/data/key/FORMAT.md'), 'utf8');

interface Example {
  readonly format: 'text' | 'ordered';
  readonly type: SegmentType;
  readonly json: unknown;
  readonly written: string;
}

function examples(): Example[] {
  return document.split(/^## /m).flatMap((section) => {
    const format = /^(text|ordered)\/1/.exec(section)?.[1] as 'text' | 'ordered' | undefined;
    if (format === undefined) return [];
    return [...section.matchAll(/^\| `(\{.*\})` \| `(.*)` \| `(.*)` \|$/gm)].map(
      ([, type, json, written]) => ({
        format,
        type: JSON.parse(type) as SegmentType,
        json: JSON.parse(json) as unknown,
        written,
      }),
    );
  });
}

function valueOf({ kind }: SegmentType, json: unknown): unknown {
  if (json === null) return null;
  if (kind === 'bigint' || kind === 'micros') return BigInt(json as string);
  if (kind === 'timestamp' || kind === 'isoDate') return new Date(json as number);
  return kind === 'bytes' ? fromHex(json as string) : json;
}

test('both tables are found, and contain every kind', () => {
  expect(examples().filter(({ format }) => format === 'text').length).toBeGreaterThan(40);
  expect(examples().filter(({ format }) => format === 'ordered').length).toBeGreaterThan(14);
  expect(new Set(examples().map(({ type }) => type.kind)).size).toBe(16);
});

test.each(
  examples().map(
    (example) =>
      [
        `${example.format} ${JSON.stringify(example.type)} ${JSON.stringify(example.json)}`,
        example,
      ] as const,
  ),
)('%s', (_name, { format, type, json, written }) => {
  const built = buildKeyCodec(
    {
      format,
      parts: [
        { kind: 'literal', text: 'k' },
        { kind: 'segment', name: 'v', type },
        { kind: 'literal', text: 'z' },
      ],
    },
    'Thing',
  );
  if ('faults' in built) throw new Error(JSON.stringify(built.faults));
  const key = built.codec.encode({ v: valueOf(type, json) });
  if (format === 'text') expect(Buffer.from(key).toString()).toBe(`k#${written}#z`);
  else expect(toHex(key)).toBe(`6b0001${written}00017a`);
  const target: Record<string, unknown> = {};
  expect(built.codec.decoder()(key, 0, key.length, target)).toBe(true);
  expect(built.codec.encode(target)).toEqual(key);
});
