/** The normal form of garbage collection rules: equal for rules that collect the same cells. */
import {
  gcRuleKey,
  intersection,
  maxAge,
  maxVersions,
  normalGcRule,
  union,
} from '../../../src/entities/model/index.js';
import { compileGc } from '../../../src/engines/local/table/gc.js';
import type { GcRule } from '../../../src/data/store/index.js';
import fc from '../../support/fast-check.js';

const never = union();

test.each<readonly [name: string, a: GcRule | undefined, b: GcRule | undefined]>([
  ['the order of terms', union(maxAge('1d'), maxVersions(2)), union(maxVersions(2), maxAge('1d'))],
  ['nesting', union(maxAge('1d'), union(maxVersions(2))), union(maxAge('1d'), maxVersions(2))],
  ['ages of a union', union(maxAge('1d'), maxAge('2d')), maxAge('1d')],
  ['ages of an intersection', intersection(maxAge('1d'), maxAge('2d')), maxAge('2d')],
  ['versions of a union', union(maxVersions(1), maxVersions(2)), maxVersions(1)],
  ['versions of an intersection', intersection(maxVersions(1), maxVersions(2)), maxVersions(2)],
  ['one term', intersection(maxAge('1d')), maxAge('1d')],
  ['an empty rule', never, undefined],
  ['an empty term of a union', union(maxAge('1d'), never), maxAge('1d')],
  ['an empty term of an intersection', intersection(maxAge('1d'), never), undefined],
  [
    'equal terms that are joined',
    union(
      maxVersions(9),
      intersection(maxAge('1d'), maxVersions(2)),
      intersection(maxVersions(2), maxAge('1d')),
    ),
    union(maxVersions(9), intersection(maxAge('1d'), maxVersions(2))),
  ],
])('%s does not matter', (_name, a, b) => {
  expect(gcRuleKey(a)).toBe(gcRuleKey(b));
  expect(gcRuleKey(a)).not.toBe(gcRuleKey(maxAge('3d')));
});

const rules = fc.letrec<{ rule: GcRule }>((tie) => ({
  rule: fc.oneof(
    { maxDepth: 3 },
    fc.integer({ min: 1, max: 3 }).map(maxVersions),
    fc.integer({ min: 1, max: 3 }).map((days) => maxAge(days * 86_400_000)),
    fc.array(tie('rule'), { maxLength: 3 }).map((terms) => union(...terms)),
    fc.array(tie('rule'), { maxLength: 3 }).map((terms) => intersection(...terms)),
  ),
})).rule;

/** Every combination of newer cells and age that a rule of these can distinguish. */
const cells = [0, 1, 2, 3, 4].flatMap((index) =>
  [0.5, 1.5, 2.5, 3.5].map((days) => ({ index, age: days * 86_400e6 })),
);
const collected = (rule: GcRule | undefined): readonly boolean[] => {
  const isCollected = compileGc(rule);
  return cells.map(({ index, age }) => isCollected?.(index, age) ?? false);
};

test('the normal form collects the same cells, and is its own normal form', () => {
  fc.assert(
    fc.property(rules, (rule) => {
      const normal = normalGcRule(rule);
      expect(collected(normal)).toEqual(collected(rule));
      expect(normalGcRule(normal)).toEqual(normal);
    }),
  );
});

test('rules with one key collect the same cells', () => {
  fc.assert(
    fc.property(rules, rules, (a, b) => {
      if (gcRuleKey(a) === gcRuleKey(b)) expect(collected(a)).toEqual(collected(b));
    }),
  );
});
