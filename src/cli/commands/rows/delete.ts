/** `rowsmith delete`: one row, or the rows that a read finds. */
import { countText } from '../../../base/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import { defineCommand, exit, flag, UsageError } from '../../command.js';
import { loadProject } from '../../project/load-project.js';
import { errorText } from '../../terminal/error-text.js';
import { grouped } from '../../terminal/progress.js';
import type { Terminal } from '../../terminal/terminal.js';
import { resumable } from '../row-command.js';
import { type Consent, isAgreed, readConsent, writeOptions } from './change/confirm.js';
import { keyConditions, wholeKey } from './input/key-conditions.js';
import { pickOptions, readArguments, readCall, type ReadCall } from './input/read-call.js';
import {
  conditionQuery,
  keyPlace,
  type Query,
  rangeQuery,
  type Repository,
  repositoryOf,
} from './input/read-query.js';
import { keyText, reportMissing } from './output/missing-row.js';
import { findEntity, openSession } from './session.js';

const usage = 'rowsmith delete ENTITY SEGMENT=VALUE...';
const options = {
  all: flag('Every row of the entity; needed without values'),
  ...pickOptions('key', 'from', 'to', 'starts', 'under', 'where', 'limit', 'index'),
  ...writeOptions,
};

/** The command. */
export const deleteCommand = defineCommand({
  usage: 'ENTITY [PATTERN] (SEGMENT=VALUE... | JSON) [options]',
  about: `Deletes one row, or all rows that \`scan\` finds with the same arguments: their number is shown
first. Rows are deleted one by one, so a stopped command has deleted some; run it again. Exit code
1: there is no such row; 4: some rows could not be deleted.`,
  arguments: readArguments,
  options,
  async run({ values, positionals }, context) {
    const { terminal } = context;
    const call = readCall({ values, positionals });
    const consent = readConsent(terminal, 'delete', values);
    const project = await loadProject(context);
    const model = findEntity(project, call.entity, usage);
    const one = oneRow(model, call);
    checkAll(model, call, values.all === true);
    const session = { url: call.url, readOnly: consent.dryRun };
    const { db } = await openSession(project, context, session);
    await using _ = db;
    if (one !== undefined)
      return await deleteOne(terminal, { model, consent }, one, repositoryOf(db, model));
    return await deleteRows(terminal, { model, consent }, rangeQuery(db, model, call));
  },
});

interface Deletion {
  readonly model: EntityModel;
  readonly consent: Consent;
}

type Values = Readonly<Record<string, unknown>>;

/** The key, if the arguments name one row. */
function oneRow(model: EntityModel, call: ReadCall): Values | undefined {
  const isRange = call.pattern !== undefined || call.index !== undefined || call.where.length > 0;
  const isWholeKey = call.json !== undefined || call.key !== undefined;
  // Ranges are read by terms: the key would be ignored, and other rows deleted.
  if (isRange && isWholeKey)
    throw new UsageError(
      `${call.key === undefined ? 'a key as JSON' : '--key'} names one row: leave out --where, ` +
        '--index and the access pattern, or give its values as SEGMENT=VALUE',
    );
  if (isRange) return undefined;
  const place = keyPlace(model, call);
  if (isWholeKey) return wholeKey(place, call);
  const { fixed } = keyConditions(place, call.terms);
  const isWhole =
    fixed.length === model.key.names.length && fixed.every(({ values }) => values.length === 1);
  return isWhole ? wholeKey(place, call) : undefined;
}

function checkAll(
  model: EntityModel,
  { terms, json, key: bytes, pattern, where: conditions }: ReadCall,
  all: boolean,
): void {
  const narrows = terms.length > 0 || (json ?? bytes ?? pattern) !== undefined;
  if (all && narrows) throw new UsageError('--all and values exclude each other');
  if (narrows || all) return;
  const rows = conditions.length > 0 ? 'a --where reads' : 'this deletes';
  throw new UsageError(`${rows} every row of ${model.name}: add values, or --all if you mean it`);
}

async function deleteOne(
  terminal: Terminal,
  { model, consent }: Deletion,
  key: Values,
  repository: Repository,
): Promise<number> {
  const found = await find(model, key, repository);
  if (found === undefined) return reportMissing(terminal, model, model, key, 'nothing was deleted');
  if (terminal.isForPeople)
    terminal.print(`${terminal.style.bold(model.name)} ${keyText(model, key)}`);
  const agreed = await isAgreed(terminal, consent, 'Delete this row?');
  // With its revision, the row must still be the one that was found.
  if (agreed) await repository.delete(model.managed?.revision === undefined ? key : found);
  return report(terminal, model, { rows: 1, deleted: agreed ? 1 : 0, failed: 0 });
}

/** The row; without a revision only its key: rows that cannot be decoded can be deleted. */
function find(
  model: EntityModel,
  key: Values,
  repository: Repository,
): Promise<object | undefined> {
  if (model.managed?.revision !== undefined) return repository.get(key);
  const fixed = model.key.names.map((segment) => ({ segment, values: [key[segment]] }));
  const place = keyPlace(model, { index: undefined });
  return conditionQuery(repository, place, { fixed, bound: undefined }).keysOnly().first();
}

async function deleteRows(
  terminal: Terminal,
  { model, consent }: Deletion,
  query: Query,
): Promise<number> {
  const rows = await query.count();
  if (rows === 0) {
    terminal.note(`no ${model.name} was found: nothing was deleted`);
    return report(terminal, model, { rows, deleted: 0, failed: 0 });
  }
  if (terminal.isForPeople)
    terminal.print(`${grouped(rows)} of ${terminal.style.bold(model.name)}`);
  if (!(await isAgreed(terminal, consent, `Delete ${countText(rows, 'row')}?`)))
    return report(terminal, model, { rows, deleted: 0, failed: 0 });
  const bar = terminal.progress('delete', rows);
  try {
    const advice = 'The rows that are left are deleted by the same command.';
    const { deleted, failed, failures } = await resumable(
      { terminal, state: undefined, advice },
      (signal) =>
        query.delete({
          signal,
          onProgress: ({ written }: { readonly written: number }) => bar.update(written),
        }),
    );
    bar.done(deleted);
    for (const { error } of failures.slice(0, 1)) terminal.note(`rowsmith: ${errorText(error)}`);
    return report(terminal, model, { rows, deleted, failed });
  } catch (error) {
    bar.clear();
    throw error;
  }
}

function report(
  terminal: Terminal,
  { name }: EntityModel,
  counts: { readonly rows: number; readonly deleted: number; readonly failed: number },
): number {
  if (!terminal.isForPeople) terminal.writeJsonLine({ entity: name, ...counts });
  if (counts.failed === 0) return exit.ok;
  terminal.note(`${countText(counts.failed, 'row')} not deleted: run the command again`);
  return exit.partial;
}
