/** Checks workloads, which may come from JavaScript, and compiles them. */
import { RowsmithError, suggestionText, valueText, type FaultTexts } from '../../../base/index.js';
import type { EntityModel, SegmentModel } from '../../../entities/model/index.js';
import { broadDraws, uniformDraws, zipfDraws } from '../random/draws.js';
import { columnSizes } from './check-columns.js';
import { checkNames, numberIn, workloadError } from './check-values.js';
import type { EntityLoad, SegmentLoad } from './entity-load.js';
import { readKinds } from './check-reads.js';
import { segmentValues, type SegmentValuesOf } from '../../values/index.js';
import type { SegmentDistribution, WorkloadOptions } from './workload.js';

const maxRows = 1e12;
const maxRate = 1e9;
const optionNames = [
  'rows',
  'writesPerSecond',
  'readsPerSecond',
  'growthPerYear',
  'segments',
  'columns',
  'reads',
  'name',
];
const distributionNames = ['uniform', 'zipf', 'sequential', 'time'] as const;
/** Of each distribution: an option of another one would have no effect. */
const distributionOptions = {
  uniform: ['distribution', 'cardinality', 'value'],
  zipf: ['distribution', 'cardinality', 'exponent', 'value'],
  sequential: ['distribution', 'value'],
  time: ['distribution', 'value'],
};

/** Throws INVALID_ARGUMENT with the entity, the segment or option, and the fix. */
export function compileWorkload(model: EntityModel, options: WorkloadOptions): EntityLoad {
  checkNames(model, 'workload', options, optionNames);
  const {
    rows,
    writesPerSecond,
    readsPerSecond = 0,
    growthPerYear = 0,
    name = model.name,
  } = options;
  numberIn(model, 'rows', rows, { min: 1, max: maxRows, whole: true });
  numberIn(model, 'writesPerSecond', writesPerSecond, { min: 0, max: maxRate });
  numberIn(model, 'readsPerSecond', readsPerSecond, { min: 0, max: maxRate });
  numberIn(model, 'growthPerYear', growthPerYear, { min: -0.99, max: 1000 });
  if (typeof name !== 'string' || name === '')
    throw workloadError(model, 'name', faults.wrongName(name));
  const segments = compileSegments(model, options.segments);
  const times = segments.filter((segment) => segment.kind === 'time');
  const load: EntityLoad = {
    name,
    model,
    rows,
    writesPerSecond,
    readsPerSecond,
    growthPerYear,
    segments,
    columns: columnSizes(model, options.columns),
    reads: readKinds(model, options.reads),
    bucketMs: times.length === 0 ? undefined : Math.min(...times.map((time) => time.resolutionMs)),
    sequential:
      segments.some(({ kind }) => kind === 'sequential') ||
      times.some(({ resolutionMs }) => resolutionMs === 0),
  };
  checkKeySpace(load);
  return load;
}

function compileSegments(model: EntityModel, declared: unknown): readonly SegmentLoad[] {
  if (typeof declared !== 'object' || declared === null)
    throw workloadError(model, 'segments', faults.wrongSegments(declared));
  const names = model.segments.map(({ property }) => property);
  const unknown = Object.keys(declared).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw workloadError(model, unknown, faults.unknownSegment(unknown, names));
  const distributions = declared as Readonly<Record<string, SegmentDistribution | undefined>>;
  return model.segments.map((segment) =>
    compileSegment(model, segment, distributions[segment.property]),
  );
}

function compileSegment(
  model: EntityModel,
  segment: SegmentModel,
  declared: SegmentDistribution | undefined,
): SegmentLoad {
  const { property, type } = segment;
  const distribution = declared ?? defaultDistribution(model, segment);
  checkNames(model, property, distribution);
  const { distribution: kind = 'uniform', value: given } = distribution;
  if (!distributionNames.includes(kind))
    throw workloadError(model, property, faults.unknownDistribution(kind));
  checkNames(model, property, distribution, distributionOptions[kind]);
  if (given !== undefined && typeof given !== 'function')
    throw workloadError(model, property, faults.notAFunction);
  if (kind === 'time')
    return { property, ...timeLoad(model, property, segmentValues(property, type, 1), given) };
  if (kind === 'sequential') {
    const made = segmentValues(property, type, maxRows);
    const value = given ?? numbered(model, segment, made);
    return { property, kind, value: checkedValue(model, property, value) };
  }
  const { cardinality, exponent = 1 } = distribution as { cardinality: number; exponent?: number };
  numberIn(model, property, cardinality, { min: 1, max: maxRows, whole: true, of: 'cardinality' });
  if (kind === 'zipf') numberIn(model, property, exponent, { min: 0.01, max: 20, of: 'exponent' });
  const made = segmentValues(property, type, cardinality);
  const value = given ?? numbered(model, segment, made);
  if (given === undefined && cardinality > made.count)
    throw workloadError(model, property, faults.cardinalityOutOfRange(cardinality, made.count));
  const draws = kind === 'zipf' ? zipfDraws(cardinality, exponent) : uniformDraws(cardinality);
  const broad = kind === 'zipf' ? broadDraws(draws) : draws;
  return {
    property,
    kind: 'numbered',
    draws,
    broad,
    value: checkedValue(model, property, value),
  };
}

/** Bools and enums have few values; nobody knows how many values other kinds have. */
function defaultDistribution(
  model: EntityModel,
  { property, type }: SegmentModel,
): SegmentDistribution {
  if (type.kind === 'bool') return { cardinality: 2 };
  if (type.kind === 'enum') return { cardinality: type.values?.length ?? 0 };
  const time = type.kind === 'timestamp' || type.kind === 'micros' || type.kind === 'isoDate';
  throw workloadError(model, property, faults.missingDistribution(property, time));
}

function timeLoad(
  model: EntityModel,
  property: string,
  { ofTime, resolutionMs = 1 }: SegmentValuesOf,
  given: unknown,
): { kind: 'time'; resolutionMs: number; value: (ms: number, random: number) => unknown } {
  const value = (given ?? ofTime) as typeof ofTime;
  if (value === undefined) throw workloadError(model, property, faults.notATime(property));
  return { kind: 'time', resolutionMs, value };
}

function numbered(
  model: EntityModel,
  { property, type }: SegmentModel,
  { ofNumber }: SegmentValuesOf,
): (n: number) => unknown {
  if (ofNumber !== undefined) return ofNumber;
  throw workloadError(model, property, faults.notNumbered(type.kind));
}

/** The function, with errors that name the segment. */
function checkedValue<A>(
  model: EntityModel,
  property: string,
  value: (input: A) => unknown,
): (input: A) => unknown {
  return (input) => {
    try {
      return value(input);
    } catch (cause) {
      const problem = `value(${String(input)}) threw ${String(cause)}`;
      throw new RowsmithError(
        'INVALID_ARGUMENT',
        { entity: model.name, property, ...faults.valueThrew(problem) },
        { cause },
      );
    }
  };
}

/** Keys without a time or a sequence are limited by the values of their segments. */
function checkKeySpace(load: EntityLoad): void {
  const { model, rows, segments, bucketMs, sequential } = load;
  if (sequential || bucketMs !== undefined) {
    checkSpan(load);
    return;
  }
  const counts = segments.map((each) => (each.kind === 'numbered' ? each.draws.cardinality : 1));
  const keys = counts.reduce((product, count) => product * count, 1);
  if (rows <= keys) return;
  const smallest = segments[counts.indexOf(Math.min(...counts))].property;
  throw workloadError(model, smallest, faults.tooManyRows(rows, keys, counts.join(' x ')));
}

/** Rows of the past were written at the rate, so that there must be one. */
function checkSpan({ model, writesPerSecond, rows, sequential, bucketMs }: EntityLoad): void {
  if (writesPerSecond > 0 || (sequential && bucketMs === undefined)) return;
  throw workloadError(model, 'writesPerSecond', faults.missingRate(rows));
}

const faults = {
  wrongName: (name: string) => ({
    problem: `name is ${valueText(name)}`,
    fix: 'give a string, or leave it out',
  }),
  wrongSegments: (declared: unknown) => ({
    problem: `segments is ${valueText(declared)}`,
    fix: 'give a distribution for each segment: segments: { device: { cardinality: 1000 } }',
  }),
  unknownSegment: (unknown: string, names: readonly string[]) => ({
    problem: `'${unknown}' is not a segment of the key`,
    fix: suggestionText(unknown, names, 'the segments are'),
  }),
  unknownDistribution: (kind: string) => ({
    problem: `there is no distribution ${valueText(kind)}`,
    fix: `use one of ${distributionNames.join(', ')}`,
  }),
  notAFunction: { problem: 'value is not a function', fix: 'write value: (n) => ...' },
  cardinalityOutOfRange: (cardinality: number, count: number) => ({
    problem: `cardinality is ${cardinality}, but the segment has ${count} values at most`,
    fix: `give a cardinality of up to ${count}, or declare a larger segment`,
  }),
  missingDistribution: (property: string, time: boolean) => ({
    problem: `segment '${property}' has no distribution`,
    fix: time
      ? `write segments: { ${property}: { distribution: 'time' } }`
      : `write segments: { ${property}: { cardinality: 1000 } }`,
  }),
  notATime: (property: string) => ({
    problem: `segment '${property}' cannot hold a time`,
    fix: "use another distribution, or give value: (ms) => ... with the segment's value of a time",
  }),
  notNumbered: (kind: string) => ({
    problem: `values of kind ${kind} are not numbered`,
    fix: 'give value: (n) => ...',
  }),
  valueThrew: (problem: string) => ({ problem, fix: 'return a value for each number' }),
  tooManyRows: (rows: number, keys: number, list: string) => ({
    problem: `rows is ${rows}, but the segments have ${keys} different keys: ${list}`,
    fix: `give at most ${keys} rows, or a segment a larger cardinality`,
  }),
  missingRate: (rows: number) => ({
    problem: `writesPerSecond is 0, but the key has a time, and so ${rows} rows took forever`,
    fix: 'give the rate at which the rows were written',
  }),
} satisfies FaultTexts;
