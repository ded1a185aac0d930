/** `rowsmith lint`: checks the entities against Google's guidance for schemas. */
import { resolve } from 'node:path';
import { countText } from '../../../base/index.js';
import {
  findingSubject,
  heldRules,
  type LintFinding,
  type LintLevel,
  lintLevels,
  lintModels,
  lintRules,
  ruleIdFault,
  ruleIdOf,
} from '../../../tools/lint/index.js';
import { replaceFile } from '../../../tools/transfer/index.js';
import { choice, defineCommand, list, text, UsageError, withDefault } from '../../command.js';
import { loadProject, type Project } from '../../project/load-project.js';
import { declarationPosition } from '../../project/source-position.js';
import { shortPath } from '../../terminal/error-text.js';
import type { Style } from '../../terminal/style.js';
import type { Terminal } from '../../terminal/terminal.js';
import { findEntities } from '../entity.js';
import { rulePage } from './rule-page.js';
import { sarifText } from './sarif.js';
import type { Located } from './located.js';

const ruleIds = lintRules.map(({ id }) => id);
const options = {
  level: withDefault(
    choice('LEVEL', 'The lowest reported level: info, warning or error', lintLevels),
    'warning',
  ),
  rule: list('ID', 'Apply only this rule, such as K01; may be repeated', ruleIds, ruleOf),
  sarif: text('FILE', 'Write SARIF 2.1.0, for code scanning; - is standard output', 'file'),
  explain: text('ID', 'Print the page of a rule', [...ruleIds, ...heldRules.map(({ id }) => id)]),
};

/** The command. */
export const command = defineCommand({
  usage: '[ENTITY...] [--level LEVEL] [--rule ID]... [--sarif FILE] [--explain ID]',
  about: `Checks the declarations against Google's guidance for schemas: hotspots, growing rows,
retention, personal data in keys. lint.rules of the config sets levels; @LintIgnore('K01', 'reason')
ignores a rule.`,
  arguments: [{ name: 'ENTITY', kind: 'entity', repeatable: true }],
  options,
  examples: [
    ['lint', 'warnings and errors of all entities'],
    ['lint Order --level info --rule K01', 'one rule for one entity'],
    ['lint --explain K01', 'why there is a rule, and what to do'],
  ],
  exits: { different: 'there is a finding of the level or above' },
  json: {
    '': `{ level: string, findings: (LintFinding & { position?: string })[],
      below: { info: number, warning: number }, suppressed: (SuppressedFinding & { position?: string })[] }`,
    '--explain': `{ id: string, level?: string, title: string, reason: string, fix: string,
      source: string, page: string }`,
  },
  async run({ values, positionals }, { terminal, folder, config, usage }) {
    if (values.explain !== undefined) return explain(terminal, ruleIdOf(values.explain));
    const { level, rule, sarif } = values;
    const project = await loadProject({ folder, config });
    const { findings, suppressed } = lintModels(project.models, project.lint);
    const names = findEntities(project, positionals, usage).map(({ name }) => name);
    const isChosen = (found: LintFinding): boolean =>
      names.includes(found.entity) && (rule.length === 0 || rule.includes(found.rule));
    const all = located(findings.filter(isChosen), project);
    const reported = all.filter((found) => isReported(found.level, level));
    const ignored = located(suppressed.filter(isChosen), project);
    if (sarif === '-') terminal.write(sarifText(reported, ignored, folder));
    else {
      if (sarif !== undefined)
        replaceFile(resolve(folder, sarif), sarifText(reported, ignored, folder));
      const below = all.filter((found) => !isReported(found.level, level));
      terminal.printJson({
        level,
        findings: reported,
        below: countsOf(below),
        suppressed: ignored,
      });
      for (const finding of reported) printFinding(terminal, finding);
      terminal.print(summary(reported, below, ignored.length));
    }
    return reported.length > 0 ? 'different' : undefined;
  },
});

function explain(terminal: Terminal, id: string): undefined {
  const { json, text } = rulePage(id);
  terminal.printJson(json);
  terminal.print(text.trimEnd());
}

function ruleOf(text: string): string {
  const id = ruleIdOf(text);
  const fault = ruleIdFault(id);
  if (fault === undefined) return id;
  throw new UsageError(fault);
}

function isReported(level: LintLevel, lowest: LintLevel): boolean {
  return lintLevels.indexOf(level) >= lintLevels.indexOf(lowest);
}

function located<F extends LintFinding>(
  findings: readonly F[],
  { sources }: Project,
): readonly Located<F>[] {
  return findings.map((finding) => ({
    ...finding,
    position: declarationPosition(sources, finding.entity, finding.property),
  }));
}

const indent = ' '.repeat(8);

function printFinding(terminal: Terminal, finding: Located): void {
  const { style } = terminal;
  const { rule, level, problem, fix, position } = finding;
  const head = `${levelMark(style, level)} ${style.bold(`${rule} ${findingSubject(finding)}`)}`;
  terminal.print(`${head}: ${problem}`);
  terminal.print(`${indent}${fix}`);
  if (position !== undefined) terminal.print(`${indent}${style.dim(shortPath(position))}`);
}

function levelMark(style: Style, level: LintLevel): string {
  const text = level.padEnd(7);
  if (level === 'error') return style.bad(text);
  if (level === 'warning') return style.warn(text);
  return style.dim(text);
}

/** The last line: what was found, and what the level or a reason hides. */
function summary(
  findings: readonly LintFinding[],
  below: readonly LintFinding[],
  ignored: number,
): string {
  const counts = countTexts(findings);
  const sentences = [counts.length === 0 ? 'No findings' : counts.join(', ')];
  if (below.length > 0) sentences.push(`${belowText(below)}: --level info`);
  if (ignored > 0) sentences.push(`${countText(ignored, 'finding')} ignored with a reason`);
  if (findings.length > 0) sentences.push(`rowsmith lint --explain ${findings[0].rule}`);
  return sentences.join('; ');
}

function countTexts(findings: readonly LintFinding[]): readonly string[] {
  return [...lintLevels].reverse().flatMap((level) => {
    const count = findings.filter((finding) => finding.level === level).length;
    return count === 0 ? [] : [countText(count, level === 'info' ? 'note' : level)];
  });
}

/** `3 more of level info`, `1 warning, 3 notes more`. */
function belowText(below: readonly LintFinding[]): string {
  if (below.every(({ level }) => level === 'info')) return `${below.length} more of level info`;
  return `${countTexts(below).join(', ')} more`;
}

/** How many findings there are of the levels below errors. */
function countsOf(findings: readonly LintFinding[]): { info: number; warning: number } {
  const count = (level: LintLevel): number =>
    findings.filter((finding) => finding.level === level).length;
  return { info: count('info'), warning: count('warning') };
}
