/** A query while it is filled in: text of inputs, which may not mean anything yet. */
import type {
  FixedSegment,
  QueryBound,
  QueryCondition,
  StudioQuery,
} from '../../protocol/query.js';
import type { BoundKind, SegmentInfo, TestKind } from '../../protocol/schema.js';
import type { JsonValue } from '../../protocol/json.js';
import { parseTime, timeText } from '../format/time.js';
import type { SourceForm } from './source-form.js';
import { testableOf } from './testable.js';
import { textToType, typedValue } from './typed-value.js';

export interface Draft {
  /** By name of the segment. */
  readonly segments: Readonly<Record<string, SegmentDraft>>;
  readonly where: readonly ConditionDraft[];
  readonly select?: readonly string[] | undefined;
  readonly reverse: boolean;
  readonly limit: string;
  readonly asOf: string;
  readonly versions: string;
}

/** `is` has the alternatives; a bound has one text, `between` two. */
export interface SegmentDraft {
  readonly mode: 'is' | BoundKind;
  readonly texts: readonly string[];
}

export interface ConditionDraft {
  readonly property: string;
  /** The way to a field of a message or a JSON value. */
  readonly fields?: readonly string[] | undefined;
  readonly test: TestKind;
  readonly text: string;
}

/** What a draft means, and what is wrong with it by the name of the input. */
export interface ReadDraft {
  readonly query: StudioQuery;
  readonly problems: Readonly<Record<string, string>>;
  /** The number of leading segments that are filled with values: the next one is open. */
  readonly filled: number;
}

export const emptySegment: SegmentDraft = { mode: 'is', texts: [] };

const listTests: readonly TestKind[] = ['oneOf', 'noneOf'];
export const takesNoValue = (test: TestKind): boolean => test === 'isNull' || test === 'notNull';

/** Reads a draft. */
export function readDraft(draft: Draft, form: SourceForm, zone: string): ReadDraft {
  const reader = new DraftReader(form, zone);
  reader.segments(draft);
  const { fixed, bound, problems } = reader;
  const where = form.takes.where ? draft.where.map((each, i) => reader.condition(each, i)) : [];
  const { takes } = form;
  const query: StudioQuery = {
    source: form.source,
    fixed: fixed.length > 0 ? fixed : undefined,
    bound,
    where: where.length > 0 ? where : undefined,
    select: takes.select ? draft.select : undefined,
    reverse: draft.reverse ? true : undefined,
    limit: reader.count('limit', draft.limit),
    asOf: takes.asOf ? reader.time('asOf', draft.asOf) : undefined,
    versions: takes.versions ? reader.count('versions', draft.versions) : undefined,
  };
  return { query, problems, filled: fixed.length };
}

/** Reads the query of an address, which can lack what the form would ask for. */
export function readQuery(query: StudioQuery, form: SourceForm): ReadDraft {
  const read = readDraft(draftOf(query, form, 'UTC'), form, 'UTC');
  const { bound } = query;
  if (bound === undefined || read.query.bound !== undefined) return read;
  const problem = 'The range has no value, or a segment before it has none';
  return { ...read, problems: { [bound.segment]: problem, ...read.problems } };
}

class DraftReader {
  readonly fixed: FixedSegment[] = [];
  bound: QueryBound | undefined;
  readonly problems: Record<string, string> = {};
  readonly #form: SourceForm;
  readonly #zone: string;

  constructor(form: SourceForm, zone: string) {
    this.#form = form;
    this.#zone = zone;
  }

  /** Reads segments until one has no value: nothing after it counts. */
  segments(draft: Draft): void {
    for (const segment of this.#form.segments) {
      const given = draft.segments[segment.name] ?? emptySegment;
      const texts = given.texts.filter((text) => text !== '');
      if (texts.length === 0) return;
      if (given.mode !== 'is') {
        this.bound = this.#bound(segment, given.mode, given.texts);
        return;
      }
      const values = texts.map((text) => this.#value(segment.name, text, segment.kind));
      this.fixed.push({ segment: segment.name, values });
    }
  }

  condition({ property, fields, test, text }: ConditionDraft, at: number): QueryCondition {
    const on = { property, fields: fields?.length === 0 ? undefined : fields };
    const name = `where.${at}`;
    // A segment with a value has one already.
    if (this.fixed.some(({ segment }) => segment === property))
      this.problems[name] = `${property} has its value in the key`;
    if (takesNoValue(test)) return { ...on, test };
    const kind = conditionKind(this.#form, on);
    if (!listTests.includes(test)) return { ...on, test, value: this.#value(name, text, kind) };
    const parts = text.split(',').map((part) => part.trim());
    return { ...on, test, value: parts.map((part) => this.#value(name, part, kind)) };
  }

  count(name: string, text: string): number | undefined {
    if (text.trim() === '') return undefined;
    if (/^[1-9]\d{0,8}$/.test(text.trim())) return Number(text);
    this.problems[name] = 'Type a number of 1 or more';
    return undefined;
  }

  time(name: string, text: string): string | undefined {
    if (text.trim() === '') return undefined;
    const value = parseTime(text, this.#zone);
    if (value === undefined) this.problems[name] = 'Type a time: 2001-03-31 07:56:00';
    return value;
  }

  #bound(segment: SegmentInfo, kind: BoundKind, texts: readonly string[]): QueryBound | undefined {
    const { name } = segment;
    if (kind !== 'between')
      return { kind, segment: name, value: this.#value(name, texts[0] ?? '', segment.kind) };
    const [from = '', to = ''] = texts;
    if (from === '' || to === '') {
      this.problems[name] = 'A range needs both ends';
      return undefined;
    }
    const ends = [from, to].map((text) => this.#value(name, text, segment.kind));
    return { kind, segment: name, from: ends[0], to: ends[1] };
  }

  #value(name: string, text: string, kind: string): JsonValue {
    const typed = typedValue(text, kind, this.#zone);
    if ('value' in typed) return typed.value;
    this.problems[name] = typed.problem;
    return null;
  }
}

/** The kind of the values that a condition compares. */
function conditionKind(form: SourceForm, on: Pick<ConditionDraft, 'property' | 'fields'>): string {
  const kind = testableOf(form, on)?.kind ?? 'string';
  if (kind === 'json') return 'jsonValue';
  return kind === 'enum' && on.fields !== undefined ? 'openEnum' : kind;
}

/** The draft that means a query. */
export function draftOf(query: StudioQuery, form: SourceForm, zone: string): Draft {
  const segments: Record<string, SegmentDraft> = {};
  const kindOf = (name: string): string =>
    form.segments.find((each) => each.name === name)?.kind ?? 'string';
  // An address can name anything: what is missing is no text.
  const textOf = (value: JsonValue | undefined, kind: string): string =>
    textToType(value ?? null, kind, zone);
  for (const { segment, values } of query.fixed ?? []) {
    const texts = values.map((value) => textOf(value, kindOf(segment)));
    segments[segment] = { mode: 'is', texts };
  }
  const { bound } = query;
  if (bound !== undefined) {
    const ends = bound.kind === 'between' ? [bound.from, bound.to] : [bound.value];
    const texts = ends.map((value) => textOf(value, kindOf(bound.segment)));
    segments[bound.segment] = { mode: bound.kind, texts };
  } else if (form.bound !== undefined) {
    segments[form.bound.segment] ??= { mode: form.bound.kind, texts: [] };
  }
  return {
    segments,
    where: (query.where ?? []).map((each) =>
      conditionDraft(each, conditionKind(form, each), textOf),
    ),
    select: query.select,
    reverse: query.reverse ?? false,
    limit: query.limit === undefined ? '' : String(query.limit),
    asOf: query.asOf === undefined ? '' : timeText(query.asOf, zone),
    versions: query.versions === undefined ? '' : String(query.versions),
  };
}

function conditionDraft(
  { property, fields, test, value }: QueryCondition,
  kind: string,
  textOf: (value: JsonValue, kind: string) => string,
): ConditionDraft {
  const values = Array.isArray(value) ? (value as readonly JsonValue[]) : [value ?? null];
  return { property, fields, test, text: values.map((each) => textOf(each, kind)).join(', ') };
}

/** Whether all that a pattern needs is filled in. */
export const isComplete = (read: ReadDraft, form: SourceForm): boolean =>
  read.filled + (read.query.bound === undefined ? 0 : 1) >= form.needed.length &&
  Object.keys(read.problems).length === 0;
