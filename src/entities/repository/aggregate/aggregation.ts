/** Aggregates of the rows of a query: together, in groups that follow the key, or in any groups. */
import { isDate, type FaultTexts } from '../../../base/index.js';
import type { EntityModel } from '../../model/index.js';
import { queryError } from '../../query/index.js';
import type { QuerySpec } from '../../query/index.js';
import { type Accumulator, accumulatorsOf } from './accumulator.js';
import { type AggregateSpec } from './aggregate-spec.js';
import {
  constantSegments,
  groupText,
  type CompiledGrouping,
  groupValues,
  isOfGroup,
} from './grouping.js';
import { timesAfter, timesBefore, timesBetween, timeSpan, type TimeSpan } from './time-gaps.js';

type Row = Readonly<Record<string, unknown>>;

/** Groups that are kept in memory until all rows are read take some 300 bytes each. */
export const maxKeptGroups = 1_000_000;

/** The aggregates of some rows. */
export class Totals {
  readonly #specs: readonly AggregateSpec[];
  readonly #accumulators: readonly Accumulator[];

  constructor(specs: readonly AggregateSpec[], create: readonly (() => Accumulator)[]) {
    this.#specs = specs;
    this.#accumulators = create.map((accumulator) => accumulator());
  }

  add(row: Row): void {
    for (let i = 0; i < this.#specs.length; i++) {
      const { property } = this.#specs[i];
      const value = property === undefined ? row : row[property];
      if (value !== undefined && value !== null) this.#accumulators[i].add(value);
    }
  }

  results(into: Record<string, unknown>): object {
    this.#specs.forEach(({ name }, i) => (into[name] = this.#accumulators[i].result()));
    return into;
  }
}

/** Creates the totals of one group after the other. */
export function totalsOf(model: EntityModel, specs: readonly AggregateSpec[]): () => Totals {
  const create = specs.map((spec) => accumulatorsOf(model, spec));
  return () => new Totals(specs, create);
}

/** Turns rows into results of groups. */
export interface GroupAccumulator {
  /** Adds rows, in the order of the query; yields the groups that they complete. */
  take(rows: readonly object[]): Iterable<object>;
  /** Yields the groups that are left after the last row. */
  end(): Iterable<object>;
}

/** What the groups of a call are made of. */
export interface GroupsOptions {
  readonly model: EntityModel;
  readonly query: QuerySpec;
  readonly grouping: CompiledGrouping;
  readonly newTotals: () => Totals;
}

/** The groups of a call: one at a time if they follow the key, else all of them in memory. */
export function groupsOf(options: GroupsOptions): GroupAccumulator {
  if (options.grouping.followsKey) return new StreamedGroups(options);
  return new KeptGroups(options);
}

interface Group {
  readonly values: readonly unknown[];
  readonly totals: Totals;
}

function resultOf({ parts }: CompiledGrouping, { values, totals }: Group): object {
  const result: Record<string, unknown> = {};
  parts.forEach(({ property }, i) => (result[property] = values[i]));
  return totals.results(result);
}

/** Groups of adjacent rows. */
class StreamedGroups implements GroupAccumulator {
  readonly #options: GroupsOptions;
  readonly #span: TimeSpan | undefined;
  #group: Group | undefined;

  constructor(options: GroupsOptions) {
    this.#options = options;
    this.#span = spanOf(options);
  }

  *take(rows: readonly object[]): Iterable<object> {
    const { grouping } = this.#options;
    for (const row of rows as Row[]) {
      if (this.#group === undefined || !isOfGroup(grouping, this.#group.values, row))
        yield* this.#next(groupValues(grouping, row));
      this.#group!.totals.add(row);
    }
  }

  *end(): Iterable<object> {
    const last = this.#group;
    if (last === undefined) {
      yield* this.#emptySpan();
    } else {
      yield resultOf(this.#options.grouping, last);
      yield* this.#gapsAfter(last.values);
    }
  }

  *#next(values: readonly unknown[]): Iterable<object> {
    const previous = this.#group;
    this.#group = { values, totals: this.#options.newTotals() };
    if (previous !== undefined) yield resultOf(this.#options.grouping, previous);
    if (this.#span === undefined) return;
    const [before, time] = [previous?.values.at(-1), values.at(-1)];
    if (isSameBesides(this.#options.grouping, previous?.values, values)) {
      if (isDate(before) && isDate(time))
        yield* this.#gaps(values, timesBetween(this.#span, before.getTime(), time.getTime()));
      return;
    }
    if (previous !== undefined) yield* this.#gapsAfter(previous.values);
    if (isDate(time)) yield* this.#gaps(values, timesBefore(this.#span, time.getTime()));
  }

  *#gapsAfter(values: readonly unknown[]): Iterable<object> {
    const time = values.at(-1);
    if (this.#span !== undefined && isDate(time))
      yield* this.#gaps(values, timesAfter(this.#span, time.getTime()));
  }

  /** Without any row, the times of the whole bound, if all other parts of the group are known. */
  *#emptySpan(): Iterable<object> {
    const { grouping, query } = this.#options;
    const { first, last, width, ascending } = this.#span ?? {};
    if (this.#span === undefined || first === undefined || last === undefined) return;
    const constant = constantSegments(query);
    const others = grouping.parts.slice(0, -1).map(({ property }) => property);
    if (!others.every((property) => property in constant)) return;
    const values = [...others.map((property) => constant[property]), undefined];
    const end = ascending === true ? last + width! : last - width!;
    yield* this.#gaps(values, timesBefore(this.#span, end));
  }

  *#gaps(values: readonly unknown[], times: Iterable<Date>): Iterable<object> {
    const { grouping, newTotals } = this.#options;
    for (const time of times)
      yield resultOf(grouping, { values: [...values.slice(0, -1), time], totals: newTotals() });
  }
}

function spanOf({ model, query, grouping }: GroupsOptions): TimeSpan | undefined {
  const part = grouping.parts.at(-1)!;
  if (!part.fillGaps) return undefined;
  const { type } = model.segments.find(({ property }) => property === part.property)!;
  const { bound } = query.key;
  const own = bound?.segment === part.property ? bound : undefined;
  return timeSpan(own, part.width!, (type.order === 'desc') === query.reversed);
}

/** True if two groups differ in their last values only. */
function isSameBesides(
  grouping: CompiledGrouping,
  a: readonly unknown[] | undefined,
  b: readonly unknown[],
): boolean {
  return (
    a !== undefined && groupText(grouping, a.slice(0, -1)) === groupText(grouping, b.slice(0, -1))
  );
}

/** Groups in any order, in memory. */
class KeptGroups implements GroupAccumulator {
  readonly #options: GroupsOptions;
  readonly #groups = new Map<string, Group>();
  #last: Group | undefined;

  constructor(options: GroupsOptions) {
    this.#options = options;
  }

  take(rows: readonly object[]): Iterable<object> {
    for (const row of rows as Row[]) this.#groupOf(row).totals.add(row);
    return [];
  }

  *end(): Iterable<object> {
    for (const group of this.#groups.values()) yield resultOf(this.#options.grouping, group);
  }

  #groupOf(row: Row): Group {
    const { grouping, newTotals, model } = this.#options;
    // Neighbours are often of one group, and comparing values is cheaper than making text of them.
    if (this.#last !== undefined && isOfGroup(grouping, this.#last.values, row)) return this.#last;
    const values = groupValues(grouping, row);
    const text = groupText(grouping, values);
    let group = this.#groups.get(text);
    if (group === undefined) {
      if (this.#groups.size === maxKeptGroups)
        throw queryError(model, grouping.parts[0].property, faults.tooManyGroups);
      group = { values, totals: newTotals() };
      this.#groups.set(text, group);
    }
    this.#last = group;
    return group;
  }
}

const faults = {
  tooManyGroups: {
    problem: `there are more than ${maxKeptGroups} groups, which do not follow the order of the key`,
    fix: 'group by leading segments, which needs no memory, or read less',
  },
} satisfies FaultTexts;
