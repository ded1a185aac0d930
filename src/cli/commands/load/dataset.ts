/** Where a load test writes: which rows are its own, and whether it may write there. */
import {
  everyKey,
  RowsmithError,
  suggestionText,
  type Values,
  type FaultTexts,
} from '../../../base/index.js';
import { CodecError } from '../../../data/cell/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import type { Database } from '../../../entities/repository/index.js';
import { collectRows } from '../../../data/store/index.js';
import type { Dataset } from '../../../tools/simulate/index.js';
import { segmentTextForms } from '../../../data/text/index.js';
import { UsageError } from '../../command.js';
import { isLiveBigtable } from '../database.js';
import type { LoadOptions } from './options.js';

/** The values of `--dataset`: of the first segments, without gaps, and not of all. */
export function readDataset(model: EntityModel, options: readonly string[]): Dataset {
  const texts = new Map(options.map(assignment));
  const names = model.segments.map(({ property }) => property);
  const unknown = [...texts.keys()].find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new UsageError(faults.unknownSegment(unknown, model.name, names));
  const given = names.filter((name) => texts.has(name));
  const gap = names.findIndex((name) => !texts.has(name));
  if (gap !== -1 && gap < given.length)
    throw new UsageError(faults.gapInDataset(model.name, names[gap]));
  const last = given.at(-1);
  const pattern = last === undefined ? undefined : texts.get(last);
  const isPrefix = last !== undefined && pattern?.endsWith('*') === true && isText(model, last);
  if (isPrefix && pattern === '*') throw new UsageError(faults.wholeTable(last));
  const fixed = isPrefix ? given.slice(0, -1) : given;
  if (fixed.length === names.length) throw new UsageError(faults.noSegmentLeft(model.name));
  return {
    values: Object.fromEntries(
      fixed.map((name) => [name, segmentValue(model, name, texts.get(name)!)]),
    ),
    prefix: isPrefix ? { segment: last, text: pattern.slice(0, -1) } : undefined,
  };
}

function isText(model: EntityModel, name: string): boolean {
  const { type } = segmentOf(model, name);
  return type.kind === 'string' && type.order !== 'desc';
}

function segmentOf(model: EntityModel, name: string): EntityModel['segments'][number] {
  return model.segments.find(({ property }) => property === name)!;
}

function assignment(option: string): readonly [string, string] {
  const at = option.indexOf('=');
  if (at > 0) return [option.slice(0, at), option.slice(at + 1)];
  throw new UsageError(faults.notATerm(option));
}

function segmentValue(model: EntityModel, name: string, text: string): unknown {
  const { type } = segmentOf(model, name);
  try {
    return segmentTextForms[type.kind].parse(text);
  } catch (error) {
    if (error instanceof CodecError)
      throw new UsageError(faults.malformedValue(name, text, error.problem, error.fix));
    throw error;
  }
}

/** Throws for live Bigtable, which is not an emulator, unless `--yes` was given. */
export function checkLive(url: string, { yes }: Pick<LoadOptions, 'yes'>): void {
  if (yes || !isLiveBigtable(url)) return;
  throw new UsageError(faults.liveBigtable(url));
}

interface Check {
  readonly dataset: Dataset;
  readonly call: Pick<LoadOptions, 'yes' | 'clean'>;
  readonly url: string;
}

/**
 * Throws unless the table is there and the test may write to it: it is empty, or `--yes` was given.
 */
export async function checkTarget(
  db: Database,
  model: EntityModel,
  { dataset, call, url }: Check,
): Promise<void> {
  const missing = await db.admin.plan();
  if (missing.length > 0)
    throw new RowsmithError('TABLE_NOT_FOUND', {
      entity: model.name,
      table: model.table.name,
      ...faults.differentTables,
    });
  const used = await hasRows(db, model);
  if (!call.yes && used) throw new UsageError(faults.tableWithRows(model.table.name, url));
  if (call.clean && used && isWhole(dataset))
    throw new UsageError(faults.cleanWithoutDataset(model.segments[0].property));
}

async function hasRows(db: Database, model: EntityModel): Promise<boolean> {
  const table = model.table.name;
  const plan = { table, ranges: [everyKey], reversed: false, limit: 1 };
  return (await collectRows(db.engine.readRows(plan))).length > 0;
}

/** No value is given: the dataset is all rows of the entity. */
function isWhole({ values, prefix }: Dataset): boolean {
  return Object.keys(values).length === 0 && prefix === undefined;
}

/** A query of a repository, with rows that can be deleted. */
interface Deletable {
  startsWith(segment: string, text: string): Deletable;
  delete(): Promise<Cleaned & { readonly failures: readonly { readonly error: unknown }[] }>;
}

/** What `--clean` has done. */
export interface Cleaned {
  readonly deleted: number;
  /** Rows of the test that are left; undefined if all may be. */
  readonly failed?: number;
  /** Why rows are left. */
  readonly error?: unknown;
}

/** Deletes the rows of the test. Never rejects, so that the report of the test is printed. */
export async function cleanUp(
  db: Database,
  { entityClass }: EntityModel,
  dataset: Dataset,
): Promise<Cleaned> {
  const { values, prefix } = dataset;
  const repository = db.repository(entityClass as never) as unknown as Deletable & {
    prefix(values: Values): Deletable;
    scanAll(): Deletable;
  };
  let rows: Deletable = repository;
  if (isWhole(dataset)) rows = repository.scanAll();
  else if (Object.keys(values).length > 0) rows = repository.prefix(values);
  if (prefix !== undefined) rows = rows.startsWith(prefix.segment, prefix.text);
  try {
    const { deleted, failed, failures } = await rows.delete();
    return { deleted, failed, error: failures.at(0)?.error };
  } catch (error) {
    return { deleted: 0, error };
  }
}

const faults = {
  unknownSegment: (unknown: string, name: string, names: readonly string[]) => ({
    problem: `--dataset: '${unknown}' is not a segment of ${name}`,
    fix: suggestionText(unknown, names, 'the segments are'),
  }),
  gapInDataset: (modelName: string, name: string) => ({
    problem: `--dataset takes the first segments of ${modelName}, without gaps`,
    fix: `add ${name}=...`,
  }),
  wholeTable: (last: string) => ({
    problem: `--dataset ${last}=* is the whole table`,
    fix: `give a text before the *, such as ${last}=load-*`,
  }),
  noSegmentLeft: (name: string) => ({
    problem: `--dataset leaves no segment of ${name} for different rows`,
  }),
  notATerm: (option: string) => ({ problem: `--dataset takes SEGMENT=VALUE, not '${option}'` }),
  malformedValue: (name: string, text: string, problem: string, fix: string) => ({
    problem: `--dataset ${name}=${text}: ${problem}`,
    fix,
  }),
  liveBigtable: (url: string) => ({
    problem: `${url} is live Bigtable, which costs money to load`,
    fix: 'give --yes',
  }),
  differentTables: {
    problem: 'the stored tables differ from the declared ones',
    fix: 'run rowsmith schema apply first',
  },
  tableWithRows: (name: string, url: string) => ({
    problem: `the table ${name} of ${url} has rows, which the test would be mixed with`,
    fix: 'name another database, or give --yes',
  }),
  cleanWithoutDataset: (property: string) => ({
    problem: '--clean cannot tell the rows of the test from those that were there',
    fix: `give --dataset ${property}=... as well`,
  }),
} satisfies FaultTexts;
