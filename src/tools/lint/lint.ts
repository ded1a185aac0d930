/** Applies the rules to entities: levels, suppressions with reasons, unused suppressions. */
import {
  checkOptions,
  invalidArgument,
  quotedList,
  suggestionText,
  valueText,
  type FaultTexts,
} from '../../base/index.js';
import {
  buildModels,
  type Constructor,
  type EntityModel,
  type LintIgnoreDeclaration,
} from '../../entities/model/index.js';
import { findingOf, ignoreOf, type LintFinding } from './finding.js';
import type { LintContext, LintLevel, LintRule, RuleFinding } from './rule.js';
import { checkIgnoredRule, lintRules, ruleIdFault, unusedIgnore } from './rules.js';
import { type LintSubject, lintSubject } from './subject/subject.js';

/** Levels from the least to the most serious. */
export const lintLevels: readonly LintLevel[] = ['info', 'warning', 'error'];

/** Options of `lint`, and the setting `lint` of `rowsmith.config`. */
export interface LintOptions {
  /** Levels by the id of the rule: `{ K05: 'off', K08: 'error' }`. */
  readonly rules?: Readonly<Record<string, LintLevel | 'off'>>;
  /** The number of nodes over which writes should be spread, 1 to 1,000; default 8. */
  readonly nodes?: number;
  /** Whether rows are written through an app profile with multi-cluster routing; default false. */
  readonly multiCluster?: boolean;
}

/** A finding that the entity ignores, with its reason. */
export interface SuppressedFinding extends LintFinding {
  readonly ignored: string;
}

/** The result of `lint`. */
export interface LintResult {
  /** By entity in the order given, then by rule. */
  readonly findings: readonly LintFinding[];
  readonly suppressed: readonly SuppressedFinding[];
}

/**
 * Checks entities against Google's guidance for schemas: rules K01 to K19, F01 to F14 and L01, each
 * described in docs/lint. Reads nothing but declarations. Throws INVALID_DECLARATION, also for
 * ignored rules that do not exist, and INVALID_ARGUMENT.
 */
export function lint(entities: readonly Constructor[], options: LintOptions = {}): LintResult {
  if (!Array.isArray(entities) || entities.length === 0)
    throw invalidArgument('entities', faults.missingEntities);
  return lintModels(buildModels(entities), options);
}

/** `lint` for models. Throws INVALID_ARGUMENT and INVALID_DECLARATION. */
export function lintModels(models: readonly EntityModel[], options: LintOptions = {}): LintResult {
  checkOptions('lint()', options, ['rules', 'nodes', 'multiCluster']);
  const fault = lintOptionsFault(options);
  if (fault !== undefined) throw invalidArgument(fault.property, fault);
  const { rules = {}, nodes = 8, multiCluster = false } = options;
  const context: LintContext = { models, nodes, multiCluster };
  const findings: LintFinding[] = [];
  const suppressed: SuppressedFinding[] = [];
  for (const model of models) {
    const run = new EntityRun(lintSubject(model), rules);
    for (const rule of lintRules) {
      if (rules[rule.id] === 'off') continue;
      for (const found of rule.check(run.subject, context)) {
        const ignore = run.ignoreOf(rule, found);
        const finding = run.finding(rule, found);
        if (ignore === undefined) findings.push(finding);
        else suppressed.push({ ...finding, ignored: ignore.reason });
      }
    }
    findings.push(...run.unused());
  }
  return { findings, suppressed };
}

/** The findings of one entity. */
class EntityRun {
  readonly #rules: NonNullable<LintOptions['rules']>;
  readonly #used = new Set<LintIgnoreDeclaration>();

  constructor(
    readonly subject: LintSubject,
    rules: NonNullable<LintOptions['rules']>,
  ) {
    this.#rules = rules;
    for (const { rule, property } of subject.ignores)
      checkIgnoredRule(subject.model.name, property, rule);
  }

  finding(rule: LintRule, found: RuleFinding): LintFinding {
    const level = this.#rules[rule.id];
    if (level === undefined || level === 'off') return findingOf(this.subject, rule, found);
    return findingOf(this.subject, rule, { ...found, level });
  }

  /** What makes the entity ignore the finding. */
  ignoreOf(rule: LintRule, found: RuleFinding): LintIgnoreDeclaration | undefined {
    const ignore = ignoreOf(this.subject, rule, found);
    if (ignore !== undefined) this.#used.add(ignore);
    return ignore;
  }

  /** Findings of L01, which cannot be ignored. */
  unused(): readonly LintFinding[] {
    if (this.#rules[unusedIgnore.id] === 'off') return [];
    return this.subject.ignores
      .filter((ignore) => !this.#used.has(ignore) && this.#rules[ignore.rule] !== 'off')
      .map(({ rule, property, reason }) =>
        this.finding(unusedIgnore, {
          property,
          ...faults.needlessIgnore(rule, reason),
        }),
      );
  }
}

/** What is wrong with options, which may come from JavaScript; undefined if nothing is. */
export function lintOptionsFault(
  options: unknown,
): { readonly property: string; readonly problem: string; readonly fix: string } | undefined {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    return {
      property: 'lint',
      ...faults.wrongOptions(options),
    };
  const { rules = {}, nodes, multiCluster, ...others } = options as Record<string, unknown>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    return {
      property: 'lint',
      ...faults.unknownSetting(
        unknown,
        suggestionText(unknown, ['rules', 'nodes', 'multiCluster'], 'the settings are'),
      ),
    };
  if (nodes !== undefined && !isNodes(nodes))
    return {
      property: 'nodes',
      ...faults.wrongNodes(valueText(nodes)),
    };
  if (multiCluster !== undefined && typeof multiCluster !== 'boolean')
    return {
      property: 'multiCluster',
      ...faults.wrongMultiCluster(valueText(multiCluster)),
    };
  return rulesFault(rules);
}

function isNodes(nodes: unknown): boolean {
  return Number.isSafeInteger(nodes) && (nodes as number) >= 1 && (nodes as number) <= 1_000;
}

function rulesFault(rules: unknown): ReturnType<typeof lintOptionsFault> {
  if (typeof rules !== 'object' || rules === null || Array.isArray(rules))
    return {
      property: 'rules',
      ...faults.wrongRules(rules),
    };
  for (const [id, level] of Object.entries(rules)) {
    const fault = ruleIdFault(id);
    if (fault !== undefined) return { property: 'rules', ...fault };
    const levels = ['off', ...lintLevels];
    if (!levels.includes(level as string))
      return {
        property: 'rules',
        ...faults.unknownLevel(id, valueText(level), levels),
      };
  }
  return undefined;
}

const faults = {
  missingEntities: { problem: 'no entities were given', fix: 'write lint([Reading, ...])' },
  needlessIgnore: (rule: string, reason: string) => ({
    problem: `${rule} is ignored (${reason}), and finds nothing here`,
    fix: `remove @LintIgnore('${rule}', ...)`,
  }),
  wrongOptions: (options: unknown) => ({
    problem: `lint is ${valueText(options)}`,
    fix: "write lint: { rules: { K05: 'off' } }",
  }),
  unknownSetting: (unknown: string, suggestion: string) => ({
    problem: `lint has no setting '${unknown}'`,
    fix: suggestion,
  }),
  wrongNodes: (given: string) => ({
    problem: `lint: nodes is ${given}`,
    fix: 'give a whole number from 1 to 1,000',
  }),
  wrongMultiCluster: (given: string) => ({
    problem: `lint: multiCluster is ${given}`,
    fix: 'give true or false',
  }),
  wrongRules: (rules: unknown) => ({
    problem: `lint: rules is ${valueText(rules)}`,
    fix: "write rules: { K05: 'off' }",
  }),
  unknownLevel: (id: string, given: string, levels: readonly string[]) => ({
    problem: `the level of ${id} is ${given}`,
    fix: `use one of ${quotedList(levels)}`,
  }),
} satisfies FaultTexts;
