/** Static checks of entities against Google's guidance for schemas. */
export {
  lint,
  type LintFinding,
  lintLevels,
  lintModels,
  type LintOptions,
  lintOptionsFault,
  type LintResult,
  type SuppressedFinding,
} from './lint.js';
export { findingSubject, findingText } from './finding-text.js';
export { type HeldRule, heldRules } from './held-rules.js';
export type { LintContext, LintLevel, LintRule, RuleFinding } from './rule.js';
export { isDanger, lintRules, ruleIdFault } from './rules.js';
