/** `rowsmith lint`: checks the entities against Google's guidance for schemas. */
import { resolve } from 'node:path';
import { countText, suggestionText } from '../../../base/index.js';
import {
  findingSubject,
  heldRules,
  type LintFinding,
  type LintLevel,
  lintLevels,
  lintModels,
  lintRules,
  ruleIdFault,
} from '../../../tools/lint/index.js';
import { replaceFile } from '../../../tools/transfer/index.js';
import { type CommandInput, defineCommand, exit, list, text, UsageError } from '../../command.js';
import { loadProject, type Project } from '../../project/load-project.js';
import { declarationPosition } from '../../project/source-position.js';
import { shortPath } from '../../terminal/error-text.js';
import type { Style } from '../../terminal/style.js';
import type { Terminal } from '../../terminal/terminal.js';
import { rulePage } from './rule-page.js';
import { sarifText } from './sarif.js';

const ruleIds = lintRules.map(({ id }) => id);
const options = {
  level: text(
    'LEVEL',
    'The lowest level that is reported: info, warning or error. Default: warning',
    lintLevels,
  ),
  rule: list('ID', 'Apply only this rule, such as K01; may be repeated', ruleIds),
  sarif: text(
    'FILE',
    'Write the findings as SARIF 2.1.0, for code scanning; - is standard output',
    'file',
  ),
  explain: text('ID', 'Print the page of a rule: reason, fix, and a bad and a good example', [
    ...ruleIds,
    ...heldRules.map(({ id }) => id),
  ]),
};

/** The command. */
export const lint = defineCommand({
  usage: '[ENTITY...] [--level LEVEL] [--rule ID]... [--sarif FILE] [--explain ID]',
  about: `Checks the declarations of the entities against Google's guidance for schemas: hotspots,
growing rows, retention, personal data in keys. Opens no database. Levels of rules are set by
lint.rules in the config, and @LintIgnore('K01', 'reason') beside the code ignores a rule. The exit
code is 3 if there is a finding of the level or above.`,
  arguments: [{ name: 'ENTITY', kind: 'entity', repeatable: true }],
  options,
  async run(input, { terminal, folder, config }) {
    const call = readCall(input);
    if (call.explain !== undefined) {
      const { json, text } = rulePage(call.explain);
      terminal.printJson(json);
      terminal.print(text.trimEnd());
      return exit.ok;
    }
    const project = await loadProject({ folder, config });
    const { findings, suppressed } = lintModels(project.models, project.lint);
    const isChosen = chosen(call, project);
    const all = located(findings.filter(isChosen), project);
    const reported = all.filter(({ level }) => isReported(level, call.level));
    const ignored = located(suppressed.filter(isChosen), project);
    if (call.sarif === '-') terminal.write(sarifText(reported, ignored, folder));
    else {
      if (call.sarif !== undefined)
        replaceFile(resolve(folder, call.sarif), sarifText(reported, ignored, folder));
      terminal.printJson({ level: call.level, findings: reported, suppressed: ignored });
      for (const finding of reported) printFinding(terminal, finding);
      const below = all.length - reported.length;
      terminal.print(summary(reported, { below, ignored: ignored.length }));
    }
    return reported.length > 0 ? exit.different : exit.ok;
  },
});

/** A finding with the position of the declaration: `/project/src/reading.ts:9`. */
export type Located<F extends LintFinding = LintFinding> = F & {
  readonly position: string | undefined;
};

interface Call {
  readonly entities: readonly string[];
  readonly level: LintLevel;
  readonly rules: readonly string[];
  readonly sarif: string | undefined;
  readonly explain: string | undefined;
}

function readCall({ values, positionals }: CommandInput<typeof options>): Call {
  const { level = 'warning', rule: rules = [], sarif, explain } = values;
  if (!(lintLevels as readonly string[]).includes(level))
    throw new UsageError(
      `--level is '${level}'; ${suggestionText(level, lintLevels, 'the levels are')}`,
    );
  for (const id of rules) {
    const fault = ruleIdFault(id);
    if (fault !== undefined) throw new UsageError(`${fault.problem}; ${fault.fix}`);
  }
  if (sarif === '') throw new UsageError('--sarif needs a file');
  return { entities: positionals, level: level as LintLevel, rules, sarif, explain };
}

/** Whether a finding is of the entities and rules that were named. */
function chosen({ entities, rules }: Call, { models }: Project): (found: LintFinding) => boolean {
  const names = models.map(({ name }) => name);
  const unknown = entities.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new UsageError(
      `the project has no entity '${unknown}'; ` +
        suggestionText(unknown, names, 'the entities are'),
    );
  return ({ entity, rule }) =>
    (entities.length === 0 || entities.includes(entity)) &&
    (rules.length === 0 || rules.includes(rule));
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

function summary(
  findings: readonly LintFinding[],
  { below, ignored }: { readonly below: number; readonly ignored: number },
): string {
  const counts = [...lintLevels].reverse().flatMap((level) => {
    const count = findings.filter((finding) => finding.level === level).length;
    return count === 0 ? [] : [countText(count, level === 'info' ? 'note' : level)];
  });
  const sentences = [counts.length === 0 ? 'No findings' : counts.join(', ')];
  if (below > 0) sentences.push(`${countText(below, 'finding')} of lower levels: --level info`);
  if (ignored > 0) sentences.push(`${countText(ignored, 'finding')} ignored with a reason`);
  if (findings.length > 0) sentences.push(`rowsmith lint --explain ${findings[0].rule}`);
  return sentences.join('; ');
}
