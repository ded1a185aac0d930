/** Static checks of entities against Google's guidance for schemas. */
export {
  lint,
  lintLevels,
  lintModels,
  type LintOptions,
  lintOptionsFault,
  type LintResult,
  type SuppressedFinding,
} from './lint.js';
export { findingSubject, findingText, type LintFinding } from './finding.js';
export { type HeldRule, heldRules } from './held-rules.js';
export type { LintContext, LintLevel, LintRule, RuleFinding } from './rule.js';
export { lintRules, ruleIdFault, ruleIdOf } from './rules.js';
