/** `rowsmith delete`: one row, or the rows that a read finds. */
import { countText, type Values, type FaultTexts } from '../../../base/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import { rangeText } from '../../../entities/query/index.js';
import {
  conditionQuery,
  repositoryOf,
  type UntypedQuery as Query,
  type UntypedRepository as Repository,
} from '../../../tools/rows/index.js';
import { defineCommand, flag, UsageError } from '../../command.js';
import { errorText } from '../../terminal/error-text.js';
import { grouped } from '../../terminal/progress.js';
import type { Terminal } from '../../terminal/terminal.js';
import { openForRows } from '../database.js';
import { longRun } from '../long-run.js';
import { type Consent, isAgreed, readConsent, writeOptions } from './change/confirm.js';
import { keyConditions, wholeKey } from './input/key-conditions.js';
import {
  loadRead,
  pickOptions,
  rangeNames,
  readArguments,
  type ReadCall,
} from './input/read-call.js';
import { keyPlace, rangeQuery } from './input/read-query.js';
import { jsonKeyText, keyText, reportMissing } from './output/missing-row.js';
import { type PrintedRow, selectedJson } from './output/row-printer.js';
import { LeftOutRows, noteLeftOut, placeOf } from './undecodable/left-out.js';

/** The command. */
export const command = defineCommand({
  usage: 'ENTITY [PATTERN] (SEGMENT=VALUE... | JSON) [options]',
  about: `Deletes one row, or all rows that \`scan\` finds with the same arguments, after it has
shown their number, the first keys and the ranges. Rows are deleted one by one, so a stopped command
has deleted some; run it again.`,
  arguments: readArguments,
  options: {
    all: flag('Every row of the entity; needed without values'),
    ...pickOptions('key', ...rangeNames, 'limit', 'index'),
    'drop-ranges': flag(
      'Drop whole prefixes at once if they hold nothing else and the entity has no indexes, ' +
        'rollups or copies. Rows that are written meanwhile are lost',
    ),
    ...writeOptions,
  },
  examples: [
    ['delete Order shop=oslo n=1 --yes', 'one row'],
    ['delete Order shop=oslo --where status=failed --dry-run', 'the number of rows, and some keys'],
    ['delete Order shop=oslo --drop-ranges --yes', 'a whole prefix at once'],
  ],
  exits: {
    failed: 'there is no such row',
    partial: 'rows could not be deleted',
    stopped: 'the rows so far are deleted, and the same command continues',
  },
  json: `{ entity: string, rows: number, deleted: number, failed: number,
    keys?: { [segment: string]: unknown }[], ranges?: string[], dropped?: boolean }`,
  rows: true,
  async run(input, context) {
    const consent = readConsent(input.values, context);
    const { call, project, model } = await loadRead(input, context);
    const one = oneRow(model, call);
    checkAll(model, call, input.values.all);
    await using db = await openForRows(project, call.url, context, { readOnly: consent.dryRun });
    const { terminal } = context;
    const { dropRanges } = input.values;
    const deletion: Deletion = { model, consent, dropRanges };
    if (one !== undefined) {
      if (dropRanges) throw new UsageError(faults.dropOfOneRow);
      return await deleteOne(terminal, deletion, one, repositoryOf(db, model));
    }
    const outcome = await deleteRows(terminal, deletion, rangeQuery(db, model, call));
    const leftOut = new LeftOutRows(project);
    noteLeftOut(terminal, await leftOut.find(db.engine, placeOf(model, call)), model);
    return outcome;
  },
});

interface Deletion {
  readonly model: EntityModel;
  readonly consent: Consent;
  readonly dropRanges: boolean;
}

/** Keys and ranges that are shown before rows are deleted. */
const shown = 3;

/** The key, if the arguments name one row. */
function oneRow(model: EntityModel, call: ReadCall): Values | undefined {
  const isRange = call.pattern !== undefined || call.index !== undefined || call.where.length > 0;
  const isWholeKey = call.json !== undefined || call.key !== undefined;
  // Ranges are read by terms: the key would be ignored, and other rows deleted.
  if (isRange && isWholeKey) throw new UsageError(faults.keyWithConditions(call.key));
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
  if (all && narrows) throw new UsageError(faults.allWithValues);
  if (narrows || all) return;
  const rows = conditions.length > 0 ? 'a --where reads' : 'this deletes';
  throw new UsageError(faults.everyRow(rows, model.name));
}

async function deleteOne(
  terminal: Terminal,
  { model, consent }: Deletion,
  key: Values,
  repository: Repository,
): Promise<'failed' | 'partial' | undefined> {
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
  return conditionQuery(repository, place.model, { fixed, bound: undefined }).keysOnly().first();
}

async function deleteRows(
  terminal: Terminal,
  { model, consent, dropRanges }: Deletion,
  query: Query,
): Promise<'failed' | 'partial' | undefined> {
  const rows = await query.count();
  if (rows === 0) {
    terminal.note(`no ${model.name} was found: nothing was deleted`);
    return report(terminal, model, { rows, deleted: 0, failed: 0 });
  }
  const what = await whatIsDeleted(model, query);
  if (terminal.isForPeople) printWhat(terminal, model, rows, what);
  if (!(await isAgreed(terminal, consent, `Delete ${countText(rows, 'row')}?`)))
    return report(terminal, model, { rows, deleted: 0, failed: 0, ...what });
  const advice = 'The same command deletes the rows that are left.';
  const run = { name: 'delete', total: rows, advice };
  const { deleted, failed, failures, dropped } = await longRun(
    terminal,
    run,
    async (bar, signal) => {
      const onProgress = ({ written }: { readonly written: number }) => bar.update(written);
      const result = await query.delete({ signal, onProgress, dropRanges });
      bar.done(result.deleted);
      return result;
    },
  );
  for (const { error } of failures.slice(0, 1)) terminal.note(`rowsmith: ${errorText(error)}`);
  if (dropRanges && !dropped)
    terminal.note('rows were deleted one by one: the ranges could not be dropped as a whole');
  return report(terminal, model, { rows, deleted, failed, ...what, dropped });
}

/** The first rows of a deletion, and where they are. */
interface Deleted {
  readonly keys: readonly PrintedRow[];
  readonly ranges: readonly string[];
}

async function whatIsDeleted(model: EntityModel, query: Query): Promise<Deleted> {
  const { ranges } = query.explain();
  const keys: PrintedRow[] = [];
  for await (const row of query.keysOnly()) {
    keys.push(selectedJson(model, model.key.names, row));
    if (keys.length === shown) break;
  }
  return { keys, ranges: ranges.map(rangeText) };
}

function printWhat(
  terminal: Terminal,
  model: EntityModel,
  rows: number,
  { keys, ranges }: Deleted,
): void {
  terminal.print(`${grouped(rows)} of ${terminal.style.bold(model.name)}`);
  const more = (all: number): string => (all > shown ? `, and ${grouped(all - shown)} more` : '');
  const names = keys.map(jsonKeyText).join(', ');
  terminal.print(`  keys    ${names}${more(rows)}`);
  terminal.print(`  ranges  ${ranges.slice(0, shown).join(' ')}${more(ranges.length)}`);
}

function report(
  terminal: Terminal,
  { name }: EntityModel,
  counts: Partial<Deleted> & {
    readonly rows: number;
    readonly deleted: number;
    readonly failed: number;
    readonly dropped?: boolean;
  },
): 'partial' | undefined {
  if (!terminal.isForPeople) terminal.writeJsonLine({ entity: name, ...counts });
  if (counts.failed === 0) return undefined;
  terminal.note(`${countText(counts.failed, 'row')} not deleted: run the command again`);
  return 'partial';
}

const faults = {
  keyWithConditions: (key: undefined | string) => ({
    problem: `${key === undefined ? 'a key as JSON' : '--key'} names one row`,
    fix: 'leave out --where, --index and the access pattern, or give its values as SEGMENT=VALUE',
  }),
  dropOfOneRow: {
    problem: '--drop-ranges drops the rows of a prefix, and this is one row',
    fix: 'leave the option out',
  },
  allWithValues: { problem: '--all and values exclude each other' },
  everyRow: (rows: string, name: string) => ({
    problem: `${rows} every row of ${name}`,
    fix: 'add values, or --all if you mean it',
  }),
} satisfies FaultTexts;
