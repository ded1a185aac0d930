/** Garbage collection rules: their size is the size of the message that protobufjs serializes. */
import protobuf from 'protobufjs';
import {
  gcRuleSize,
  gcRuleText,
  intersection,
  aggregate,
  maxAge,
  maxVersions,
  union,
} from '../../../src/entities/model/index.js';
import type { GcRule } from '../../../src/data/store/schema.js';
import fc from '../../support/fast-check.js';

/** The part of google/bigtable/admin/v2/table.proto that determines the size. */
const GcRuleType = protobuf
  .parse(
    `
  syntax = "proto3";
  message Duration { int64 seconds = 1; int32 nanos = 2; }
  message GcRule {
    message Intersection { repeated GcRule rules = 1; }
    message Union { repeated GcRule rules = 1; }
    oneof rule { int32 max_num_versions = 1; Duration max_age = 2; Intersection intersection = 3; Union union = 4; }
  }`,
  )
  .root.lookupType('GcRule');

/** The rule as protobufjs encodes it; proto3 does not write zeros. */
function protoOf(rule: GcRule): object {
  switch (rule.kind) {
    case 'maxVersions':
      return { maxNumVersions: rule.versions };
    case 'maxAge': {
      const seconds = Math.floor(rule.micros / 1e6);
      const nanos = (rule.micros % 1e6) * 1e3;
      const maxAge: { seconds?: number; nanos?: number } = {};
      if (seconds !== 0) maxAge.seconds = seconds;
      if (nanos !== 0) maxAge.nanos = nanos;
      return { maxAge };
    }
    default:
      return { [rule.kind]: { rules: rule.rules.map(protoOf) } };
  }
}

const rules = fc.letrec<{ rule: GcRule }>((tie) => ({
  rule: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.integer({ min: 1, max: 2 ** 31 - 1 }).map(maxVersions),
    fc
      .integer({ min: 1_000, max: Number.MAX_SAFE_INTEGER })
      .map((micros): GcRule => ({ kind: 'maxAge', micros })),
    fc.array(tie('rule'), { maxLength: 4 }).map((inner) => union(...inner)),
    fc.array(tie('rule'), { maxLength: 4 }).map((inner) => intersection(...inner)),
  ),
})).rule;

test('gcRuleSize is the size of the serialized message', () => {
  fc.assert(
    fc.property(rules, (rule) => {
      expect(gcRuleSize(rule)).toBe(GcRuleType.encode(protoOf(rule)).finish().length);
    }),
  );
});

test.each([
  ['1ms', 1e3],
  ['90s', 90e6],
  ['5m', 300e6],
  ['12h', 43_200e6],
  ['30d', 2_592_000e6],
] as const)('maxAge(%s)', (text, micros) => {
  expect(maxAge(text)).toEqual({ kind: 'maxAge', micros });
});

test.each(['', '30', 'd', '1.5d', '-1d', '1d12h', ' 1d', '1w', '1e3s'])(
  'maxAge(%j) is rejected',
  (text) => {
    expect(() => maxAge(text as '1d')).toThrow(
      expect.objectContaining({ code: 'INVALID_DECLARATION' }),
    );
  },
);

test('maxAge takes a number of milliseconds', () =>
  expect(maxAge(1_500)).toEqual({ kind: 'maxAge', micros: 1_500_000 }));

test('the text is fully parenthesised, because cbt has no operator precedence', () => {
  expect(gcRuleText(union(intersection(maxAge('2d'), maxVersions(2)), maxAge('10h')))).toBe(
    '((maxage=2d && maxversions=2) || maxage=10h)',
  );
});

test('aggregate families take a gc rule', () => {
  expect([aggregate('sum'), aggregate('min', { gc: maxVersions(1) }), aggregate('max')]).toEqual([
    { aggregate: 'sum' },
    { aggregate: 'min', gc: { kind: 'maxVersions', versions: 1 } },
    { aggregate: 'max' },
  ]);
});
