/** Checks the values of a rollup, and compiles them to the cells that they need. */
import {
  literalText,
  nearestName,
  quotedList,
  utf8Bytes,
  valueText,
  type FaultText,
  type FaultTexts,
} from '../../../../base/index.js';
import { qualifiersOf } from '../../column-qualifiers.js';
import type { ColumnModel, SegmentModel } from '../../model.js';
import {
  rollupFamilies,
  type RollupCell,
  type RollupResult,
  type RollupScale,
  type RollupSource,
  rowsProperty,
} from '../../rollup-model.js';
import {
  bigIntScale,
  dateScale,
  decimalScale,
  maxDecimals,
  meanOf,
  numberScale,
} from './rollup-scale.js';

/** What a rollup is computed of. */
export interface RollupSourceModel {
  readonly name: string;
  readonly segments: readonly SegmentModel[];
  readonly columns: readonly ColumnModel[];
}

/** Reports a fault of one value; `problem` continues a sentence about the rollup. */
export type ReportValue = (fault: FaultText) => void;

const kinds = ['count', 'sum', 'avg', 'min', 'max', 'first', 'last'];
const scaledKinds = ['sum', 'avg', 'min', 'max'];

/** The cells and results of one rollup, as its values are added. */
export class RollupValues {
  readonly cells = new Map<string, RollupCell>();
  readonly results: RollupResult[] = [];
  readonly #source: RollupSourceModel;

  constructor(source: RollupSourceModel) {
    this.#source = source;
    this.#cell({ kind: 'rows', property: rowsProperty });
  }

  /** Adds a value; faults are reported. */
  add(name: string, value: unknown, report: ReportValue): void {
    if (value === 'count') {
      this.results.push({ name, kind: 'count', of: (cells) => Number(cells[rowsProperty]) });
      return;
    }
    const given = typeof value === 'object' && value !== null ? Object.keys(value) : [];
    const [kind, ...others] = given.filter((key) => key !== 'as' && key !== 'decimals');
    if (!kinds.includes(kind) || others.length > 0) {
      report(faults.unknownValue(name, value));
      return;
    }
    const options = value as Record<string, unknown>;
    const source = this.#sourceOf(kind, options[kind], report);
    if (source === undefined) return;
    if (!scaledKinds.includes(kind)) {
      if (given.length > 1) report(faults.unfitOptions(kind, source.property));
      this.#addPlain(name, kind as 'count' | 'first' | 'last', source);
      return;
    }
    const scale = this.#scaleOf(kind, source.property, options, report);
    if (scale !== undefined) this.#addScaled(name, kind, source, scale);
  }

  #addPlain(name: string, kind: 'count' | 'first' | 'last', source: RollupSource): void {
    const { property } = source;
    const cell = this.#cell({ kind, property: `${kind}:${property}`, source });
    const of = (cells: Readonly<Record<string, unknown>>): unknown => {
      const stored = cells[cell.property];
      return kind === 'count' ? Number(stored ?? 0n) : stored;
    };
    this.results.push({ name, kind, property, of });
  }

  #addScaled(name: string, kind: string, source: RollupSource, scale: RollupScale): void {
    const { property } = source;
    const { decimals } = scale;
    const stored = kind === 'avg' ? 'sum' : (kind as 'sum' | 'min' | 'max');
    const cell = this.#cell({
      kind: stored,
      property: `${stored}:${property}/${decimals}`,
      source,
      scale,
    });
    const base = { name, kind, property, decimals };
    if (kind === 'avg') {
      const counted = this.#cell({ kind: 'count', property: `count:${property}`, source });
      const of: RollupResult['of'] = (cells) => {
        const count = (cells[counted.property] ?? 0n) as bigint;
        if (count === 0n) return undefined;
        return meanOf((cells[cell.property] ?? 0n) as bigint, count, decimals);
      };
      this.results.push({ ...base, of });
      return;
    }
    const empty = kind === 'sum' ? 0n : undefined;
    const of: RollupResult['of'] = (cells) => {
      const integer = (cells[cell.property] ?? empty) as bigint | undefined;
      return integer === undefined ? undefined : scale.unscaled(integer);
    };
    this.results.push({ ...base, of });
  }

  #cell(
    cell: Pick<RollupCell, 'kind' | 'property'> & Partial<Pick<RollupCell, 'source' | 'scale'>>,
  ): RollupCell {
    const known = this.cells.get(cell.property);
    if (known !== undefined) return known;
    const isSum = ['rows', 'count', 'sum'].includes(cell.kind);
    const family = isSum
      ? rollupFamilies.sum
      : rollupFamilies[cell.kind as Exclude<RollupCell['kind'], 'rows' | 'count'>];
    const qualifier = utf8Bytes(cell.property);
    const created = Object.freeze({ ...cell, family, qualifier });
    this.cells.set(cell.property, created);
    return created;
  }

  #sourceOf(kind: string, property: unknown, report: ReportValue): RollupSource | undefined {
    const { segments, columns } = this.#source;
    const segment = segments.find((each) => each.property === property);
    if (segment !== undefined) {
      if (kind !== 'first' && kind !== 'last')
        return Object.freeze({ property: segment.property, decode: (bytes: Uint8Array) => bytes });
      report(faults.keptSegment(kind, segment.property));
      return undefined;
    }
    const column = columns.find((each) => each.property === property);
    if (column === undefined) {
      const known = [...segments, ...columns].map((each) => each.property);
      const nearest = nearestName(property, known);
      report(faults.unknownProperty(kind, property, nearest, known));
      return undefined;
    }
    const problem = columnProblem(column);
    if (problem !== undefined) {
      report(faults.unfitProperty(kind, column.property, problem, columnFix(column)));
      return undefined;
    }
    const { codec } = column;
    return Object.freeze({
      property: column.property,
      cell: Object.freeze({ family: column.family, qualifiers: qualifiersOf(column) }),
      decode: (bytes: Uint8Array) => codec.decode(bytes, 0, bytes.length),
    });
  }

  #scaleOf(
    kind: string,
    property: string,
    { decimals, as }: Record<string, unknown>,
    report: ReportValue,
  ): RollupScale | undefined {
    const { segments, columns } = this.#source;
    const segment = segments.find((each) => each.property === property)?.type;
    const stored =
      segment?.kind ?? columns.find((each) => each.property === property)?.codec.kind ?? '';
    const isValid =
      decimals === undefined ||
      (Number.isInteger(decimals) && Number(decimals) >= 0 && Number(decimals) <= maxDecimals);
    if (!isValid) {
      report(faults.wrongDecimals(property, valueText(decimals)));
      return undefined;
    }
    const digits = (decimals ?? (segment?.kind === 'decimal' ? segment.scale : undefined)) as
      number | undefined;
    const found = scaleOfKind(kind, stored, {
      decimals: digits,
      as,
      isFloat32: segment === undefined && stored === 'float',
    });
    if (typeof found === 'object') return found;
    reportScale(report, { kind, property, stored, fault: found });
    return undefined;
  }
}

interface ScaleOptions {
  readonly decimals: number | undefined;
  readonly as: unknown;
  /** A column of kind float; segments of this kind are doubles. */
  readonly isFloat32: boolean;
}
type ScaleFault = 'decimals' | 'noDecimals' | 'as' | 'kind';
const integers = new Set(['int32', 'uint32', 'int', 'uint', 'reversedId']);
const bigIntegers = new Set(['int64', 'bigint', 'micros']);
const times = new Set(['timestamp', 'isoDate']);

/** How the values of a kind of segment or column are scaled, or why they are not. */
function scaleOfKind(
  kind: string,
  stored: string,
  { decimals, as, isFloat32 }: ScaleOptions,
): RollupScale | ScaleFault {
  const isText = stored === 'string' || stored === 'decimal';
  if (as !== undefined && (as !== 'decimal' || !isText)) return 'as';
  if (isText) {
    if (kind === 'avg' || (stored === 'string' && as === undefined)) return 'kind';
    return decimals === undefined ? 'decimals' : decimalScale(decimals);
  }
  if (stored === 'double' || stored === 'float') {
    if (decimals === undefined) return 'decimals';
    return numberScale(decimals, isFloat32 ? Math.fround : undefined);
  }
  if (!integers.has(stored) && !bigIntegers.has(stored) && !times.has(stored)) return 'kind';
  if (decimals !== undefined) return 'noDecimals';
  if (integers.has(stored)) return numberScale(0);
  if (bigIntegers.has(stored)) return bigIntScale;
  return kind === 'min' || kind === 'max' ? dateScale : 'kind';
}

function reportScale(
  report: ReportValue,
  found: { kind: string; property: string; stored: string; fault: ScaleFault },
): void {
  const { kind, property, stored, fault } = found;
  const of = `computes ${kind} of '${property}'`;
  switch (fault) {
    case 'decimals':
      report(faults.missingDecimals(of, kind, property));
      break;
    case 'noDecimals':
      report(faults.needlessDecimals(of));
      break;
    case 'as':
      report(faults.otherType(of));
      break;
    default:
      report(faults.unfitKind(of, stored, kind, property));
  }
}

function operationOf(kind: string): string {
  return kind === 'min' || kind === 'max' ? 'ordered' : 'added';
}

function fixOfKind(kind: string, property: string, stored: string): string {
  if (kind === 'avg' && stored !== 'string') return 'compute it of sum and count';
  if (stored === 'string' && kind !== 'avg')
    return `for decimal text write { ${kind}: '${property}', as: 'decimal', decimals: 2 }`;
  return 'take count, first or last of it';
}

function columnProblem(column: ColumnModel): string | undefined {
  if (column.kind === 'counter') return 'which is changed by increments that no rollup sees';
  if (column.kind !== 'column' && column.kind !== 'packed') return 'which is not a single value';
  if (column.default !== undefined) return 'which has a default that is read, but not stored';
  return undefined;
}

function columnFix(column: ColumnModel): string {
  if (column.kind === 'counter') return 'make it a column that is set';
  if (column.kind !== 'column' && column.kind !== 'packed') return 'name a plain column';
  return `leave the default of '${literalText(column.property)}' out, and set it in the class`;
}

const faults = {
  unknownValue: (name: string, value: unknown) => ({
    problem: `computes '${name}' as ${valueText(value)}`,
    fix: `write 'count', or one of ${quotedList(kinds)} of a property: { sum: 'property' }`,
  }),
  unfitOptions: (kind: string, property: string) => ({
    problem: `gives ${kind} of '${property}' options that it does not take`,
    fix: 'decimals and as go with sum, avg, min and max',
  }),
  keptSegment: (kind: string, property: string) => ({
    problem: `keeps the ${kind} '${property}', which is a segment of the key`,
    fix: `name a column; min and max of a time are { min: '${property}' }`,
  }),
  unknownProperty: (
    kind: string,
    property: unknown,
    nearest: undefined | string,
    known: readonly string[],
  ) => ({
    problem: `computes ${kind} of ${valueText(property)}, which is not a mapped property`,
    fix: nearest === undefined ? `use some of ${quotedList(known)}` : `did you mean '${nearest}'?`,
  }),
  unfitProperty: (kind: string, property: string, problem: string, columnFixText: string) => ({
    problem: `computes ${kind} of '${property}', ${problem}`,
    fix: columnFixText,
  }),
  wrongDecimals: (property: string, given: string) => ({
    problem: `gives '${property}' ${given} decimals`,
    fix: `give a whole number from 0 to ${maxDecimals}`,
  }),
  missingDecimals: (ofText: string, kind: string, property: string) => ({
    problem: `${ofText} without decimals, and aggregate families hold integers`,
    fix: `give the digits after the point that are kept: { ${kind}: '${property}', decimals: 2 }`,
  }),
  needlessDecimals: (ofText: string) => ({
    problem: `${ofText} with decimals, and its values are whole`,
    fix: 'leave decimals out',
  }),
  otherType: (ofText: string) => ({
    problem: `${ofText} as another type than it has`,
    fix: "as: 'decimal' goes with text; leave it out",
  }),
  unfitKind: (ofText: string, stored: string, kind: string, property: string) => ({
    problem: `${ofText}: values of kind ${stored} cannot be ${operationOf(kind)}`,
    fix: fixOfKind(kind, property, stored),
  }),
} satisfies FaultTexts;
