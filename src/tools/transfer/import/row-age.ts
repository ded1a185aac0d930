/** How old imported rows are by the garbage collection rules of their families. */
import {
  invalidArgument,
  isDate,
  quotedList,
  valueText,
  type FaultTexts,
} from '../../../base/index.js';
import { type EntityModel, maxAgeOf } from '../../../entities/model/index.js';
import type { Mutation } from '../../../data/store/index.js';
import type { RecordValues } from './column-reader.js';

/**
 * `expired`: the rules collect all cells of the row at once. `keptLonger`: they would, if its cells
 * had the time in its key; they have the time of the import.
 */
export type RowAge = 'expired' | 'keptLonger' | undefined;

/** `values` is undefined for a row with timestamps in the file; `now` is in microseconds. */
type AgeOf = (
  mutations: readonly Mutation[],
  values: RecordValues | undefined,
  now: number,
) => RowAge;

/** Compiles the age of rows. `cellTimes` is the property with the timestamps of cells, if any. */
export function compileRowAge(model: EntityModel, cellTimes: string | undefined): AgeOf {
  const ages = new Map(
    Array.from(model.table.families, ([family, { gc }]) => [family, maxAgeOf(gc)] as const),
  );
  if ([...ages.values()].every((age) => age === Infinity)) return () => undefined;
  const segment = cellTimes === undefined ? timeSegment(model) : undefined;
  const allOver = (mutations: readonly Mutation[], now: number, time?: number): boolean =>
    mutations.every((mutation) => {
      if (mutation.kind !== 'setCell') return mutation.kind.startsWith('delete');
      const age = ages.get(mutation.family) ?? Infinity;
      return now - (time ?? Number(mutation.timestamp)) > age;
    });
  return (mutations, values, now) => {
    if (allOver(mutations, now)) return 'expired';
    const time = segment === undefined ? undefined : values?.[segment];
    if (!isDate(time)) return undefined;
    return allOver(mutations, now, time.getTime() * 1000) ? 'keptLonger' : undefined;
  };
}

/** The last time in the key of an entity that gives cells the time of the write. */
export function timeSegment(model: EntityModel): string | undefined {
  if (model.cellTimestamp !== undefined || model.expiresAt !== undefined) return undefined;
  return model.segments.findLast(({ type }) => isTime(type.kind))?.property;
}

function isTime(kind: string): boolean {
  return kind === 'timestamp' || kind === 'isoDate';
}

/** Throws INVALID_ARGUMENT for an option `cellTimes` that gives cells no timestamps. */
export function checkCellTimes(model: EntityModel, cellTimes: unknown): void {
  if (cellTimes === undefined) return;
  const { name, cellTimestamp, expiresAt } = model;
  const declared = expiresAt?.property ?? cellTimestamp;
  if (declared !== undefined && (expiresAt !== undefined || cellTimes !== cellTimestamp))
    throw invalidArgument('cellTimes', faults.declaredTimes(name, declared), { entity: name });
  const dates = [
    ...model.segments.filter(({ type }) => isTime(type.kind)),
    ...model.columns.filter(({ kind, codec }) => kind === 'column' && codec.kind === 'timestamp'),
  ].map(({ property }) => property);
  if (dates.includes(cellTimes as string)) return;
  throw invalidArgument('cellTimes', faults.notATime(cellTimes, dates), { entity: name });
}

const faults = {
  declaredTimes: (name: string, declared: string) => ({
    problem: `${name} declares that its cells have the time of '${declared}'`,
    fix: 'leave cellTimes out',
  }),
  notATime: (given: unknown, dates: readonly string[]) => ({
    problem: `${valueText(given)} is not a timestamp of the entity`,
    fix:
      dates.length === 0
        ? 'leave cellTimes out, or write @at into each line'
        : `name one of ${quotedList(dates)}`,
  }),
} satisfies FaultTexts;
