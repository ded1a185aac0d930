/** Queries of the protocol, checked, with the values that the library takes. */
import { isRecord, type FaultTexts } from '../../../../base/index.js';
import { exactly, segmentTextForms, timestampForm } from '../../../../data/text/index.js';
import type {
  EntityModel,
  IndexModel,
  PatternModel,
  RollupModel,
  SegmentModel,
} from '../../../../entities/model/index.js';
import type { KeyBound, KeyTerms } from '../../../rows/index.js';
import { entityNamed, partNamed } from '../../state/entity-names.js';
import { badRequest, type RequestFields } from '../../request-fields.js';
import { parsedBy, parseWhere } from './parse-where.js';

/** What is read. `keyed` has the key that conditions are about. */
export type ParsedSource =
  | { readonly kind: 'entity'; readonly model: EntityModel; readonly keyed: EntityModel }
  | {
      readonly kind: 'pattern';
      readonly model: EntityModel;
      readonly keyed: EntityModel;
      readonly pattern: PatternModel;
    }
  | {
      readonly kind: 'index';
      readonly model: EntityModel;
      readonly keyed: EntityModel;
      readonly index: IndexModel;
      readonly covered: boolean;
    }
  | {
      readonly kind: 'rollup';
      readonly model: EntityModel;
      readonly keyed: EntityModel;
      readonly rollup: RollupModel;
    }
  | {
      readonly kind: 'collection';
      /** The first member. */
      readonly model: EntityModel;
      readonly keyed: EntityModel;
      readonly members: readonly EntityModel[];
    };

/** A query, checked as far as the studio checks it; the library checks the rest. */
export interface ParsedQuery extends KeyTerms {
  readonly source: ParsedSource;
  readonly scanAll: boolean;
  /** As `where` takes them. */
  readonly where: Readonly<Record<string, unknown>>;
  /** Undefined for all. */
  readonly select: readonly string[] | undefined;
  readonly reverse: boolean;
  readonly limit: number | undefined;
  readonly asOf: Date | undefined;
  readonly versions: number | undefined;
}

/** Reads a query. Throws BAD_REQUEST and NOT_FOUND. */
export function parseQuery(models: readonly EntityModel[], request: RequestFields): ParsedQuery {
  const source = parseSource(models, request.object('source'));
  const terms = parseTerms(source, request);
  const asOf = request.optionalText('asOf');
  const query: ParsedQuery = {
    source,
    ...terms,
    scanAll: request.flag('scanAll'),
    where: parseWhere(source.model, request),
    select: request.has('select') ? request.texts('select') : undefined,
    reverse: request.flag('reverse'),
    limit: request.has('limit') ? request.count('limit', { max: 1e12 }) : undefined,
    asOf:
      asOf === undefined
        ? undefined
        : (parsedBy(timestampForm(undefined), asOf, request.pathOf('asOf')) as Date),
    versions: request.has('versions') ? request.count('versions', { max: 1e9 }) : undefined,
  };
  checkOptions(query, request);
  return query;
}

/** Reads what a query is of. Throws BAD_REQUEST and NOT_FOUND. */
export function parseSource(models: readonly EntityModel[], request: RequestFields): ParsedSource {
  const kinds = ['entity', 'pattern', 'index', 'rollup', 'collection'] as const;
  const kind = request.choice('kind', kinds);
  if (kind === 'collection') {
    const members = request.texts('entities').map((name) => entityNamed(models, name));
    if (members.length === 0) throw badRequest(request.pathOf('entities'), faults.emptyCollection);
    return { kind, members, model: members[0], keyed: members[0] };
  }
  const model = entityNamed(models, request.text('entity'));
  switch (kind) {
    case 'entity':
      return { kind, model, keyed: model };
    case 'pattern': {
      const pattern = partNamed(model, model.patterns, 'access pattern', request.text('pattern'));
      return { kind, model, keyed: model, pattern };
    }
    case 'index': {
      const index = partNamed(model, model.indexes, 'index', request.text('index'));
      return { kind, model, keyed: index.entry, index, covered: request.flag('covered') };
    }
    case 'rollup': {
      const rollup = partNamed(model, model.rollups, 'rollup', request.text('rollup'));
      return { kind, model, keyed: rollup.rows, rollup };
    }
  }
}

/** Reads `fixed` and `bound`. Throws BAD_REQUEST. */
export function parseTerms({ keyed }: ParsedSource, request: RequestFields): KeyTerms {
  const names = keyed.segments.map(({ property }) => property);
  const fixed = request.objects('fixed').map((each, i) => {
    const name = each.text('segment');
    if (name !== names[i])
      throw badRequest(each.pathOf('segment'), faults.wrongOrder(name, names[i], names));
    const values = each
      .list('values')
      .map((value, k) => segmentValue(keyed.segments[i], value, `${each.pathOf('values')}.${k}`));
    if (values.length === 0) throw badRequest(each.pathOf('values'), faults.noValues(name));
    return { segment: name, values };
  });
  const bound = request.has('bound')
    ? parseBound(keyed.segments, fixed.length, request.object('bound'))
    : undefined;
  return { fixed, bound };
}

function parseBound(
  segments: readonly SegmentModel[],
  depth: number,
  request: RequestFields,
): KeyBound {
  const kinds = ['between', 'since', 'until', 'startsWith', 'subdomains'] as const;
  const kind = request.choice('kind', kinds);
  const segment = request.text('segment');
  const names = segments.map(({ property }) => property);
  if (segment !== names[depth])
    throw badRequest(request.pathOf('segment'), faults.wrongOrder(segment, names[depth], names));
  const value = (name: string): unknown =>
    segmentValue(segments[depth], request.value(name), request.pathOf(name));
  switch (kind) {
    case 'between':
      return { kind, segment, from: value('from'), to: value('to') };
    case 'startsWith':
    case 'subdomains':
      return { kind, segment, value: request.text('value') };
    default:
      return { kind, segment, value: value('value') };
  }
}

/** The value of a segment. Throws BAD_REQUEST. */
export function segmentValue(
  { property, type }: SegmentModel,
  json: unknown,
  path: string,
): unknown {
  if (json === undefined) throw badRequest(path, faults.noValue(property));
  if (json === null && type.nullable === true) return null;
  return parsedBy(exactly(segmentTextForms[type.kind]), json, path);
}

/** Options that a source does not have: the library would not know the methods. */
function checkOptions(
  { source, where, select, asOf, versions }: ParsedQuery,
  request: RequestFields,
): void {
  const wrong = (name: string): Error =>
    badRequest(request.pathOf(name), faults.wrongOption(name, source.kind));
  const isRows = source.kind === 'entity' || source.kind === 'pattern';
  if (!isRows && asOf !== undefined) throw wrong('asOf');
  if (!isRows && versions !== undefined) throw wrong('versions');
  const isDerived = source.kind === 'rollup' || source.kind === 'collection';
  if (isDerived && select !== undefined) throw wrong('select');
  if (isDerived && isRecord(where) && Object.keys(where).length > 0) throw wrong('where');
}

const faults = {
  emptyCollection: { problem: 'a collection needs entities', fix: 'name two of one table' },
  wrongOrder: (name: string, next: string | undefined, names: readonly string[]) => ({
    problem:
      next === undefined
        ? `'${name}': every segment has a value`
        : `'${name}' comes where the key has '${next}'`,
    fix: `give values in the order of the key: ${names.join(', ')}`,
  }),
  noValues: (name: string) => ({
    problem: `'${name}' has no values`,
    fix: 'give one, or several as alternatives',
  }),
  noValue: (name: string) => ({ problem: `'${name}' has no value`, fix: 'give one' }),
  wrongOption: (name: string, kind: string) => ({
    problem: `'${name}' is not for a query of ${kind === 'entity' ? 'an entity' : `a ${kind}`}`,
    fix: 'leave it out',
  }),
} satisfies FaultTexts;
