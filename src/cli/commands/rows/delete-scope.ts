/** `rowsmith delete-scope`: whatever belongs to a tenant, in all entities. */
import { countText, type Values, type FaultTexts } from '../../../base/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import type {
  Database,
  DeleteAllReport,
  DeletedRowsOf,
} from '../../../entities/repository/index.js';
import { defineCommand, UsageError } from '../../command.js';
import { loadProject, type Project } from '../../project/load-project.js';
import { grouped } from '../../terminal/progress.js';
import { Table } from '../../terminal/table.js';
import type { Terminal } from '../../terminal/terminal.js';
import { openForRows } from '../database.js';
import { longRun } from '../long-run.js';
import { isAgreed, readConsent, writeOptions } from './change/confirm.js';
import { keyConditions } from './input/key-conditions.js';
import { parseTerm, type Term } from './input/terms.js';
import { keyText } from './output/missing-row.js';

/** The command. */
export const command = defineCommand({
  usage: 'SEGMENT=VALUE... [options]',
  about: `Deletes the rows of all entities with these first segments, such as a tenant, and the rows
derived from them, after it has shown what there is. Drops ranges that hold nothing else. Stop all
programs that write these rows. If it is stopped, run it again.`,
  arguments: [{ name: 'SEGMENT=VALUE', kind: 'segment', repeatable: true }],
  options: writeOptions,
  examples: [
    ['delete-scope tenant=acme --dry-run', 'what a tenant has'],
    ['delete-scope tenant=acme --yes', 'deletes it'],
  ],
  exits: { stopped: 'the rows so far are deleted, and the same command continues' },
  json: `{ scope: { [segment: string]: unknown }, rows: number, parts: DeletedRowsOf[],
    deleted: boolean }`,
  rows: true,
  async run({ values, positionals }, context) {
    const { terminal } = context;
    const consent = readConsent(values, context);
    const terms = positionals.map(readTerm);
    const project = await loadProject(context);
    const { model, scope } = scopeOf(project, terms, context.usage);
    await using db = await openForRows(project, values.url, context, { readOnly: consent.dryRun });
    const found = await db.scope(scope as never).deleteAll({ dryRun: true });
    const name = keyText(model, scope);
    const total = totalOf(found);
    if (terminal.isForPeople) printParts(terminal, name, found);
    if (total === 0) terminal.note(`no rows of ${name} were found: nothing was deleted`);
    const question = `Delete ${countText(found.rows, 'row')} of ${name}, and what follows from them?`;
    if (total === 0 || !(await isAgreed(terminal, consent, question)))
      return report(terminal, scope, found, false);
    report(terminal, scope, await deleteAll(terminal, db, scope, total), true);
  },
});

function deleteAll(
  terminal: Terminal,
  db: Database,
  scope: Values,
  total: number,
): Promise<DeleteAllReport> {
  const advice = 'The same command deletes the rows that are left.';
  return longRun(terminal, { name: 'delete', total, advice }, async (bar, signal) => {
    const onProgress = ({ deleted }: { readonly deleted: number }) => bar.update(deleted);
    const report = await db.scope(scope as never).deleteAll({ signal, onProgress });
    bar.done(totalOf(report));
    return report;
  });
}

function readTerm(word: string): Term {
  const term = parseTerm(word);
  if (term?.operator === '=' || term?.operator === ':=') return term;
  throw new UsageError(faults.notAScopeValue(word));
}

/** The values, and an entity with a key that begins with their segments. */
function scopeOf(
  { models }: Project,
  terms: readonly Term[],
  usage: string,
): { readonly model: EntityModel; readonly scope: Values } {
  if (terms.length === 0) throw new UsageError(faults.noScope(usage));
  const names = [...new Set(terms.map(({ name }) => name))];
  if (names.length < terms.length) throw new UsageError(faults.severalScopes);
  const model = models.find(({ key }) => {
    const leading = key.names.slice(0, names.length);
    return leading.length === names.length && leading.every((name) => names.includes(name));
  });
  if (model === undefined) {
    const first = [...new Set(models.map(({ key }) => key.names[0]))];
    throw new UsageError(faults.unknownScope(names.join(', '), first.join(', ')));
  }
  const { fixed } = keyConditions({ model, name: `the key of ${model.name}` }, terms);
  return {
    model,
    scope: Object.fromEntries(fixed.map(({ segment, values }) => [segment, values[0]])),
  };
}

/** Stored rows that are deleted by the command itself. */
function totalOf({ parts }: DeleteAllReport): number {
  const stored = parts.filter(({ how }) => how !== 'follows');
  return stored.reduce((sum, { rows }) => sum + rows, 0);
}

function printParts(terminal: Terminal, name: string, { parts }: DeleteAllReport): void {
  terminal.print(terminal.style.bold(name));
  const names = ['entity', 'what', 'table', 'rows', 'how'];
  const table = new Table(names, {
    width: terminal.width,
    heading: (text) => terminal.style.dim(text),
  });
  const rows = parts.map((part) => [
    part.entity,
    whatText(part),
    part.table,
    grouped(part.rows),
    part.how,
  ]);
  for (const line of table.lines(rows)) terminal.print(line);
}

function whatText({ kind, name }: DeletedRowsOf): string {
  return name === undefined ? kind : `${kind} ${name}`;
}

function report(
  terminal: Terminal,
  scope: Values,
  { rows, parts }: DeleteAllReport,
  deleted: boolean,
): void {
  if (!terminal.isForPeople) terminal.writeJsonLine({ scope, rows, parts, deleted });
}

const faults = {
  notAScopeValue: (word: string) => ({
    problem: `delete-scope takes SEGMENT=VALUE, not '${word}'; rows of one entity are deleted with rowsmith delete`,
  }),
  noScope: (usage: string) => ({ problem: 'no scope was named', fix: usage }),
  severalScopes: {
    problem: 'a scope has one value for each segment',
    fix: 'run the command for each scope',
  },
  unknownScope: (list: string, listText: string) => ({
    problem: `no entity has a key that begins with ${list}; keys begin with ${listText}`,
  }),
} satisfies FaultTexts;
