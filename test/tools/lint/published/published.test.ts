/**
 * Designs written after published ones: what sources recommend has no warning, and what they warn
 * of is found by the rule that is for it. The lists of designs are tables to read.
 */
import { lint, lintRules } from '../../../../src/tools/lint/index.js';
import { badKeys } from './bad-keys.js';
import { badValues } from './bad-values.js';
import type { Design } from './design.js';
import { goodDesigns } from './good-designs.js';

const badDesigns = [...badKeys, ...badValues];

const linesOf = ({ entities }: Design): string[] =>
  lint(entities).findings.map(({ rule, level, property = '-' }) => `${rule} ${level} ${property}`);
const isFound = (design: Design): boolean =>
  lint(design.entities).findings.some(({ rule }) => rule === design.rule);
const nameOf = ({ rule, name, source }: Design): string => `${rule}: ${name} (${source})`;

test('enough designs, of every rule, each with an address', () => {
  expect(goodDesigns.length).toBeGreaterThanOrEqual(30);
  expect(badDesigns.length).toBeGreaterThanOrEqual(70);
  expect(new Set(badDesigns.map(({ rule }) => rule))).toEqual(
    new Set(lintRules.map(({ id }) => id)),
  );
  for (const { source } of [...goodDesigns, ...badDesigns]) expect(source).toMatch(/^https?:\/\//);
});

test('no design that is recommended has a warning', () => {
  const wrong = goodDesigns
    .map((each) => [each.name, linesOf(each).filter((line) => !line.includes(' info '))] as const)
    .filter(([, lines]) => lines.length > 0);
  expect(wrong).toEqual([]);
});

test('what is bad is found by the rule that is for it', () => {
  expect(badDesigns.filter((each) => !isFound(each)).map(nameOf)).toEqual([]);
});
