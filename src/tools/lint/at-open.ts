/**
 * What `open` applies of lint: the rules on lost data and failing calls. It loads this file instead
 * of all rules.
 */
import type { EntityModel } from '../../entities/model/index.js';
import { findingOf, findingText, ignoreOf } from './finding.js';
import type { LintContext } from './rule.js';
import { growth } from './rules/growth.js';
import { retention } from './rules/retention.js';
import { lintSubject } from './subject/subject.js';

/** The rules with findings that `open` warns of, if their level is `error`. */
const rulesAtOpen = [...retention, ...growth].filter(({ atOpen }) => atOpen);

/** The findings that mean lost data or failing calls and are not ignored, as text. */
export function lossesOf(models: readonly EntityModel[]): readonly string[] {
  const context: LintContext = { models, nodes: 8, multiCluster: false };
  return models.map(lintSubject).flatMap((subject) =>
    rulesAtOpen.flatMap((rule) =>
      rule
        .check(subject, context)
        .filter((found) => ignoreOf(subject, rule, found) === undefined)
        .map((found) => findingOf(subject, rule, found))
        .filter(({ level }) => level === 'error')
        .map(findingText),
    ),
  );
}
