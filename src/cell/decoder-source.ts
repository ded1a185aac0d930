/**
 * Compiles the decoder of a message into JavaScript source: one switch over tags, values read in place, one-byte lengths and varints without
 * a call. Needs code generation from strings; message-closures.ts does the same without.
 */
import { isSet, type MessageDecoder, type Nested, readPlace } from './compiled-message.js';
import { within } from './fault-path.js';
import { entry, entryReader } from './map-entry.js';
import type { FieldShape, FieldType, MessageShape } from './message-shape.js';
import { gather, keep, unknownFields } from './unknown-fields.js';
import { readCachedText, textCache } from './utf8.js';
import { scalarName, tagOf, wireKind, wireType } from './wire-kind.js';
import { checkDepth, cursor, deepest, readEnd, readTag, skip, smallBigints } from './wire-reader.js';

/** Collects the constants that source refers to. */
export class Constants {
  private readonly values = new Map<string, unknown>();

  constructor(shared: Readonly<Record<string, unknown>>) {
    for (const [name, value] of Object.entries(shared)) this.values.set(name, value);
  }

  /** A name for the value, made of a hint and a number of its own. */
  add(hint: string, value: unknown): string {
    const name = `${hint}${this.values.size}`;
    this.values.set(name, value);
    return name;
  }

  /** The function that the source `function ... { }` makes, with every constant in scope. */
  compile<F>(source: string): F {
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the point of this file; every name from a declaration is quoted
    const make = new Function(...this.values.keys(), `'use strict';\nreturn ${source};`) as (...values: unknown[]) => F;
    return make(...this.values.values());
  }
}

/** The decoder of a shape, by generated source. */
export function sourceDecoder(shape: MessageShape, nested: Nested): MessageDecoder {
  const constants = new Constants({ shape, isSet, readPlace, within, entry, gather, keep, unknownFields, readCachedText, checkDepth, cursor, readEnd, readTag, skip, smallBigints });
  const cases = shape.fields.map((field, i) => fieldCases(shape, field, i, nested, constants)).join('');
  return constants.compile(`function decode(m, b, at, end, depth, merge) {
  if (depth > ${deepest}) checkDepth(depth);
  ${shape.fields.map(declareField).join('')}
  let tag = 0, from = 0, n = 0, stop = 0, kept;
  try {
    while (at < end) {
      from = at;
      tag = b[at++];
      if (tag > 127) { tag = 0; tag = readTag(b, from, end); at = cursor.at; }
      switch (tag) {${cases}
      }
      at = skip(b, at, end, tag, depth);
      kept = keep(kept, from, at);
    }
  } catch (fault) {
    throw within(fault, readPlace(shape, tag, m));
  }
  if (kept !== undefined) m[unknownFields] = gather(b, kept, merge ? m[unknownFields] : undefined);
  return m;
}`);
}

/** Repeated and map fields keep their collection in `v`; fields whose earlier value matters keep in `h` whether there is one. */
function declareField(field: FieldShape, i: number): string {
  const property = propertyOf(field);
  if (field.label !== 'singular') return `let v${i} = merge && isSet(${property}) ? ${property} : undefined;\n  `;
  return watched(field) ? `let h${i} = merge && isSet(${property});\n  ` : '';
}

function watched(field: FieldShape): boolean {
  return field.oneof !== undefined || field.type.kind === 'message';
}

/** The property of the message `m`, as source. */
function propertyOf(field: FieldShape): string {
  return `m[${JSON.stringify(field.name)}]`;
}

const readLength = `if (at < end && (n = b[at]) < 128 && at + 1 + n <= end) { at++; stop = at + n; } else { stop = readEnd(b, at, end); at = cursor.at; }`;

function fieldCases(shape: MessageShape, field: FieldShape, i: number, nested: Nested, constants: Constants): string {
  if (field.label === 'map') return mapCase(field, i, nested, constants);
  const wire = wireType(field.type);
  const read = (end: string, earlier?: string): string => readSource(field.type, end, nested, constants, earlier);
  if (field.label === 'singular') return oneCase(field.number, wire, `${read('end', watched(field) ? `h${i} ? ${propertyOf(field)} : undefined` : undefined)}
          ${propertyOf(field)} = x;${settle(shape, field, i)}`);
  const list = `if (v${i} === undefined) ${propertyOf(field)} = v${i} = [];`;
  const single = oneCase(field.number, wire, `${list}
          ${read('end')}
          v${i}.push(x);`);
  if (wire === 2) return single;
  // A packed run of no values is no list: it would not be written again.
  return single + oneCase(field.number, 2, `${readLength}
          const last = stop;
          if (at < last) { ${list} }
          while (at < last) {
            ${read('last')}
            v${i}.push(x);
          }`);
}

function oneCase(number: number, wire: number, body: string): string {
  return `
        case ${tagOf(number, wire)}: {
          ${body}
          continue;
        }`;
}

/** After a singular field is set: remember it where that matters, and clear its rivals in the oneof. */
function settle(shape: MessageShape, field: FieldShape, i: number): string {
  if (!watched(field)) return '';
  const rivals = shape.fields.map((other, j) => (j === i || field.oneof === undefined || other.oneof !== field.oneof ? '' : `
          if (h${j}) { ${propertyOf(other)} = undefined; h${j} = false; }`));
  return `
          h${i} = true;${rivals.join('')}`;
}

function mapCase(field: FieldShape, i: number, nested: Nested, constants: Constants): string {
  const reader = constants.add('readEntry', entryReader(field, field.type.kind === 'message' ? nested(field.type.shape()) : undefined));
  return oneCase(field.number, 2, `${readLength}
          const last = stop;
          if (${reader}(b, at, last, depth)) {
            if (v${i} === undefined) ${propertyOf(field)} = v${i} = new Map();
            v${i}.set(entry.key, entry.value);
          } else kept = keep(kept, from, last);
          at = last;`);
}

/** Statements that read a value at `at` into `x` and move `at` behind it. */
function readSource(type: FieldType, end: string, nested: Nested, constants: Constants, earlier = 'undefined'): string {
  if (type.kind === 'message') return readMessage(constants.add('child', nested(type.shape())), earlier);
  const scalar = scalarName(type);
  if (scalar === 'string') {
    const cache = constants.add('cache', textCache());
    return `${readLength}\n          const x = readCachedText(b, at, stop, ${cache});\n          at = stop;`;
  }
  const kind = wireKind(type);
  const read = constants.add(`read_${scalar}_`, kind.read);
  if (kind.wire === 2) return `${readLength}\n          const last = stop;\n          const x = ${read}(b, at, last, depth);\n          at = last;`;
  if (kind.wire !== 0) return `const x = ${read}(b, at, ${end});\n          at += ${kind.wire === 1 ? 8 : 4};`;
  const quick = { int32: 'n', uint32: 'n', sint32: '(n >>> 1) ^ -(n & 1)', bool: 'n !== 0', int64: 'smallBigints[n]', uint64: 'smallBigints[n]' }[scalar as string];
  const whole = `x = ${read}(b, at, ${end}); at = cursor.at;`;
  return quick === undefined ? `let x; ${whole}` : `let x;\n          if (at < ${end} && (n = b[at]) < 128) { at++; x = ${quick}; } else { ${whole} }`;
}

function readMessage(child: string, earlier: string): string {
  return `${readLength}
          const last = stop, earlier = ${earlier};
          const x = ${child}.decode(earlier === undefined ? ${child}.create() : earlier, b, at, last, depth + 1, earlier !== undefined);
          at = last;`;
}
