/** `rowsmith doctor`: says what is wrong with a set-up. Changes nothing. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { absoluteUrl } from '../../../engines/index.js';
import { countText, isRowsmithError } from '../../../base/index.js';
import { checkEvolution, lockText, nextLock } from '../../../tools/schema/index.js';
import { type CommandContext, defineCommand, urlOption } from '../../command.js';
import { findConfig } from '../../project/find-config.js';
import { isTypeScript } from '../../project/load-module.js';
import { loadProject, type Project } from '../../project/load-project.js';
import { errorText, shortPath } from '../../terminal/error-text.js';
import type { Terminal } from '../../terminal/terminal.js';
import { readLock } from '../check.js';
import { isLiveBigtable, isMissing, openStored } from '../database.js';
import { leftOutFix, leftOutProblem } from '../rows/undecodable/left-out.js';
import { undecodableRows } from '../schema/undecodable-rows.js';
import { examineDecorators } from './decorators.js';
import { type Finding, ok, problem, skipped, warning } from './finding.js';
import { examineCopies, examineNode, examinePeers } from './packages.js';
import { examineStorage } from './storage.js';

/** The command. */
export const command = defineCommand({
  usage: '[--url URL]',
  about: `Examines the set-up: Node, packages, tsconfig.json, config, entities, lock file, the
database with its credentials, and the clock. Prints each finding with its fix. Changes nothing.`,
  options: { url: urlOption },
  examples: [
    ['doctor', 'the project, and its database'],
    ['doctor --url file:./data', 'another database'],
  ],
  exits: { different: 'there is a problem' },
  json: `{ findings: { name: string, level: 'ok' | 'warning' | 'problem' | 'skipped', text: string,
    fix?: string }[], problems: number, warnings: number }`,
  async run({ values }, context) {
    const findings = await examine(context, values.url);
    const { terminal } = context;
    const problems = findings.filter(({ level }) => level === 'problem').length;
    const warnings = findings.filter(({ level }) => level === 'warning').length;
    terminal.printJson({ findings, problems, warnings });
    for (const finding of findings) printFinding(terminal, finding);
    terminal.print(`${countText(problems, 'problem')}, ${countText(warnings, 'warning')}`);
    return problems > 0 ? 'different' : undefined;
  },
});

async function examine(
  context: CommandContext,
  url: string | undefined,
): Promise<readonly Finding[]> {
  let file: string;
  try {
    file = findConfig(context.folder, context.config);
  } catch (error) {
    return [
      examineNode(),
      ...examineCopies(context.folder),
      failed('config', error),
      ...(await storageOf(url, undefined, context)),
    ];
  }
  const home = dirname(file);
  const loaded = await load(context);
  const project = 'project' in loaded ? loaded.project : undefined;
  const needed = isTypeScript(file) ? ['esbuild'] : [];
  if ((url ?? project?.url)?.startsWith('bigtable:') === true)
    needed.push('@google-cloud/bigtable');
  return [
    examineNode(),
    ...examineCopies(home),
    ...examinePeers(home, needed),
    ...(await examineDecorators(home, project?.sources ?? [])),
    ...('project' in loaded ? examineProject(loaded.project) : [loaded.finding]),
    ...(await storageOf(url, project, context)),
    ...(project === undefined ? [] : await rowsOf(url, project, context)),
  ];
}

/** Tables with rows that no entity decodes. What is wrong with the database is found before. */
async function rowsOf(
  url: string | undefined,
  project: Project,
  { folder, terminal }: CommandContext,
): Promise<readonly Finding[]> {
  const target = url === undefined ? project.url : absoluteUrl(url, folder);
  if (target === undefined || target === 'memory:') return [];
  try {
    if (isMissing(target) || isLiveBigtable(target)) return [];
    const engine = await openStored(target);
    try {
      const found = await undecodableRows(engine, project, terminal);
      return found.map((each) => warning('rows', leftOutProblem(each), leftOutFix(each.entity)));
    } finally {
      await engine.close();
    }
  } catch {
    return [];
  }
}

async function load(
  context: CommandContext,
): Promise<{ readonly project: Project } | { readonly finding: Finding }> {
  try {
    return { project: await loadProject(context) };
  } catch (error) {
    return { finding: failed('config', error) };
  }
}

function failed(name: string, error: unknown): Finding {
  if (!isRowsmithError(error)) return problem(name, errorText(error), 'correct the module');
  const { fix, problem: detail, file, faults = [] } = error.details;
  const lines = [error.message, file, detail, ...faults.map(faultText)];
  return problem(
    name,
    lines.filter((line) => typeof line === 'string').join('\n'),
    fix ?? faults[0]?.fix ?? 'correct it; rowsmith describe shows the whole error',
  );
}

function faultText({
  entity,
  property,
  problem: text,
}: {
  readonly entity: string;
  readonly property?: string;
  readonly problem: string;
}): string {
  return `${[entity, property].filter((part) => part !== undefined).join('.')}: ${text}`;
}

function examineProject(project: Project): readonly Finding[] {
  const names = project.models.map(({ name }) => name);
  return [
    ok('config', shortPath(project.file)),
    ok('entities', names.join(', ')),
    examineLock(project),
  ];
}

function examineLock({ lock: file, models }: Project): Finding {
  const path = shortPath(file);
  const record = 'rowsmith check --update, and commit the file';
  if (!existsSync(file))
    return warning('lock', `${path} does not exist, so that no change is compared`, record);
  try {
    const lock = readLock(file);
    const rejected = checkEvolution(lock, models).filter(({ verdict }) => verdict === 'rejected');
    if (rejected.length > 0)
      return problem(
        'lock',
        `${path} rejects ${rejected.map(({ at }) => at).join(', ')}`,
        'rowsmith check describes each change',
      );
    if (lockText(nextLock(lock, models)) !== lockText(lock))
      return warning('lock', `${path} does not record the current entities`, record);
    return ok('lock', `${path} records the entities`);
  } catch (error) {
    return failed('lock', error);
  }
}

/** Findings of the database; a url that cannot be parsed is one of them. */
async function storageOf(
  url: string | undefined,
  project: Project | undefined,
  { folder }: CommandContext,
): Promise<readonly Finding[]> {
  const target = url === undefined ? project?.url : absoluteUrl(url, folder);
  if (target === undefined)
    return [skipped('url', 'no database is named: give --url URL, or set url in the config')];
  try {
    return await examineStorage(target, process.env);
  } catch (error) {
    return [failed('url', error)];
  }
}

function printFinding(terminal: Terminal, { level, name, text: body, fix }: Finding): void {
  const { style } = terminal;
  const marks: Readonly<Record<Finding['level'], string>> = {
    ok: style.good('ok     '),
    warning: style.code('warning'),
    problem: style.bad('problem'),
    skipped: style.dim('skipped'),
  };
  const indent = ' '.repeat(9);
  const lines = body.replaceAll('\n', `\n${indent}`);
  terminal.print(`${marks[level]}  ${style.bold(name)}: ${lines}`);
  if (fix !== undefined) terminal.print(`${indent}${fix}`);
}
