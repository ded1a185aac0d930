/** What the arguments of `add` mean: a row, and an amount for each of some cells. */
import {
  invalidArgument,
  isMap,
  nearestName,
  type RowsmithError,
  valueText,
  wrongObject,
  type FaultText,
  type FaultTexts,
} from '../../../base/index.js';
import {
  checkedAmount,
  encodeQualifier,
  invalidValueError,
  type MapColumn,
} from '../../mapping/index.js';
import {
  type ColumnModel,
  declaredRules,
  type EntityModel,
  type HeldRules,
} from '../../model/index.js';
import type { Aggregate } from '../../../data/store/index.js';
import { keyArgument } from '../key-argument.js';
import type { CounterCell, CounterRow, CounterStep } from './counter-sums.js';

/** A counter, or a column map of int64. */
interface Target {
  readonly column: ColumnModel;
  readonly aggregate: Aggregate | undefined;
  /** The cell of a counter. */
  readonly cell?: CounterCell;
}

/** Checks the arguments of `add` for one entity. */
export class CounterArguments {
  readonly #model: EntityModel;
  readonly #held: HeldRules | undefined;
  readonly #targets = new Map<string, Target>();

  constructor(model: EntityModel) {
    this.#model = model;
    this.#held = declaredRules(model);
  }

  /** Throws INVALID_KEY. */
  row(key: unknown): CounterRow {
    const values = keyArgument(this.#model, key);
    this.#held?.checkKey(values);
    const bytes = this.#model.key.encode(values);
    const { buffer, byteOffset, length } = bytes;
    return { bytes, id: Buffer.from(buffer, byteOffset, length).toString('latin1') };
  }

  /** The amounts by cell. Throws INVALID_ARGUMENT or INVALID_VALUE. */
  steps(what: unknown, amount: unknown): readonly CounterStep[] {
    if (typeof what === 'string') return this.#stepsOf(what, amount === undefined ? 1n : amount);
    const wrong = wrongObject(what);
    if (wrong !== undefined)
      throw this.#error(
        'what',
        faults.wrongAmounts(
          wrong.given,
          wrong.fix ?? "write add(key, 'counter', 1n) or add(key, { counter: 1n })",
        ),
      );
    if (amount !== undefined) throw this.#error('amount', faults.amountsTwice);
    return Object.entries(what as object)
      .filter(([, value]) => value !== undefined)
      .flatMap(([property, value]: [string, unknown]) => this.#stepsOf(property, value));
  }

  #stepsOf(property: string, amount: unknown): readonly CounterStep[] {
    const target = this.#target(property);
    if (target.cell !== undefined)
      return [{ cell: target.cell, amount: checkedAmount(this.#model, property, amount) }];
    if (!isMap(amount)) throw this.#error(property, faults.notAMap(amount));
    return [...amount].map(([entry, value]: [unknown, unknown]) => ({
      cell: this.#entryCell(target, entry),
      amount: checkedAmount(this.#model, property, value),
    }));
  }

  #entryCell({ column, aggregate }: Target, entry: unknown): CounterCell {
    const { property, family } = column;
    try {
      const qualifier = encodeQualifier(column as MapColumn, entry);
      const { buffer, byteOffset, length } = qualifier;
      const id = `${property}:${Buffer.from(buffer, byteOffset, length).toString('latin1')}`;
      return { property, entry: copied(entry), id, family, qualifier, aggregate };
    } catch (error) {
      throw invalidValueError(this.#model, property, error);
    }
  }

  #target(property: string): Target {
    let target = this.#targets.get(property);
    if (target === undefined) {
      target = this.#newTarget(property);
      this.#targets.set(property, target);
    }
    return target;
  }

  #newTarget(property: string): Target {
    const { columns, table } = this.#model;
    const column = columns.find((candidate) => candidate.property === property);
    if (column === undefined) throw this.#unknownName(property);
    const { family } = column;
    const aggregate = table.families.get(family)?.aggregate;
    if (column.kind === 'counter') {
      const { qualifier } = column;
      return { column, aggregate, cell: { property, id: property, family, qualifier, aggregate } };
    }
    if (column.kind === 'columnMap' && column.codec.kind === 'int64') return { column, aggregate };
    throw this.#error(property, faults.notACounter(family));
  }

  #unknownName(property: string): RowsmithError {
    const { columns, segments } = this.#model;
    if (segments.some((segment) => segment.property === property))
      return this.#error(property, faults.keySegment);
    const nearest = nearestName(
      property,
      columns.map((column) => column.property),
    );
    let fix = 'name a counter, or a column map of int64';
    if (nearest !== undefined) fix = `did you mean '${nearest}'?`;
    return this.#error(property, faults.unknownColumn(fix));
  }

  #error(property: string, fault: FaultText): RowsmithError {
    return invalidArgument(property, fault, { entity: this.#model.name });
  }
}

/** A key of an entry that later changes of a Date do not change. */
function copied(entry: unknown): unknown {
  return entry instanceof Date ? new Date(entry) : entry;
}

const faults = {
  wrongAmounts: (given: string, fix: string) => ({
    problem: `add() takes a counter or an object of amounts, not ${given}`,
    fix,
  }),
  amountsTwice: {
    problem: 'the amounts are in the object, but another amount is given beside it',
    fix: 'write add(key, { counter: amount })',
  },
  notAMap: (amount: unknown) => ({
    problem: `the entries of a column map are given as a Map, not ${valueText(amount)}`,
    fix: "write new Map([['key', 1n]])",
  }),
  notACounter: (family: string) => ({
    problem: 'only counters and column maps of int64 can be added to',
    fix: `declare it with @Counter('${family}'), or @ColumnMap('${family}', 'int64')`,
  }),
  keySegment: {
    problem: 'a segment of the row key cannot be added to',
    fix: 'name a counter, or a column map of int64',
  },
  unknownColumn: (fix: string) => ({ problem: 'no column has this name', fix }),
} satisfies FaultTexts;
