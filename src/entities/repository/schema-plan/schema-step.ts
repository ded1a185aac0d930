/** Steps of a plan: what changes, how safe it is, and what follows from it. */
import { gcRuleText, normalGcRule } from '../../model/index.js';
import type { GcRule, TableSchema } from '../../../data/store/index.js';
import { losesData, type SchemaChange, type SchemaConflict } from '../database/schema-sync.js';
import { optionSafety } from './table-options.js';
import type { SchemaStep, Safety, OptionChange } from './step.js';

/** The classes in the order in which a plan lists them. */
export const safetyClasses: readonly Safety[] = [
  'safe',
  'data-losing',
  'unsafe-live',
  'destructive',
  'impossible',
];

/** The step of a change that the stored tables need. */
export function stepOf(
  change: SchemaChange | SchemaConflict | OptionChange,
  isLive: boolean,
): SchemaStep {
  switch (change.kind) {
    case 'createTable':
      return {
        safety: 'safe',
        change,
        consequence: 'Creates an empty table; nothing that is stored changes.',
        applies: true,
      };
    case 'createFamily':
      return {
        safety: 'safe',
        change,
        consequence: 'Adds an empty family with its rule; stored cells do not change.',
        applies: true,
      };
    case 'changeGc':
      return gcStep(change, isLive);
    case 'conflict':
      return {
        safety: 'impossible',
        change,
        consequence: `The family is ${change.problem}, and the kind of a family is fixed.`,
        applies: false,
      };
    case 'setOption':
      return { change, ...optionSafety(change, isLive) };
  }
}

function gcStep(
  change: Extract<SchemaChange, { readonly kind: 'changeGc' }>,
  isLive: boolean,
): SchemaStep {
  if (change.losesData) {
    const when = isLive ? 'within about a week' : 'at the next collection';
    return {
      safety: 'data-losing',
      change,
      consequence: `Cells that the stored rule keeps are deleted ${when}, and cannot be recovered.`,
      applies: true,
    };
  }
  const relaxed = 'Keeps more cells than the stored rule; cells that are already deleted stay so.';
  if (!isLive || !losesData(change.to, change.from))
    return { safety: 'safe', change, consequence: relaxed, applies: true };
  return {
    safety: 'unsafe-live',
    change,
    consequence:
      'Keeps more cells than the stored rule: reads may show cells that were due for deletion, ' +
      'and Bigtable rejects it for age rules of replicated tables.',
    applies: true,
  };
}

/** The steps of stored families that no entity declares: nothing here drops them. */
export function undeclaredSteps(
  { name: table, families }: TableSchema,
  declared: ReadonlySet<string>,
): readonly SchemaStep[] {
  return [...families.keys()]
    .filter((family) => !declared.has(family))
    .map((family) => ({
      safety: 'destructive',
      change: { kind: 'dropFamily', table, family },
      consequence: `No entity declares the family; dropping it deletes all its data at once.`,
      applies: false,
    }));
}

/** A rule for people. */
export function storedRuleText(rule: GcRule | undefined): string {
  const normal = normalGcRule(rule);
  if (normal === undefined) return 'keeps everything';
  return gcRuleText(normal);
}
