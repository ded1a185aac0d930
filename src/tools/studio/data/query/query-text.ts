/** The call `typescript`: a query as code, and as a command of cbt. */
import { fromHex, isBytes, isDate } from '../../../../base/index.js';
import type { KeyBound } from '../../../rows/index.js';
import type { CallOf } from '../../context.js';
import type { QueryText } from '../../protocol/query.js';
import type { RequestFields } from '../../request-fields.js';
import { buildQuery, isFullScan, patternValues } from './build-query.js';
import { type ParsedQuery, parseQuery } from './parse-query.js';
import { shellQuoted } from '../shell-quoted.js';

/** Writes a query as code. */
export function queryText({ context, request }: CallOf<RequestFields>): Promise<QueryText> {
  const query = parseQuery(context.models, request.object('query'));
  const plan = buildQuery(context.db, query).explain();
  const isRead = query.source.kind !== 'index' && plan.ranges.length > 0;
  return Promise.resolve({
    typescript: typescriptOf(query),
    cbt: isRead
      ? plan.ranges.slice(0, maxCommands).map(cbtOf(plan.table, query)).join('\n')
      : undefined,
  });
}

/** Commands for the ranges of a query; each of its ranges needs one. */
const maxCommands = 20;

function cbtOf(table: string, { limit, reverse }: ParsedQuery) {
  return ({
    startHex,
    endHex,
  }: {
    readonly startHex: string;
    readonly endHex?: string;
  }): string => {
    const words = ['cbt', 'read', shellQuoted(Buffer.from(table))];
    if (startHex !== '') words.push(`start=${shellQuoted(fromHex(startHex)!)}`);
    if (endHex !== undefined) words.push(`end=${shellQuoted(fromHex(endHex)!)}`);
    if (limit !== undefined) words.push(`count=${limit}`);
    if (reverse) words.push('reversed=true');
    return words.join(' ');
  };
}

/** The query as a statement that reads its rows. */
export function typescriptOf(query: ParsedQuery): string {
  const calls = [...startCalls(query), ...optionCalls(query)];
  const [first, ...rest] = calls;
  return [
    `const rows = ${first}${rest.map((call) => `\n  .${call}`).join('')};`,
    'for await (const row of rows) console.log(row);',
  ].join('\n');
}

function startCalls(query: ParsedQuery): readonly string[] {
  const { source } = query;
  const repository = `db.repository(${source.model.name})`;
  switch (source.kind) {
    case 'entity':
      return [`db`, `repository(${source.model.name})`, ...keyCalls(query)];
    case 'pattern': {
      const values = patternValues(query);
      const given = Object.keys(values).length === 0 ? '' : objectText(values);
      return [`${repository}.patterns`, `${source.pattern.name}(${given})`];
    }
    case 'index': {
      const covered = source.covered ? ['covered()'] : [];
      return [repository, `index(${textText(source.index.name)})`, ...covered, ...keyCalls(query)];
    }
    case 'rollup':
      return [repository, `rollup(${textText(source.rollup.name)})`, ...keyCalls(query)];
    case 'collection': {
      const members = source.members.map(({ name }) => name);
      return ['db', `collection({ ${members.join(', ')} })`, ...keyCalls(query)];
    }
  }
}

/** The same calls as `conditionQuery` makes. */
function keyCalls(query: ParsedQuery): readonly string[] {
  const { source, fixed, bound } = query;
  if (isFullScan(query)) return ['scanAll()'];
  const several = fixed.findIndex(({ values }) => values.length > 1);
  const all = several === -1 ? fixed.length : several;
  const leading = Math.min(all, source.keyed.key.names.length - 1);
  const calls: string[] = [];
  if (leading > 0) {
    const values = fixed.slice(0, leading).map(({ segment, values: [value] }) => [segment, value]);
    calls.push(`prefix(${objectText(Object.fromEntries(values) as Values)})`);
  }
  for (const { segment, values } of fixed.slice(leading))
    calls.push(`oneOf(${textText(segment)}, ${literalText(values)})`);
  if (bound !== undefined) calls.push(boundCall(bound));
  return calls;
}

function boundCall(bound: KeyBound): string {
  const segment = textText(bound.segment);
  if (bound.kind === 'between')
    return `between(${segment}, ${literalText(bound.from)}, ${literalText(bound.to)})`;
  return `${bound.kind}(${segment}, ${literalText(bound.value)})`;
}

function optionCalls({ source, where, select, reverse, limit, asOf, versions }: ParsedQuery) {
  const calls: string[] = [];
  if (Object.keys(where).length > 0) calls.push(`where(${objectText(plainTests(where))})`);
  if (select !== undefined) {
    const columns = select.filter((name) => !source.model.key.names.includes(name));
    calls.push(columns.length === 0 ? 'keysOnly()' : `select(${columns.map(textText).join(', ')})`);
  }
  if (asOf !== undefined) calls.push(`asOf(${literalText(asOf)})`);
  if (versions !== undefined) calls.push(`versions(${versions})`);
  if (reverse) calls.push('reverse()');
  if (limit !== undefined) calls.push(`limit(${limit})`);
  return calls;
}

/** Equality with one value as the value alone. */
function plainTests(where: Values): Values {
  const plain = Object.entries(where).map(([property, tests]) => {
    if (tests === null) return [property, null];
    const { oneOf, fields, ...others } = tests as {
      readonly oneOf?: readonly unknown[];
      readonly fields?: Values;
    };
    if (fields !== undefined)
      return [property, { ...(tests as Values), fields: plainTests(fields) }];
    const isPlain = oneOf?.length === 1 && Object.keys(others).length === 0;
    return [property, isPlain ? oneOf[0] : tests];
  });
  return Object.fromEntries(plain) as Values;
}

type Values = Readonly<Record<string, unknown>>;

function objectText(values: Values): string {
  const properties = Object.entries(values).map(
    ([name, value]) => `${propertyText(name)}: ${literalText(value)}`,
  );
  return `{ ${properties.join(', ')} }`;
}

function propertyText(name: string): string {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) && name !== '__proto__'
    ? name
    : `[${textText(name)}]`;
}

/** A value as a literal of TypeScript. */
function literalText(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'string') return textText(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  if (isDate(value)) return `new Date('${value.toISOString()}')`;
  if (isBytes(value)) return `Uint8Array.of(${[...value].join(', ')})`;
  if (Array.isArray(value)) return `[${value.map(literalText).join(', ')}]`;
  if (typeof value === 'boolean') return String(value);
  return objectText(value as Values);
}

/** A text in single quotes; whatever it holds, the literal ends where it should. */
function textText(text: string): string {
  const inner = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", "\\'")
    // Line ends in JavaScript, and `</script>` where somebody pastes it into a page.
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
    .replaceAll('</', '<\\/');
  return `'${inner}'`;
}
